/**
 * Renews leases and registers workers, on a timer. It runs in a thread with its own connection, or in the main thread where there is only
 * one connection. Each heartbeat first renews the leases and passes on the answer at once: canceled or revoked attempts, lost leases.
 * Then it sends what is only information, which jobs have started and the worker's presence, so that no renewal waits for that. The loop
 * decides nothing: the worker sees in shared memory when the last renewal succeeded, and judges a silence itself.
 */
import {
  attemptName,
  type ClaimPort,
  type Fence,
  type JobAttempt,
  type LeasePort,
  type PresencePort,
  type Renewed,
} from '../../domain/port.js'
import type { PresenceFacts } from '../worker-options.js'
import { SharedVitals, sharedNow } from './shared-vitals.js'

/** What the heartbeat thread calls: 4 methods of the worker's 16. */
export type HeartbeatPort = Pick<LeasePort, 'renew'> &
  Pick<ClaimPort, 'start'> &
  Pick<PresencePort, 'heartbeat' | 'removeWorker'>

/** A worker, as the heartbeat sees it. */
export interface HeartbeatMember {
  readonly id: number
  readonly facts: PresenceFacts
  readonly leaseMs: number
  readonly heartbeatMs: number
  readonly vitals: SharedArrayBuffer
  /** The worker's lease, and those of jobs that have their own. */
  lease: number | null
  jobLeases: number[]
}

/** What a heartbeat learned. Sent only when there is something to pass on. */
export interface HeartbeatNews {
  readonly cancel: readonly JobAttempt[]
  readonly revoked: readonly JobAttempt[]
  /** Leases that have ended. */
  readonly lost: readonly number[]
  /** Leases of single jobs, with the milliseconds left after `at`. */
  readonly jobLeases: readonly (readonly [lease: number, leftMs: number])[]
  readonly at: number
  readonly drain: boolean
  readonly problem: string | null
}

const NO_NEWS = { cancel: [], revoked: [], lost: [], jobLeases: [], drain: false, problem: null }

/** A renewal that hangs does not keep the next from trying, on another connection. */
const RENEWALS_IN_FLIGHT = 2
/** A renewal is aborted after this fraction of the lease, so that one on a new connection still succeeds in time. */
const RENEWAL_SHARE = 3
const RENEWAL_MAX_MS = 10_000

interface MemberState {
  readonly member: HeartbeatMember
  readonly vitals: SharedVitals
  /** The attempt last marked as started, by row of the vitals. */
  readonly marked: Map<number, string>
  /** Revoked attempts that were passed on, until a renewal that acknowledges them is answered. */
  readonly seen: Map<string, JobAttempt>
  readonly timer: NodeJS.Timeout
  readonly renewals: Set<Promise<void>>
  /** One at a time, so that a slow call holds one connection only. */
  sending: Promise<void> | null
}

export class HeartbeatLoop {
  readonly #port: HeartbeatPort
  readonly #onNews: (id: number, news: HeartbeatNews) => void
  readonly #members = new Map<number, MemberState>()

  constructor(port: HeartbeatPort, onNews: (id: number, news: HeartbeatNews) => void) {
    this.#port = port
    this.#onNews = onNews
  }

