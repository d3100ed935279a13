/**
 * Claims jobs for one worker process, and keeps what its earlier claims have learned. Open one with `store.work.claimer()` and use it for as
 * long as the process claims. A claim passes three steps, from the outside to the inside:
 *
 * 1. QueueRotation picks the queues to ask and their order, so that a flood in one queue does not starve the others.
 * 2. ClaimFrontier adds how far each queue is drained, so that the database does not walk over dead index entries again.
 * 3. claimBatch sends one call of the SQL function `claim_batch` and decodes its rows.
 *
 * The frontier may hide jobs whose transaction committed late. A full pass, a claim without the frontier, finds those. It may walk over a
 * million dead entries, so it runs beside the claims, and the next claim hands out what it found. The first claim of a claimer runs
 * alone: several concurrent claims without a frontier would each pay for what the first one can teach the others.
 */
import type { Database } from '../../database/database.js'
import type { StoreObservers } from '../../database/instrumented.js'
import { finishAttempts } from '../finish/finish.js'
import type { Queues } from '../queues.js'
import type { ClaimedJob, Ending } from '../rows.js'
import { type ClaimOptions, checkLimit, claimBatch } from './claim-batch.js'
import { ClaimFrontier, noFrontier } from './claim-frontier.js'
import type { ConnectionEpochs } from './connection-epoch.js'
import { QueueRotation } from './queue-rotation.js'

const PASS_LIMIT = 100
/**
 * Jobs of a full pass that no claim has fetched after this time are released, so that they do not wait behind a worker whose slots are
 * all taken. A worker that polls rarely is woken by `found`. Shorter than the `olderThanMs` of `releaseUnlisted`, which releases the
 * jobs of a claim whose reply was lost.
 */
const UNFETCHED_MS = 5_000

export interface ClaimerDeps {
  readonly database: Database
  readonly queues: Queues
  readonly epochs: ConnectionEpochs
  readonly observers: StoreObservers
}

/** For tests. */
export interface ClaimerClock {
  readonly now?: () => number
  readonly unfetchedMs?: number
}

export class JobClaimer {
  readonly #deps: ClaimerDeps
  readonly #rotation = new QueueRotation()
  readonly #frontier: ClaimFrontier
  readonly #now: () => number
  readonly #unfetchedMs: number
  #firstClaim: Promise<void> | undefined
  #isPassing = false
  /** What the last full pass found and no claim has fetched yet. */
  #found: { readonly jobs: readonly ClaimedJob[]; readonly at: number } | undefined
  #staleLease: unknown

  constructor(
    deps: ClaimerDeps,
    { now = () => performance.now(), unfetchedMs = UNFETCHED_MS }: ClaimerClock = {},
  ) {
    this.#deps = deps
    this.#frontier = new ClaimFrontier(now)
    this.#now = now
    this.#unfetchedMs = unfetchedMs
  }

  /**
   * Takes up to `limit` jobs. Not repeated after a broken connection: the claim may have taken effect, and its jobs return when their
   * lease ends.
   */
  async claim(options: ClaimOptions): Promise<ClaimedJob[]> {
    const queueIds = await this.#deps.queues.ids(options.queues, options.tenant)
    const { claimed, askedAll } = await this.#claimInTurn(queueIds, options)
    // The rotation may have asked a part of the queues only; the others may have work.
    return claimed.length > 0 || askedAll ? claimed : (await this.#claimInTurn(queueIds, options)).claimed
  }

  async #claimInTurn(queueIds: readonly number[], options: ClaimOptions) {
    const limit = checkLimit(options.limit ?? 1)
    const asked = this.#rotation.list(queueIds)
    const claimed = this.#underThisLease(await this.#claimOrFetch(asked, limit, options), options)
    this.#rotation.learn(queueIds, asked, claimed, limit)
    return { claimed, askedAll: asked.length === queueIds.length }
  }

