/**
 * Watches over the leases of a worker. A lease is lost when the database says so, or when no renewal has gone through for so long that
 * it may be: then everything under it is aborted before its time is over (self-fencing), nothing more of it is written, and a new
 * lease is taken. What had ended before is still sent: it ended while the lease held, and the fence in the database decides.
 *
 * A lease is retired when a connection broke: the database behind the next one may have forgotten claims under it, and would hand them out
 * again with the same fence. Claims go on under a new lease; the retired one is renewed until its jobs have ended, and then closed, which
 * also gives back what a claim took whose answer was lost.
 */
import { attemptName, type ClaimedJob } from '../domain/port.js'
import type { Flow } from './flow.js'
import type { Member, Told } from './heart.js'
import type { Heartbeat, HeartbeatHost } from './heartbeat.js'
import { LeaseHolder } from './lease.js'
import { JobAborted } from './outcomes.js'
import { type Pulse, sharedNow } from './pulse.js'
import type { Run } from './run.js'
import { lookForRuns } from './still-held.js'
import { within } from './within.js'
import type { WorkerOptions } from './worker-options.js'

export interface GuardParts {
  readonly port: WorkerOptions['port']
  readonly log: WorkerOptions['log']
  readonly worker: string
  readonly leaseMs: number
  readonly pulse: Pulse
  readonly flow: Flow
  drainAsked(): void
}

export class Guard {
  readonly #parts: GuardParts
  readonly #lease: LeaseHolder
  /** After so long without a renewal the lease may end before the next one. */
  readonly #fenceMs: number
  #heartbeat: Heartbeat | undefined
  /** Leases of jobs' own, as the heartbeat was last told. */
  #own: number[] = []
  readonly #retired = new Set<number>()
  /** Broken connections that have been dealt with. */
  #breaks: number | undefined

