/** The interface of an external trigger, such as SQS, which names jobs for workers to claim. Its messages are hints; the claim decides. */
import type { Log } from '../../domain/log.js'
import type { ClaimAsk, ClaimedJob, JobAttempt, Wakeups } from '../../domain/port.js'
import type { Store } from '../store.js'

export interface Trigger {
  /** The name that queues have as their `externalTrigger`. */
  readonly name: string
  /** Counters since it was created, by name, for metrics. */
  counts(): Readonly<Record<string, number>>
  /** Starts to serve one worker. */
  attach(worker: TriggeredWorker): Promise<Triggering>
}

export interface TriggeredWorker {
  /** On the worker's own connections. */
  readonly store: Store
  readonly tenant: string
  readonly queues: readonly string[]
  /** How many jobs run at once. */
  readonly slots: number
  /** How long the worker's lease lasts without a heartbeat. */
  readonly leaseMs: number
  /** Wakes the worker for jobs that the trigger does not name; undefined where it only polls. */
  readonly wakeups: Wakeups | undefined
  readonly log: Log | undefined
}

export interface Triggering {
  readonly wakeups: Wakeups
  /** Claims the jobs that messages named; now and then, and when there are none, claims as a worker without a trigger does. */
  claim(ask: ClaimAsk, otherwise: (ask: ClaimAsk) => Promise<ClaimedJob[]>): Promise<ClaimedJob[]>
  /** The attempts that the worker still holds, of those claimed longer ago than this. */
  keep(known: readonly JobAttempt[], olderThanMs: number): void
  /** An attempt has ended and is finished in the database. */
  ended(ended: { readonly jobId: number; readonly attempt: number; readonly accepted: boolean }): void
  /** Stops receiving, and returns messages whose job has not started. */
  stop(): Promise<void>
  /** After `stop`, when no job runs any more. */
  close(): Promise<void>
}