  /** Jobs that a full pass found come first; a claim fills the rest. */
  async #claimOrFetch(
    queueIds: readonly number[],
    limit: number,
    options: ClaimOptions,
  ): Promise<ClaimedJob[]> {
    if (this.#staleLease !== undefined) {
      const error = this.#staleLease
      this.#staleLease = undefined
      throw error
    }
    const fetched = this.#fetch(limit)
    if (fetched.length >= limit) return fetched
    const claim = () =>
      this.#claimBeyondFrontier(queueIds, limit - fetched.length, startingAfter(options, fetched.length))
    if (this.#firstClaim === undefined) {
      const first = claim()
      this.#firstClaim = first.then(ignore, ignore)
      return [...fetched, ...(await first)]
    }
    await this.#firstClaim
    this.#startFullPass(queueIds, limit, options)
    return [...fetched, ...(await claim())]
  }

  async #claimBeyondFrontier(
    queueIds: readonly number[],
    limit: number,
    options: ClaimOptions,
    frontier = this.#frontier.columns(queueIds),
  ): Promise<ClaimedJob[]> {
    const { database, epochs } = this.#deps
    const began = performance.now()
    const epoch = await epochs.of(options)
    const claimed = await claimBatch(database, queueIds, frontier, limit, options, epoch)
    this.#frontier.learn(queueIds, frontier, claimed, performance.now() - began)
    return claimed
  }

  #startFullPass(queueIds: readonly number[], limit: number, options: ClaimOptions): void {
    if (this.#isPassing || this.#found !== undefined) return
    const due = this.#frontier.due(queueIds)
    if (due.length === 0) return
    this.#isPassing = true
    const unstarted = startingAfter(options, Number.POSITIVE_INFINITY)
    const pass = this.#claimBeyondFrontier(due, Math.min(limit, PASS_LIMIT), unstarted, noFrontier(due)).then(
      (jobs) => {
        if (jobs.length === 0) return
        const at = this.#now()
        this.#found = { jobs, at }
        setTimeout(() => this.#releaseUnfetched(at), this.#unfetchedMs).unref()
        options.found?.()
      },
    )
    // The next claim repeats a pass that failed, and fails for the same reason, with one exception: only a claim that finds jobs is refused
    // with `lease_stale`.
    const keepStaleLease = (error: { code?: string }) => {
      if (error.code === 'lease_stale') this.#staleLease = error
    }
    pass.catch(keepStaleLease).finally(() => {
      this.#isPassing = false
    })
  }

  #fetch(limit: number): ClaimedJob[] {
    if (this.#found === undefined) return []
    const { jobs, at } = this.#found
    // The timer may be late where the thread is busy.
    if (this.#now() - at > this.#unfetchedMs) {
      this.#releaseUnfetched(at)
      return []
    }
    this.#found = jobs.length > limit ? { jobs: jobs.slice(limit), at } : undefined
    return jobs.slice(0, limit)
  }

  #releaseUnfetched(at: number): void {
    if (this.#found?.at !== at) return
    const { jobs } = this.#found
    this.#found = undefined
    this.#release(jobs)
  }

  /** Drops jobs that a full pass found under a lease which the worker has given up since. */
  #underThisLease(claimed: ClaimedJob[], { lease: current }: ClaimOptions): ClaimedJob[] {
    const isCurrent = ({ lease, expiresAt }: ClaimedJob) => expiresAt !== null || lease === current
    const strays = claimed.filter((job) => !isCurrent(job))
    if (strays.length === 0) return claimed
    this.#release(strays)
    return claimed.filter(isCurrent)
  }

  /** Jobs that cannot be released now return when their lease ends. */
  #release(jobs: readonly ClaimedJob[]): void {
    const { database, observers } = this.#deps
    finishAttempts(database, jobs.map(releasedUnfetched), observers).catch(ignore)
  }
}

function releasedUnfetched({ jobId, attempt, lease }: ClaimedJob): Ending {
  return { jobId, attempt, lease, outcome: 'released', reason: 'not fetched in time', started: false }
}

/** The same claim, `before` of whose slots are taken by other jobs that start first. */
function startingAfter(options: ClaimOptions, before: number): ClaimOptions {
  const { startNow, eager = false } = options
  if (startNow === undefined) return options
  return { ...options, startNow: Math.max(0, startNow - before), eager: eager && Number.isFinite(before) }
}

function ignore(): void {}