  join(member: HeartbeatMember): void {
    const timer = setInterval(() => this.#heartbeat(member.id), member.heartbeatMs)
    this.#members.set(member.id, {
      member,
      vitals: new SharedVitals(member.vitals),
      marked: new Map(),
      seen: new Map(),
      timer,
      renewals: new Set(),
      sending: null,
    })
    this.#heartbeat(member.id)
  }

  update(id: number, lease: number | null, jobLeases: number[]): void {
    const state = this.#members.get(id)
    if (state === undefined) return
    state.member.lease = lease
    state.member.jobLeases = jobLeases
  }

  async leave(id: number): Promise<void> {
    const state = this.#members.get(id)
    if (state === undefined) return
    clearInterval(state.timer)
    this.#members.delete(id)
    await Promise.all([...state.renewals, state.sending])
    await this.#port.removeWorker(state.member.facts.worker)
  }

  #heartbeat(id: number): void {
    const state = this.#members.get(id)
    if (state === undefined || state.renewals.size >= RENEWALS_IN_FLIGHT) return
    const renewal = this.#renew(state).then((news) => {
      state.renewals.delete(renewal)
      this.#pass(id, news)
      if (news.problem === null && this.#members.has(id)) this.#sendInformation(state)
    })
    state.renewals.add(renewal)
  }

  async #renew({ member, vitals, seen }: MemberState): Promise<HeartbeatNews> {
    const at = sharedNow()
    const { lease, jobLeases, leaseMs } = member
    const leases = lease === null ? jobLeases : [lease, ...jobLeases]
    if (leases.length === 0) return { ...NO_NEWS, at }
    const acknowledged = [...seen]
    const options = {
      seen: acknowledged.map(([, attempt]) => attempt),
      deadlineMs: Math.min(RENEWAL_MAX_MS, Math.floor(leaseMs / RENEWAL_SHARE)),
    }
    try {
      const renewed = await this.#port.renew(leases, options)
      const workerLease = renewed.find((each) => each.lease === lease)
      // Not if the worker has another lease by now, which this call did not renew.
      if (workerLease?.alive === true && member.lease === lease)
        vitals.renewedAt = Math.max(vitals.renewedAt, at)
      for (const [name] of acknowledged) seen.delete(name)
      const others = renewed.filter((each) => each.alive && each !== workerLease)
      const news = {
        cancel: renewed.flatMap(({ cancel }) => cancel),
        revoked: renewed.flatMap(({ revoked }) => revoked),
        lost: renewed.filter((each) => !each.alive).map((each) => each.lease),
        jobLeases: others.map((each) => [each.lease, leftMs(each, workerLease, leaseMs)] as const),
      }
      for (const attempt of news.revoked) seen.set(attemptName(attempt), attempt)
      return { ...NO_NEWS, ...news, at }
    } catch (error) {
      return { ...NO_NEWS, at, problem: messageOf(error) }
    }
  }

  #pass(id: number, news: HeartbeatNews): void {
    if (this.#members.has(id) && isNews(news)) this.#onNews(id, news)
  }

  #sendInformation(state: MemberState): void {
    if (state.sending !== null) return
    const { id } = state.member
    const at = sharedNow()
    state.sending = this.#sendPresence(state)
      .then(
        (drain) => this.#pass(id, { ...NO_NEWS, at, drain }),
        (error) => this.#pass(id, { ...NO_NEWS, at, problem: messageOf(error) }),
      )
      .finally(() => {
        state.sending = null
      })
  }

  async #sendPresence(state: MemberState): Promise<boolean> {
    await this.#markStarted(state)
    const { member, vitals } = state
    const { busy, slots, lagMs, draining } = vitals
    return (await this.#port.heartbeat({ ...member.facts, busy, slots, lagMs, draining })).drain
  }

  /** An attempt missing in the answer has a locked row, or is no longer held: it is sent again for as long as it runs. */
  async #markStarted({ vitals, marked }: MemberState): Promise<void> {
    const now = sharedNow()
    const started: (Fence & { row: number; startedAgoMs: number })[] = []
    for (const { startedAt, ...job } of vitals.runningJobs()) {
      if (marked.get(job.row) !== attemptName(job)) started.push({ ...job, startedAgoMs: now - startedAt })
    }
    if (started.length === 0) return
    const fences = started.map(({ row: _row, ...fence }) => fence)
    const accepted = new Set((await this.#port.start(fences)).map(attemptName))
    for (const job of started) if (accepted.has(attemptName(job))) marked.set(job.row, attemptName(job))
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Computed from database times only: the worker's lease, renewed by the same call, gives the database's present time. */
function leftMs(renewed: Renewed, workerLease: Renewed | undefined, leaseMs: number): number {
  if (renewed.expiresAt === null || workerLease?.expiresAt == null) return Number.POSITIVE_INFINITY
  return renewed.expiresAt.getTime() - (workerLease.expiresAt.getTime() - leaseMs)
}

function isNews({ cancel, revoked, lost, jobLeases, drain, problem }: HeartbeatNews): boolean {
  return drain || problem !== null || cancel.length + revoked.length + lost.length + jobLeases.length > 0
}
