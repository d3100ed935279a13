/** Something outside the database that tells workers which jobs to claim. What it says is only a hint; the claim decides. */
import type { ClaimAsk, ClaimedJob, JobAttempt, Wakeups } from '../domain/port.js'
import type { Store } from './store.js'

export interface Trigger {
  /** What queues have as their `externalTrigger`. */
  readonly name: string
  /** What it did since it was made, by name; each only grows. For metrics. */
  counts(): Readonly<Record<string, number>>
  /** Begins to tell one worker. */
  attach(worker: TriggeredWorker): Promise<Triggering>
}

export interface TriggeredWorker {
  /** On connections of the worker's own. */
  readonly store: Store
  readonly tenant: string
  readonly queues: readonly string[]
  /** Jobs at the same time. */
  readonly slots: number
  /** How long the worker's own lease lasts without a sign of life. */
  readonly leaseMs: number
  /** How it hears of jobs that the trigger does not tell of; undefined where it only asks. */
  readonly wakeups: Wakeups | undefined
  readonly log: TriggerLog | undefined
}

export interface TriggerLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

export interface Triggering {
  readonly wakeups: Wakeups
  /** Claims what the worker was told of; now and then, and when nothing was said, as it would without a trigger. */
  claim(ask: ClaimAsk, otherwise: (ask: ClaimAsk) => Promise<ClaimedJob[]>): Promise<ClaimedJob[]>
  /** The only attempts, of those claimed longer ago than this, that the worker still knows of. */
  keep(known: readonly JobAttempt[], olderThanMs: number): void
  /** An attempt is over, and the database has been told. */
  ended(ended: { readonly jobId: number; readonly attempt: number; readonly accepted: boolean }): void
  /** Listens no more, and gives back what was heard and not begun. */
  stop(): Promise<void>
  /** After `stop`, when nothing runs any more. */
  close(): Promise<void>
}
