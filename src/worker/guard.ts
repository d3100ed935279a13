/**
 * Watches the leases of a worker. A lease is lost when the database reports it ended, or when no renewal has succeeded for so long that it
 * may have expired. Then all handlers under it are aborted before it expires (self-fencing), nothing more is written for them, and a new
 * lease is opened. Outcomes of jobs that ended before are still sent: the fence in the database decides about them.
 *
 * A lease is retired when a connection broke: after a failover the database may have forgotten claims under it, and would hand them out
 * again with the same fence. The worker claims under a new lease, and renews the retired one until its jobs have ended. Then it closes it,
 * which also releases the jobs of a claim whose response was lost.
 */
import { attemptName, type ClaimedJob, LEASE_GIVEN_UP } from '../domain/port.js'
import type { Flow } from './flow.js'
import type { Heartbeat, HeartbeatHost } from './heartbeat/heartbeat-host.js'
import type { HeartbeatMember, HeartbeatNews } from './heartbeat/heartbeat-loop.js'
import { type SharedVitals, sharedNow } from './heartbeat/shared-vitals.js'
import { LeaseHolder } from './lease.js'
import { JobAborted } from './outcomes.js'
import type { Run } from './run.js'
import { settlesWithin } from './settles-within.js'
import { verifyClaims } from './verify-claims.js'
import type { WorkerOptions } from './worker-options.js'

export interface GuardParts {
  readonly port: WorkerOptions['port']
  readonly log: WorkerOptions['log']
  readonly worker: string
  readonly leaseMs: number
  readonly vitals: SharedVitals
  readonly flow: Flow
  onDrainRequest(): void
}

/**
 * A handler whose job has a lease of its own is aborted this long before the lease ends: the tick that aborts it may come TICK_MS late, and
 * another worker may claim the job the moment the lease has ended.
 */
const JOB_LEASE_MARGIN_MS = 500

export class Guard {
  readonly #parts: GuardParts
  readonly #lease: LeaseHolder
  /** After this time without a renewal the lease may expire before the next one. */
  readonly #fenceMs: number
  #heartbeat: Heartbeat | undefined
  /** Leases of single jobs, as last passed to the heartbeat. */
  #jobLeases: number[] = []
  readonly #retired = new Set<number>()
  /** Broken connections handled so far. */
  #breaks: number | undefined