  constructor(parts: GuardParts) {
    const { port, worker, leaseMs, pulse, log } = parts
    this.#parts = parts
    this.#breaks = port.breaks?.()
    this.#fenceMs = leaseMs - Math.min(Math.max(1_000, leaseMs / 5), leaseMs / 2)
    this.#lease = new LeaseHolder({
      port,
      worker,
      leaseMs,
      opened: (_lease, sentAt, before) => {
        if (before !== null) this.#keepRetired(before)
        // One time stands for all of them: that of the lease renewed longest ago.
        pulse.renewedAt = this.#retired.size === 0 ? sentAt : Math.min(pulse.renewedAt, sentAt)
        this.#hold()
        parts.flow.claimer.nudge()
      },
      failed: (error) => log?.warn({ error: (error as Error).message }, 'no lease can be had'),
    })
  }

  get lease(): number | null {
    return this.#lease.current
  }

  /** The one to claim under. */
  get claimable(): number | null {
    return this.#lease.claimable
  }

  /** Every lease that jobs of this worker may be under. */
  get leases(): readonly number[] {
    return this.lease === null ? [...this.#retired] : [this.lease, ...this.#retired]
  }

  get leasesLost(): number {
    return this.#lease.lost
  }

  open(): Promise<void> {
    return this.#lease.open()
  }

  /** Until when a lease of a job's own lasts. */
  ownUntil(expiresAt: Date | null): number {
    return expiresAt === null ? Number.POSITIVE_INFINITY : this.#lease.here(expiresAt)
  }

  /** A process that stood still learns late that its lease is over: a reply or a free slot may come before the tick that would tell. */
  mayBegin({ expiresAt }: ClaimedJob): boolean {
    const now = sharedNow()
    return expiresAt === null
      ? now - this.#parts.pulse.renewedAt <= this.#fenceMs
      : now < this.ownUntil(expiresAt)
  }

  join(host: HeartbeatHost, member: Omit<Member, 'id' | 'lease' | 'own'>): void {
    this.#heartbeat = host.join({ ...member, lease: this.lease, own: [] }, (told) => this.#told(told))
  }

  /** Several times a second. */
  tick(): void {
    const now = sharedNow()
    const { pulse, flow } = this.#parts
    const { executor } = flow
    pulse.tick()
    this.#lookForBreaks()
    if (now - pulse.renewedAt > this.#fenceMs)
      for (const lease of this.leases) this.lose(lease, 'not renewed in time')
    for (const lease of this.#retired) if (!flow.isUnder(lease)) void this.#close(lease)
    executor.abortAll((run) => run.ownUntil <= now && !run.lost, leaseLost)
    const own = [...executor.runs].filter(hasOwnLease).map(({ job }) => job.lease)
    if (own.length !== this.#own.length || own.some((lease, index) => lease !== this.#own[index])) {
      this.#own = own
      this.#hold()
    }
  }

  lose(lease: number, why: string): void {
    if (!this.#retired.delete(lease) && !this.#lease.lose(lease)) return
    const { log, flow } = this.#parts
    const { executor, buffer } = flow
    const unbegun = buffer.drop((job) => job.lease === lease)
    const begun = flow.begunIds(lease)
    const running = executor.abortAll((run) => run.job.lease === lease, leaseLost)
    log?.warn({ lease, why, running, unbegun: unbegun.length }, 'the lease is lost')
    this.#hold()
    flow.pump()
    void this.#giveBack(lease, begun)
    this.#lease.reopen()
  }

  /** A connection broke: no more claims under this lease. */
  retire(lease: number): void {
    if (!this.#lease.retire(lease)) return
    this.#parts.log?.info({ lease }, 'a connection broke: claims go on under a new lease')
    this.#lease.reopen()
  }

  /** Gives back what the leases still hold, and takes no new one; answers how many jobs that were. Waits for it no longer than `ms`. */
  async close(ms: number): Promise<number> {
    const { port, log, flow } = this.#parts
    const { leases } = this
    this.#lease.stop()
    this.#retired.clear()
    // From here on their end is no news.
    this.#hold()
    let released = 0
    const closing = leases.map(async (lease) => {
      try {
        released += await port.closeLease(lease, 'shutdown', flow.begunIds(lease))
      } catch (error) {
        log?.warn({ error: (error as Error).message }, 'the lease could not be closed and will run out')
      }
    })
    const inTime = await within(ms, Promise.all([...closing, this.#heartbeat?.leave()]))
    if (!inTime) log?.warn({ leases }, 'the database does not answer; the leases will run out')
    return released
  }

  #hold(): void {
    this.#heartbeat?.hold(this.lease, [...this.#own, ...this.#retired])
  }

  /** Also while there is no room for a claim that would be refused. */
  #lookForBreaks(): void {
    const breaks = this.#parts.port.breaks?.()
    if (breaks === this.#breaks) return
    this.#breaks = breaks
    if (this.lease !== null) this.retire(this.lease)
  }

  #keepRetired(lease: number): void {
    const { port, flow, log } = this.#parts
    this.#retired.add(lease)
    void lookForRuns({
      port,
      lease,
      runs: () => flow.executor.runs,
      waits: () => flow.buffer.list().some((job) => job.lease === lease),
      isOver: () => !this.#retired.has(lease),
      giveUp: (run) => {
        log?.warn({ lease, job: run.job.jobId }, 'the database has forgotten a claim; its handler is stopped')
        flow.executor.abort(run, leaseLost())
      },
    })
  }

  /**
   * A retired lease whose jobs have ended. Not ours from here on, so that nothing begins that the database is just giving back; if it
   * cannot be closed it is renewed, and tried again.
   */
  async #close(lease: number): Promise<void> {
    this.#retired.delete(lease)
    this.#hold()
    const { port } = this.#parts
    try {
      // What a claim took whose answer was lost. Nothing else is under it, and no claim can take more once it is closed.
      await port.keep(lease, [], 0)
      await port.closeLease(lease, 'connection broke', [])
    } catch {
      this.#retired.add(lease)
    }
  }

  #told({ cancel, revoked, lost, own, at, drain, problem }: Told): void {
    const { log, flow, drainAsked } = this.#parts
    const { executor, buffer } = flow
    if (problem !== null) log?.warn({ error: problem }, 'a heartbeat failed')
    if (cancel.length > 0) {
      const asked = new Set(cancel.map(attemptName))
      const isAsked = (job: ClaimedJob) => asked.has(attemptName(job))
      executor.abortAll(
        ({ job }) => isAsked(job),
        () => new JobAborted('cancel'),
      )
      for (const job of buffer.drop(isAsked)) flow.endUnbegun(job, { outcome: 'canceled', details: {} })
    }
    if (lost.length > 0 || revoked.length > 0) {
      const taken = new Set(revoked.map(attemptName))
      const isGone = (job: ClaimedJob) => lost.includes(job.lease) || taken.has(attemptName(job))
      executor.abortAll(({ job }) => isGone(job), leaseLost)
      buffer.drop(isGone)
    }
    for (const lease of this.leases) if (lost.includes(lease)) this.lose(lease, 'swept')
    const left = new Map(own)
    for (const run of executor.runs) {
      const ms = hasOwnLease(run) ? left.get(run.job.lease) : undefined
      if (ms !== undefined) run.ownUntil = Math.max(run.ownUntil, at + ms)
    }
    if (drain) drainAsked()
  }

  /** Perhaps the lease still lives, and we only could not renew it: then its jobs need not wait for its end. */
  async #giveBack(lease: number, begun: readonly number[]): Promise<void> {
    const { flow, port } = this.#parts
    const { executor, finisher } = flow
    await executor.none((run) => run.job.lease === lease)
    await finisher.none(({ job }) => job.lease === lease)
    await port.closeLease(lease, 'lease given up', begun).catch(() => {})
  }
}

function hasOwnLease(run: Run): boolean {
  return run.job.expiresAt !== null
}

function leaseLost(): JobAborted {
  return new JobAborted('lease_lost')
}
