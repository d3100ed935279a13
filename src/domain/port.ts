/**
 * What a worker needs of the engine, and nothing more: the store implements it, and so can a client over HTTP; the worker rests on
 * these words alone. Every write carries the fence of its claim; a write that no longer holds it changes nothing and says so.
 */
import type { LeaseLost } from './errors.js'
import type { Outcome, State } from './states.js'

/** One attempt of a job. Notifications name attempts: a job may come back to the same worker as another one. */
export interface JobAttempt {
  readonly jobId: number
  readonly attempt: number
}

/** An attempt as a key of maps and sets. */
export function attemptName({ jobId, attempt }: JobAttempt): string {
  return `${jobId} ${attempt}`
}

/** The fence of a claim: only this very claim may write to the job. */
export interface Fence extends JobAttempt {
  readonly lease: number
}

export interface ClaimedJob extends Fence {
  /** When the job's own lease ends; null when it is under the worker's lease. */
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
  readonly targetCount: number | null
  readonly trace: string | null
  readonly priority: number
  readonly failures: number
  readonly losses: number
  readonly interruptions: number
  /** Where it stood in the order: its level, and whether it had never been anywhere else. A claim by id does not say. */
  readonly level?: number
  readonly fresh?: boolean
  /** What earlier attempts reported; null when there were none or they said nothing. */
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
  /** False: the lease was lost and nothing was written; `error` says so as a typed error. */
  readonly accepted: boolean
  readonly state: State | null
  readonly dueAt: Date | null
  readonly error: LeaseLost | null
}

export interface Renewed {
  readonly lease: number
  /** False: closed, or ended by a sweep. All its jobs are to be stopped. */
  readonly alive: boolean
  readonly expiresAt: Date | null
  /** Attempts somebody wants stopped; answered until they have ended. */
  readonly cancel: readonly JobAttempt[]
  /** Attempts that an operator ended; answered until a later renewal acknowledges them. */
  readonly revoked: readonly JobAttempt[]
}

export interface RenewOptions {
  /** Revoked attempts of earlier answers: they need not be answered again. */
  readonly seen?: readonly JobAttempt[] | undefined
  /** Not answered within this time, the renewal fails, and its connection is given up. */
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

/** What a worker says when it is through with a job. */
export interface Ending extends Fence {
  readonly outcome: Outcome
  /** How long ago the handler began; the database turns it into its own time. */
  readonly startedAgoMs?: number
  readonly result?: unknown
  readonly reason?: string
  readonly error?: unknown
  readonly log?: string
  /** False: do not try again, whatever the policy allows. */
  readonly retryable?: boolean
  /** With `snoozed`: how long to wait. */
  readonly delayMs?: number
  /** With `released`: false when the handler was never called, so that nothing was interrupted. */
  readonly began?: boolean
}

/** What a worker says of a job it is still at. */
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
   * Rises with every report of an attempt, each sent when the one before was answered: by it a report sent again is known. Without it two
   * equal reports in a row are taken for one.
   */
  readonly seq?: number
}

/** Which jobs a worker wants: up to `limit` of these queues, under its open lease. */
export interface ClaimAsk {
  readonly worker: string
  readonly lease: number
  readonly queues: readonly string[]
  readonly tenant?: string
  readonly limit: number
  /** Jobs were found beside this call, which the next one hands out: do not wait with it. */
  readonly found?: () => void
}

/** Who a worker is and how it is. */
export interface Presence {
  readonly worker: string
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly kinds: readonly string[]
  readonly queues: readonly string[]
  readonly tenant: string
  readonly slots: number
  readonly busy: number
  /** How late the main thread is: busy and dead are different facts. */
  readonly lagMs: number
  readonly draining: boolean
}

/** A group of workers has changed its size. */
export interface ScaleDecision {
  readonly group: string
  readonly tenant: string
  readonly from: number
  readonly to: number
  /** Due, unclaimed jobs it saw. */
  readonly depth: number
  readonly reason: 'depth' | 'wait'
}

export interface WorkPort {
  openLease(worker: string, leaseMs: number): Promise<{ lease: number; expiresAt: Date }>
  claim(ask: ClaimAsk): Promise<ClaimedJob[]>
  /** Answers those that are noted as begun, now or before. What is missing is not held any more, or locked: then send it again later. */
  start(fences: readonly (Fence & { startedAgoMs?: number })[]): Promise<JobAttempt[]>
  renew(leases: readonly number[], options?: RenewOptions): Promise<Renewed[]>
  report(report: Report): Promise<Reported>
  finish(endings: readonly Ending[]): Promise<Ended[]>
  /**
   * Releases, uncharged, what the lease holds and its worker does not know of: the claim whose reply was lost. `olderThanMs`
   * protects claims in flight.
   */
  keep(lease: number, known: readonly JobAttempt[], olderThanMs: number): Promise<number>
  closeLease(lease: number, reason?: string): Promise<number>
  /** Presence; the answer says whether somebody asked this worker to drain. */
  beat(presence: Presence): Promise<{ drain: boolean }>
  leave(worker: string): Promise<void>
  /** A worker that knows these kinds has come: parked jobs of them go back to work. Bounded; answers how many. */
  unpark(queues: readonly string[], kinds: readonly string[], tenant?: string): Promise<number>
  /** Due, unclaimed jobs of these queues, counted up to `most`. */
  depth(queues: readonly string[], most: number, tenant?: string): Promise<number>
  /** Keeps the decision for whoever asks later; `worker` is who took it. */
  noteScale(worker: string, decision: ScaleDecision): Promise<void>
  /** How often a connection to the database has broken; missing where that cannot be seen from here, and a claim has to tell. */
  breaks?(): number
  /** The name of a queue that this port has claimed from. */
  queueName?(queueId: number): string | undefined
}

/** Wakes claimers up; losing or repeating a wake-up changes nothing. */
export interface Wakeups {
  on(queues: readonly string[], wake: () => void): () => void
  readonly active: boolean
}
