/**
 * Claims one job for a caller, at once or within the time the caller is willing to wait. Long polls join the claim waiters of the worker
 * protocol (server/work/claim-waiters.ts): a new job wakes the first of them, and none of them polls the database by itself.
 */
import { holdfastError } from '../../domain/errors/errors.js'
import type { ClaimedJob } from '../../domain/port.js'
import { waiting } from '../../server/access/waiting-calls.js'
import type { Call } from '../../server/http/route.js'
import type { Queue } from '../../store/queues.js'
import { type PresetScope, queuesInScope } from '../preset-scope.js'

export interface PullRequest extends PresetScope, Pick<Call, 'server'> {
  readonly worker: string
  readonly leaseMs: number | undefined
  readonly waitMs: number
  /** Aborts when the caller has disconnected or the server stops. */
  readonly signal: AbortSignal
}

export interface Pulled {
  readonly job: ClaimedJob
  readonly queue: Queue
}

/** After this long a waiting pull reads the list of queues again: there may be new ones. */
const QUEUES_STALE_MS = 2_000

/** How long the list of a scope's queues is cached, so that most pulls are one query. */
const CACHED_MS = 1_000
const CACHED_SCOPES_MAX = 1_000

interface CachedQueues {
  readonly queues: Promise<Queue[]>
  readonly until: number
}

/** One per server. */
export class Puller {
  readonly #cache = new Map<string, CachedQueues>()

  async pull(request: PullRequest): Promise<Pulled | undefined> {
    return request.waitMs === 0 ? this.#pullNow(request) : waiting(request, () => this.#longPoll(request))
  }

  async #longPoll(request: PullRequest): Promise<Pulled | undefined> {
    const until = performance.now() + request.waitMs
    for (;;) {
      const queues = await (this.#cachedQueues(request) ?? this.#readQueues(request))
      const leftMs = Math.min(until - performance.now(), QUEUES_STALE_MS)
      if (leftMs <= 0 || request.signal.aborted) return undefined
      const waiters = request.server.sessions.waitersFor(
        request,
        queues.map(({ name }) => name),
      )
      const [job] = await waiters.claim(() => claimFrom(request, queues), leftMs, request.signal)
      if (job !== undefined) return pulledOf(request, job, queues)
    }
  }

  async #pullNow(request: PullRequest): Promise<Pulled | undefined> {
    const cached = await this.#cachedQueues(request)
    if (cached !== undefined) {
      const pulled = await claimOne(request, cached)
      if (pulled !== undefined || request.signal.aborted) return pulled
    }
    // The job may be in a queue that was created after the list was cached.
    const queues = await this.#readQueues(request)
    const isChanged = cached === undefined || queues.length !== cached.length
    return isChanged ? claimOne(request, queues) : undefined
  }

  #cachedQueues(scope: PresetScope): Promise<Queue[]> | undefined {
    const cached = this.#cache.get(scopeKey(scope))
    return cached !== undefined && performance.now() < cached.until ? cached.queues : undefined
  }

  #readQueues(scope: PresetScope): Promise<Queue[]> {
    const queues = queuesToPull(scope)
    if (this.#cache.size >= CACHED_SCOPES_MAX) this.#cache.clear()
    this.#cache.set(scopeKey(scope), { queues, until: performance.now() + CACHED_MS })
    queues.catch(() => this.#cache.delete(scopeKey(scope)))
    return queues
  }
}

/** Without any queue of the preset a pull would wait for ever, while jobs may be in a queue of another one. */
async function queuesToPull(scope: PresetScope): Promise<Queue[]> {
  const queues = await queuesInScope(scope)
  if (queues.length === 0) throw holdfastError('no_preset_queue', { preset: scope.preset })
  return queues
}

function scopeKey({ tenant, preset, queue }: PresetScope): string {
  return `${tenant} ${preset} ${queue ?? ''}`
}

async function claimOne(request: PullRequest, queues: readonly Queue[]): Promise<Pulled | undefined> {
  const [job] = await claimFrom(request, queues)
  return job === undefined ? undefined : pulledOf(request, job, queues)
}

async function claimFrom(
  { store, tenant, worker, leaseMs }: PullRequest,
  queues: readonly Queue[],
): Promise<ClaimedJob[]> {
  return store.work.claim({
    worker,
    tenant,
    queues: queues.map(({ name }) => name),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  })
}

async function pulledOf(
  { store, signal }: PullRequest,
  job: ClaimedJob,
  queues: readonly Queue[],
): Promise<Pulled | undefined> {
  const queue = queues.find(({ id }) => id === job.queueId)
  if (queue === undefined)
    throw holdfastError('internal', { problem: 'the claim returned a job of another queue' })
  if (!signal.aborted) return { job, queue }
  // The caller cannot receive the answer, and the job would be hidden until its lease ends.
  await store.work.finish([
    { ...job, outcome: 'released', reason: 'the caller disconnected', started: false },
  ])
  return undefined
}