  constructor(parts: GuardParts) {
    const { port, worker, leaseMs, vitals, log } = parts
    this.#parts = parts
    this.#breaks = port.breaks?.()
    this.#fenceMs = leaseMs - Math.min(Math.max(1_000, leaseMs / 5), leaseMs / 2)
    this.#lease = new LeaseHolder({
      port,
      worker,
      leaseMs,
      opened: (_lease, sentAt, before) => {
        if (before !== null) this.#keepRetired(before)
        // One time for all leases: that of the one renewed longest ago.
        vitals.renewedAt = this.#retired.size === 0 ? sentAt : Math.min(vitals.renewedAt, sentAt)
        this.#hold()
        parts.flow.claimer.nudge()
      },
      failed: (error) => {
        log?.warn(
          { event: 'lease_open_failed', error: (error as Error).message },
          'could not open a lease; retrying',
        )
      },
    })
  }

  get lease(): number | null {
    return this.#lease.current
  }

  /** The lease to claim under. */
  get claimable(): number | null {
    return this.#lease.claimable
  }

  /** Every lease that covers jobs of this worker. */
  get leases(): readonly number[] {
    return this.lease === null ? [...this.#retired] : [this.lease, ...this.#retired]
  }

  get leasesLost(): number {
    return this.#lease.lost
  }

  open(): Promise<void> {
    return this.#lease.open()
  }

  /** A time of the database on the shared clock. */
  onSharedClock(at: Date): number {
    return this.#lease.onSharedClock(at)
  }

  /** When the handler of a job with a lease of its own is aborted, on the shared clock: before the lease ends. */
  fenceAt(expiresAt: Date | null): number {
    return expiresAt === null ? Number.POSITIVE_INFINITY : this.onSharedClock(expiresAt) - JOB_LEASE_MARGIN_MS
  }

  /** Checked before each start: in a process that was suspended, a slot may become free before the tick that notices the expired lease. */
  mayBegin({ expiresAt }: ClaimedJob): boolean {
    const now = sharedNow()
    return expiresAt === null
      ? now - this.#parts.vitals.renewedAt <= this.#fenceMs
      : now < this.fenceAt(expiresAt)
  }

  join(host: HeartbeatHost, member: Omit<HeartbeatMember, 'id' | 'lease' | 'jobLeases'>): void {
    this.#heartbeat = host.join({ ...member, lease: this.lease, jobLeases: [] }, (news) => this.#onNews(news))
  }

  /** Called several times a second. */
  tick(): void {
    const now = sharedNow()
    const { vitals, flow } = this.#parts
    const { executor } = flow
    vitals.recordTick()
    this.#checkBreaks()
    if (now - vitals.renewedAt > this.#fenceMs)
      for (const lease of this.leases) this.lose(lease, 'not renewed in time')
    for (const lease of this.#retired) if (!flow.isUnder(lease)) void this.#close(lease)
    executor.abortAll((run) => run.fenceAt <= now && !run.lost, leaseLost)
    const jobLeases = [...executor.runs].filter(hasOwnLease).map(({ job }) => job.lease)
    if (
      jobLeases.length !== this.#jobLeases.length ||
      jobLeases.some((lease, index) => lease !== this.#jobLeases[index])
    ) {
      this.#jobLeases = jobLeases
      this.#hold()
    }
  }

  lose(lease: number, why: string): void {
    if (!this.#retired.delete(lease) && !this.#lease.lose(lease)) return
    const { log, flow } = this.#parts
    const { executor, buffer } = flow
    const unstarted = buffer.drop((job) => job.lease === lease)
    const begun = flow.begunIds(lease)
    const running = executor.abortAll((run) => run.job.lease === lease, leaseLost)
    log?.warn(
      { event: 'lease_lost', lease, why, running, unstarted: unstarted.length },
      `lease lost; ${running} handlers aborted`,
    )
    this.#hold()
    flow.pump()
    void this.#closeLost(lease, begun)
    this.#lease.reopen()
  }

  /** After a broken connection: no more claims under this lease. */
  retire(lease: number): void {
    if (!this.#lease.retire(lease)) return
    this.#parts.log?.info({ event: 'lease_retired', lease }, 'connection broke; claiming under a new lease')
    this.#lease.reopen()
  }

  /** Closes all leases, which releases their jobs, and returns how many those were. Waits no longer than `ms`. */
  async close(ms: number): Promise<number> {
    const { port, log, flow } = this.#parts
    const { leases } = this
    this.#lease.stop()
    this.#retired.clear()
    // First, so that the heartbeat does not report their end.
    this.#hold()
    let released = 0
    const closing = leases.map(async (lease) => {
      try {
        released += await port.closeLease(lease, 'shutdown', flow.begunIds(lease))
      } catch (error) {
        log?.warn(
          { event: 'lease_close_failed', lease, error: (error as Error).message },
          'could not close the lease; it will expire',
        )
      }
    })
    const inTime = await settlesWithin(ms, Promise.all([...closing, this.#heartbeat?.leave()]))
    if (!inTime)
      log?.warn(
        { event: 'lease_close_timed_out', leases },
        'no answer from the database; the leases will expire',
      )
    return released
  }

  #hold(): void {
    this.#heartbeat?.setLeases(this.lease, [...this.#jobLeases, ...this.#retired])
  }

  /** Needed where no claim is made, because there is no room: a refused claim would show the break too. */
  #checkBreaks(): void {
    const breaks = this.#parts.port.breaks?.()
    if (breaks === this.#breaks) return
    this.#breaks = breaks
    if (this.lease !== null) this.retire(this.lease)
  }

  #keepRetired(lease: number): void {
    const { port, flow, log } = this.#parts
    this.#retired.add(lease)
    void verifyClaims({
      port,
      lease,
      runs: () => flow.executor.runs,
      waits: () => flow.buffer.list().some((job) => job.lease === lease),
      isOver: () => !this.#retired.has(lease),
      giveUp: (run) => {
        log?.warn(
          { event: 'claim_missing', lease, job: run.job.jobId },
          'claim missing after a failover; handler aborted',
        )
        flow.executor.abort(run, leaseLost())
      },
    })
  }

  /**
   * Closes a retired lease whose jobs have ended. It leaves the list first, so that no job starts while the database releases it; after a
   * failure it is renewed and closed later.
   */
  async #close(lease: number): Promise<void> {
    this.#retired.delete(lease)
    this.#hold()
    const { port } = this.#parts
    try {
      // Only jobs of a claim whose response was lost are left under it, and a closed lease gets no more.
      await port.releaseUnlisted(lease, [], 0)
      await port.closeLease(lease, 'connection broke', [])
    } catch {
      this.#retired.add(lease)
    }
  }

  #onNews({ cancel, revoked, lost, jobLeases, at, drain, problem }: HeartbeatNews): void {
    const { log, flow, onDrainRequest } = this.#parts
    const { executor, buffer } = flow
    if (problem !== null) log?.warn({ event: 'heartbeat_failed', error: problem }, 'heartbeat failed')
    if (cancel.length > 0) {
      const names = new Set(cancel.map(attemptName))
      const isCanceled = (job: ClaimedJob) => names.has(attemptName(job))
      executor.abortAll(
        ({ job }) => isCanceled(job),
        () => new JobAborted('cancel'),
      )
      for (const job of buffer.drop(isCanceled)) flow.endUnstarted(job, { outcome: 'canceled', details: {} })
    }
    if (lost.length > 0 || revoked.length > 0) {
      const revokedNames = new Set(revoked.map(attemptName))
      const isGone = (job: ClaimedJob) => lost.includes(job.lease) || revokedNames.has(attemptName(job))
      executor.abortAll(({ job }) => isGone(job), leaseLost)
      buffer.drop(isGone)
    }
    for (const lease of this.leases) if (lost.includes(lease)) this.lose(lease, 'swept')
    const left = new Map(jobLeases)
    for (const run of executor.runs) {
      const ms = hasOwnLease(run) ? left.get(run.job.lease) : undefined
      if (ms !== undefined) run.fenceAt = Math.max(run.fenceAt, at + ms - JOB_LEASE_MARGIN_MS)
    }
    if (drain) onDrainRequest()
  }

  /**
   * The lease may still be alive and only its renewal failed: closing it returns its jobs before it expires. Those that had begun are lost,
   * as if it had expired.
   */
  async #closeLost(lease: number, begun: readonly number[]): Promise<void> {
    const { flow, port } = this.#parts
    const { executor, finisher } = flow
    await executor.whenNone((run) => run.job.lease === lease)
    await finisher.whenNone(({ job }) => job.lease === lease)
    await port.closeLease(lease, LEASE_GIVEN_UP, begun).catch(() => {})
  }
}

function hasOwnLease(run: Run): boolean {
  return run.job.expiresAt !== null
}

function leaseLost(): JobAborted {
  return new JobAborted('lease_lost')
}
