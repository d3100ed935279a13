/** An app for one test: a private database, with a clock that stands still until the test moves it. */
import { AssertionError } from 'node:assert'
import { isDeepStrictEqual } from 'node:util'
import { type PinnedClock, pinClock } from '../database/clock.js'
import { given } from '../json/given.js'
import { freshStore } from '../store/fresh-store.js'
import type { Job } from '../store/job-reads.js'
import type { DefinedJob, InputOf } from './define-job.js'
import { type App, type HoldfastOptions, holdfast } from './holdfast.js'
import type { WorkOptions } from './work.js'

export interface FreshApp extends App {
  readonly clock: PinnedClock
  /** Stops the app and removes its schema. A test that failed may leave it, for a look inside. */
  dispose(): Promise<void>
}

/** With a `url` in a schema of its own there; otherwise in a PGlite of its own, in memory. */
export async function freshApp(
  options: Omit<HoldfastOptions, 'store' | 'embedded' | 'migrate'> = {},
): Promise<FreshApp> {
  const { url, schema, connections, ...rest } = options
  const store = await freshStore(given({ url, schema, connections }))
  const clock = await pinClock(store)
  // A test that lets jobs fail on purpose wants no lines about it.
  const app = await holdfast({ log: false, ...rest, store })
  const dispose = async () => {
    await app.stop({ graceMs: 0 })
    await store.dispose()
  }
  return { ...app, clock, dispose, [Symbol.asyncDispose]: dispose }
}

/** Works on everything that is due, also on what that brings, and stops when nothing is left. Retries wait for `advance`. */
export async function runUntilIdle(app: App, options: WorkOptions = {}): Promise<void> {
  const working = await app.work({ pollMs: 5, ...options })
  await working.idle()
  await working.drain()
}

/** Moves the clock on, and brings in what falls due by that: delayed jobs, retries, lost leases, slots of schedules. */
export async function advance(app: FreshApp, ms: number): Promise<void> {
  await app.clock.advance(ms)
  await app.store.upkeep.promoteDueWork()
  while ((await app.store.scheduler.fireDue()).more);
}

export type EnqueuedJob<J extends DefinedJob> = Omit<Job, 'input'> & { readonly input: InputOf<J> }

/** All jobs of a kind, in the order they were made, wherever they are now. */
export async function enqueued<J extends DefinedJob>(app: App, job: J): Promise<EnqueuedJob<J>[]> {
  const ids: number[] = []
  let after: string | null | undefined
  while (after !== null) {
    const page = await app.store.list.jobs({ kind: job.kind, limit: 500, ...(after ? { after } : {}) })
    ids.push(...page.rows.map(({ id }) => id))
    after = page.next
  }
  const rows: EnqueuedJob<J>[] = []
  for (const id of ids.sort((one, other) => one - other))
    rows.push((await app.store.read.job(id)) as EnqueuedJob<J>)
  return rows
}

/** Fails unless there is a job of this kind whose input has at least the fields given. Answers the first such job. */
export async function assertEnqueued<J extends DefinedJob>(
  app: App,
  job: J,
  input?: Partial<InputOf<J>>,
): Promise<EnqueuedJob<J>> {
  const there = await enqueued(app, job)
  const found = there.find((one) => input === undefined || contains(one.input, input))
  if (found !== undefined) return found
  const inputs = there.map((one) => `\n  ${JSON.stringify(one.input)}`)
  const seen =
    inputs.length === 0 ? 'there is none of this kind' : `there are these:${inputs.slice(0, 20).join('')}`
  const wanted = input === undefined ? '' : ` with ${JSON.stringify(input)}`
  throw new AssertionError({ message: `No job "${job.kind}"${wanted} was enqueued; ${seen}` })
}

function contains(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return isDeepStrictEqual(whole, part)
  if (typeof whole !== 'object' || whole === null) return false
  return Object.entries(part).every(([key, value]) =>
    contains((whole as Record<string, unknown>)[key], value),
  )
}
