/**
 * One job for a caller that asks, now or within the time it is willing to wait. Those who wait stand in the lines of the worker protocol
 * (work/line.ts): a job that comes wakes the first of them, and none of them asks the database by itself.
 */
import { holdfastError } from '../../domain/errors.js'
import type { ClaimedJob } from '../../domain/port.js'
import type { Queue } from '../../store/queues.js'
import type { Store } from '../../store/store.js'
import type { Call } from '../route.js'
import { waiting } from '../waits.js'
import { deskOf } from '../work/desk.js'
import { queuesOf, type Speaking } from './words.js'

export interface Pull extends Speaking, Pick<Call, 'server'> {
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

/** How long a pull stands in a line before it looks whether there are other queues now. */
const IN_LINE_MS = 2_000

export async function pull(ask: Pull): Promise<Pulled | undefined> {
  return ask.waitMs === 0 ? look(ask) : waiting(ask, () => wait(ask))
}

async function wait(ask: Pull): Promise<Pulled | undefined> {
  const until = performance.now() + ask.waitMs
  for (;;) {
    const queues = await (remembered(ask) ?? queuesNow(ask))
    const left = Math.min(until - performance.now(), IN_LINE_MS)
    if (left <= 0 || ask.signal.aborted) return undefined
    const line = deskOf(ask.server).line(
      ask,
      queues.map(({ name }) => name),
    )
    const [job] = await line.claim(() => claimFrom(ask, queues), left, ask.signal)
    if (job !== undefined) return pulledOf(ask, job, queues)
  }
}

/** Which queues there are, remembered for a moment and asked for once by those who come together: most pulls then are one question. */
const known = new WeakMap<Store, Map<string, { readonly queues: Promise<Queue[]>; readonly until: number }>>()
const KNOWN_MS = 1_000
const KNOWN_MAX = 1_000

const nameOf = ({ tenant, preset, queue }: Speaking) => `${tenant} ${preset} ${queue ?? ''}`

function remembered(ask: Pull): Promise<Queue[]> | undefined {
  const found = known.get(ask.store)?.get(nameOf(ask))
  return found !== undefined && performance.now() < found.until ? found.queues : undefined
}

function queuesNow(ask: Pull): Promise<Queue[]> {
  const queues = queuesOf(ask)
  const memory = known.get(ask.store) ?? new Map()
  known.set(ask.store, memory)
  if (memory.size >= KNOWN_MAX) memory.clear()
  memory.set(nameOf(ask), { queues, until: performance.now() + KNOWN_MS })
  queues.catch(() => memory.delete(nameOf(ask)))
  return queues
}

async function look(ask: Pull): Promise<Pulled | undefined> {
  const before = await remembered(ask)
  if (before !== undefined) {
    const pulled = await claimOne(ask, before)
    if (pulled !== undefined || ask.signal.aborted) return pulled
  }
  // Nothing there: perhaps because the job is in a queue that was made just now.
  const queues = await queuesNow(ask)
  const fresh = before === undefined || queues.length !== before.length
  return fresh ? claimOne(ask, queues) : undefined
}

async function claimOne(ask: Pull, queues: readonly Queue[]): Promise<Pulled | undefined> {
  const [job] = await claimFrom(ask, queues)
  return job === undefined ? undefined : pulledOf(ask, job, queues)
}

async function claimFrom(
  { store, tenant, worker, leaseMs }: Pull,
  queues: readonly Queue[],
): Promise<ClaimedJob[]> {
  if (queues.length === 0) return []
  return store.work.claim({
    worker,
    tenant,
    queues: queues.map(({ name }) => name),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  })
}

async function pulledOf(
  { store, signal }: Pull,
  job: ClaimedJob,
  queues: readonly Queue[],
): Promise<Pulled | undefined> {
  const queue = queues.find(({ id }) => id === job.queueId)
  if (queue === undefined)
    throw holdfastError('internal', { problem: 'a job of a queue that was not asked for' })
  if (!signal.aborted) return { job, queue }
  // The answer would reach no caller, and the job would be hidden until its lease ends.
  await store.work.finish([{ ...job, outcome: 'released', reason: 'nobody fetched it', began: false }])
  return undefined
}
