/**
 * The interface between a worker and the engine, in three parts: claims, leases and presence. The store implements it on the database, the
 * client over HTTP; a worker uses nothing else. Every write carries the fence of its claim. A write whose lease was lost changes
 * nothing, and its answer reports that.
 */
import type { LeaseLost } from './errors/errors.js'
import type { Outcome, State } from './states/states.js'

/** One attempt of a job. Notifications name attempts, because the same worker may claim a job again as its next attempt. */
export interface JobAttempt {
  readonly jobId: number
  readonly attempt: number
}

/** An attempt as a key of maps and sets. */
export function attemptName({ jobId, attempt }: JobAttempt): string {
  return `${jobId} ${attempt}`
}

/** The fence of a claim: the database accepts writes to the job only with all three numbers of the current claim. */
export interface Fence extends JobAttempt {
  readonly lease: number
}

export interface ClaimedJob extends Fence {
  /** When the job's own lease ends; null when the worker's lease covers the job. */
  readonly expiresAt: Date | null
  readonly queueId: number
  readonly kind: string
  readonly input: unknown
  readonly key: string | null
  readonly target: string | null
  readonly subject: string | null
  readonly createdAt: Date
  readonly timeoutMs: number | null
  readonly tokenLimit: number | null
  readonly itemGoal: number | null
  readonly trace: string | null
  readonly priority: number
  readonly failures: number
  readonly losses: number
  readonly interruptions: number
  /** Its position in the order of the queue, and whether it was ready since it was enqueued. Missing in claims by id. */
  readonly level?: number
  readonly fresh?: boolean
  /** The database counts the job as not started until the worker calls `start`. */
  readonly unstarted?: boolean | undefined
  /** What earlier attempts reported; null when none did. */
  readonly progress: Progress | null
}

export interface Progress {
  readonly cursor: unknown
  readonly progress: unknown
  readonly progressCount: number
  readonly resultCount: number
  readonly tokensUsed: number
  readonly lastProgressAt: Date
}

export interface Ended extends Omit<Fence, 'lease'> {
  /** False: the lease was lost and nothing was written; `error` is the typed error for it. */
  readonly accepted: boolean
  readonly state: State | null
  readonly dueAt: Date | null
  readonly error: LeaseLost | null
}

export interface Renewed {
  readonly lease: number
  /** False: the lease was closed, or a sweep ended it. The worker must stop all its jobs. */
  readonly alive: boolean
  readonly expiresAt: Date | null
  /** Attempts with a cancel request; every renewal lists them until they have ended. */
  readonly cancel: readonly JobAttempt[]
  /** Attempts that an operator ended; every renewal lists them until one acknowledges them in `seen`. */
  readonly revoked: readonly JobAttempt[]
}

export interface RenewOptions {
  /** Acknowledges revoked attempts of earlier answers, so that they are not listed again. */
  readonly seen?: readonly JobAttempt[] | undefined
  /** A renewal without an answer after this time fails, and its connection is closed. */
  readonly deadlineMs?: number
}

export interface Reported {
  readonly done: boolean
  readonly doneReason: string | null
  readonly newItems: number
  readonly duplicateItems: number
  readonly progressCount: number
  readonly resultCount: number
  readonly tokensUsed: number
  readonly tokenLimit: number | null
  readonly cancelRequested: boolean
  readonly expiresAt: Date | null
}

/** How an attempt ended, as the worker reports it. */
export interface Ending extends Fence {
  readonly outcome: Outcome
  /** How long ago the handler began; the database turns it into its own time. */
  readonly startedAgoMs?: number
  readonly result?: unknown
  readonly reason?: string
  readonly error?: unknown
  readonly log?: string
  /** False: do not retry, even if the policy allows it. */
  readonly retryable?: boolean
  /** With `snoozed`: how long to wait. */
  readonly delayMs?: number
  /** With `released`: false when the handler was never called, so the attempt does not count as interrupted. */
  readonly started?: boolean
}

/** Progress of a running job. */
export interface Report extends Fence {
  readonly items?: readonly unknown[]
  readonly cursor?: unknown
  readonly progress?: unknown
  readonly tokens?: number
  readonly extendMs?: number
  readonly done?: boolean
  readonly doneReason?: string
  readonly result?: unknown
  /**
   * Identifies a repeated report: it rises by one with every report of an attempt, and the next report is sent only after the answer to the
   * last. Without it, two equal reports in a row count as one.
   */
  readonly seq?: number
}

/** What a running job has logged since it last did. */
export interface LoggedLines extends Fence {
  readonly text: string
}

