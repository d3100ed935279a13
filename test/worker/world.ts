/** A worker of a test's own on a store of its own, stopped when the test ends. */
import type { Store } from 'holdfast/store'
import { onTestFinished } from 'vitest'
import { storePort } from '../../src/store/port.js'
import type { AnyHandler, HandlerEntry, HandlerTable } from '../../src/worker/handlers.js'
import { createWorker } from '../../src/worker/worker.js'
import type { EndedAttempt, Worker, WorkerOptions } from '../../src/worker/worker-options.js'

export const QUEUE = 'work'

export interface TestWorker extends Worker {
  /** Every end of an attempt, as the worker learned it. */
  readonly ended: EndedAttempt[]
  /** What it logged. */
  readonly logged: string[]
}

export async function startWorker(
  store: Store,
  jobs: Record<string, AnyHandler | HandlerEntry>,
  options: Partial<WorkerOptions> = {},
): Promise<TestWorker> {
  const worker = makeWorker(store, jobs, options)
  await worker.start()
  return worker
}

export function makeWorker(
  store: Store,
  jobs: Record<string, AnyHandler | HandlerEntry>,
  options: Partial<WorkerOptions> = {},
): TestWorker {
  const ended: EndedAttempt[] = []
  const logged: string[] = []
  const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`)
  const worker = createWorker({
    port: storePort(store),
    queues: [QUEUE],
    jobs: tableOf(jobs),
    pollMs: 20,
    heartbeatMs: 50,
    onEnded: (one) => void ended.push(one),
    log: { debug: note, info: note, warn: note, error: note },
    ...options,
  })
  onTestFinished(async () => {
    await worker.stop()
  })
  return Object.assign(worker, { ended, logged })
}

function tableOf(jobs: Record<string, AnyHandler | HandlerEntry>): HandlerTable {
  return new Map(
    Object.entries(jobs).map(([kind, entry]) => [
      kind,
      typeof entry === 'function' ? { handler: entry } : entry,
    ]),
  )
}

export function enqueue(store: Store, kind: string, input: unknown = null): Promise<number> {
  return store.enqueue({ queue: QUEUE, kind, input }).then(({ jobId }) => jobId)
}

export async function enqueueMany(store: Store, count: number, kind: string): Promise<number[]> {
  const jobs = Array.from({ length: count }, (_none, n) => ({ queue: QUEUE, kind, input: { n } }))
  const ids: number[] = []
  for (let from = 0; from < count; from += 1000) {
    const made = await store.enqueueMany(jobs.slice(from, from + 1000))
    ids.push(...made.map(({ jobId }) => jobId))
  }
  return ids
}

/** Resolves once the condition holds; the test's own time limit is the only one. */
export async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await is())) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Something a handler waits for and the test gives. */
export function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open: () => open(), opened }
}

export async function states(store: Store): Promise<Record<string, number>> {
  const rows = await store.database.query<{ state: string; n: number }>(
    'select state::text as state, count(*)::int as n from holdfast.jobs group by 1',
  )
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
}
