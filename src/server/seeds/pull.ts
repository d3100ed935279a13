/**
 * One job for somebody who asks, now or within the time they are willing to wait. Whoever waits is woken when there is work, and looks by
 * itself once a second, because a delay that ends or a lease that runs out wakes nobody.
 */
import { holdfastError } from '../../domain/errors.js'
import type { ClaimedJob } from '../../domain/port.js'
import type { Queue } from '../../store/queues.js'
import type { Store } from '../../store/store.js'
import { queuesOf, type Speaking } from './words.js'

export interface Pull extends Speaking {
  readonly worker: string
  readonly leaseMs: number | undefined
  readonly waitMs: number
  /** The caller has gone, or the server is about to stop. */
  readonly signal: AbortSignal
}

export interface Pulled {
  readonly job: ClaimedJob
  readonly queue: Queue
}

const LOOK_EVERY_MS = 1_000

export async function pull(ask: Pull): Promise<Pulled | undefined> {
  const until = performance.now() + ask.waitMs
  for (;;) {
    const { queues, pulled } = await look(ask)
    if (pulled !== undefined || ask.signal.aborted) return pulled
    const left = until - performance.now()
    if (left <= 0) return undefined
    await untilWoken(ask, queues, Math.min(left, LOOK_EVERY_MS))
    if (ask.signal.aborted) return undefined
  }
}

/** Which queues there are, remembered for a moment: most pulls then are one question. */
const known = new WeakMap<Store, Map<string, { readonly queues: Queue[]; readonly until: number }>>()
const KNOWN_MS = 1_000
const KNOWN_MAX = 1_000

async function look(ask: Pull): Promise<{ queues: Queue[]; pulled: Pulled | undefined }> {
  const memory = known.get(ask.store) ?? new Map()
  known.set(ask.store, memory)
  const name = `${ask.tenant} ${ask.queue ?? ''}`
  const remembered = memory.get(name)
  if (remembered !== undefined && performance.now() < remembered.until) {
    const pulled = await claimOne(ask, remembered.queues)
    if (pulled !== undefined || ask.signal.aborted) return { queues: remembered.queues, pulled }
  }
  // Nothing there: perhaps because the job is in a queue that was made just now.
  const queues = await queuesOf(ask)
  if (memory.size >= KNOWN_MAX) memory.clear()
  memory.set(name, { queues, until: performance.now() + KNOWN_MS })
  const fresh =
    remembered === undefined ||
    queues.length !== remembered.queues.length ||
    performance.now() >= remembered.until
  return { queues, pulled: fresh ? await claimOne(ask, queues) : undefined }
}

async function claimOne(
  { store, tenant, worker, leaseMs, signal }: Pull,
  queues: readonly Queue[],
): Promise<Pulled | undefined> {
  if (queues.length === 0) return undefined
  const [job] = await store.work.claim({
    worker,
    tenant,
    queues: queues.map(({ name }) => name),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  })
  if (job === undefined) return undefined
  const queue = queues.find(({ id }) => id === job.queueId)
  if (queue === undefined) throw holdfastError('internal', { problem: 'a job of a queue nobody asked for' })
  if (!signal.aborted) return { job, queue }
  // Nobody would hear the answer, and the job would be hidden until its lease ends.
  await store.work.finish([{ ...job, outcome: 'released', reason: 'nobody fetched it', began: false }])
  return undefined
}

async function untilWoken(
  { store, tenant, signal }: Pull,
  queues: readonly Queue[],
  ms: number,
): Promise<void> {
  const { promise, resolve } = withResolvers()
  const names = queues.map(({ name }) => name)
  const off = names.length === 0 ? () => {} : store.wakeups(tenant).on(names, resolve)
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', resolve, { once: true })
  if (signal.aborted) resolve()
  await promise
  off()
  clearTimeout(timer)
  signal.removeEventListener('abort', resolve)
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = () => settle()
  })
  return { promise, resolve }
}