/** A claim: up to `limit` jobs of these queues, under the worker's open lease. */
export interface ClaimAsk {
  readonly worker: string
  readonly lease: number
  readonly queues: readonly string[]
  readonly tenant?: string
  readonly limit: number
  /**
   * How many of the claimed jobs start at once. The others are returned as `unstarted`, and the worker calls `start` before it runs them. If
   * omitted, all claimed jobs count as started. A job that returns without having started is not charged with an attempt, not paused,
   * and not suspected of killing its worker.
   */
  readonly startNow?: number
  /** Recent jobs were short: mark a job as unstarted only where an interruption would have consequences. */
  readonly eager?: boolean
  /** Called when the claim saw more jobs than it returned, so that the worker claims again without waiting. */
  readonly found?: () => void
}

/** What a heartbeat reports of a worker: its identity, its queues and its load. */
export interface Presence {
  readonly worker: string
  readonly host: string
  readonly pid: number
  /** Of Holdfast. */
  readonly version: string
  /** Of the program; attempts are counted by it. */
  readonly appVersion?: string | null
  readonly kinds: readonly string[]
  readonly queues: readonly string[]
  readonly tenant: string
  readonly slots: number
  readonly busy: number
  /** How late the main thread's timers fire. Separates a busy worker from a dead one. */
  readonly lagMs: number
  readonly draining: boolean
}

/** A worker group changed its size. */
export interface ScaleDecision {
  readonly group: string
  readonly tenant: string
  readonly from: number
  readonly to: number
  /** Due, unclaimed jobs when the decision was made. */
  readonly depth: number
  readonly reason: 'depth' | 'wait'
}

/** Claims jobs, saves their progress and ends their attempts. */
export interface ClaimPort {
  claim(ask: ClaimAsk): Promise<ClaimedJob[]>
  /** Marks jobs as started; returns those that are, now or before. A missing one is no longer held, or its row is locked: send it again. */
  start(fences: readonly (Fence & { startedAgoMs?: number })[]): Promise<JobAttempt[]>
  report(report: Report): Promise<Reported>
  finish(endings: readonly Ending[]): Promise<Ended[]>
  /** Shows lines that running jobs have logged; returns of how many jobs. Missing where no one could read them. */
  logLines?(lines: readonly LoggedLines[]): Promise<number>
  /** Whether a claim could find a job now or soon, or the worker still holds one. Missing where only a claim can find out. */
  hasWork?(ask: Pick<ClaimAsk, 'worker' | 'lease' | 'queues' | 'tenant'>): Promise<boolean>
  /** The name of a queue that this port has claimed from. */
  queueName?(queueId: number): string | undefined
}

/** The reason with which a worker closes a lease that it could not renew: as for any reason but a shutdown, what had begun under it is lost. */
export const LEASE_GIVEN_UP = 'lease given up'

/** Opens, renews and closes leases. */
export interface LeasePort {
  openLease(worker: string, leaseMs: number): Promise<{ lease: number; expiresAt: Date }>
  renew(leases: readonly number[], options?: RenewOptions): Promise<Renewed[]>
  /**
   * Releases, uncharged, the jobs under the lease that the worker does not list: those of a claim whose response was lost. `olderThanMs`
   * protects claims in flight.
   */
  releaseUnlisted(lease: number, known: readonly JobAttempt[], olderThanMs: number): Promise<number>
  /**
   * Closes a lease. `begun` lists the jobs that had started; if omitted, the marks in the database decide. At a `shutdown`, which is the
   * default, they are released uncharged, or paused where the queue says so; for any other reason they are lost. The others are released.
   */
  closeLease(lease: number, reason?: string, started?: readonly number[]): Promise<number>
  /** How often a connection to the database has broken. Missing where the port cannot see that; then a refused claim shows it. */
  breaks?(): number
}

/** Registers workers and serves what depends on which workers exist. */
export interface PresencePort {
  /** The answer contains a pending drain request for this worker. */
  heartbeat(presence: Presence): Promise<{ drain: boolean }>
  removeWorker(worker: string): Promise<void>
  /** Returns parked jobs of kinds that this worker handles to their queues, a bounded number a call. Returns how many. */
  unpark(queues: readonly string[], kinds: readonly string[], tenant?: string): Promise<number>
  /** Due, unclaimed jobs of these queues, counted up to `countMax`. */
  depth(queues: readonly string[], countMax: number, tenant?: string): Promise<number>
  /** Records a scaling decision; `worker` made it. */
  recordScale(worker: string, decision: ScaleDecision): Promise<void>
}

export type WorkPort = ClaimPort & LeasePort & PresencePort

/** Wakes claimers when jobs arrive. Losing or repeating a wake-up changes nothing. */
export interface Wakeups {
  on(queues: readonly string[], wake: () => void): () => void
  readonly active: boolean
}
