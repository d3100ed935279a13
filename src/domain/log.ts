/** The logger that every part of the package writes to, and the record of an ended attempt, its most frequent line. */
import type { State } from './states/states.js'

/** `event` is a stable name in snake_case, to filter and alert on; docs/logs.md lists all of them. The message may be reworded. */
export interface LogFields {
  readonly event: string
  readonly [field: string]: unknown
}

/** A pino logger satisfies it. */
export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  /** False: lines of this level are dropped, so their fields need not be built. */
  isLevelEnabled?(level: string): boolean
  /** Receives ended attempts as objects, in place of a line for each. */
  attempt?(ended: EndedAttempt): void
}

export interface EndedAttempt {
  readonly jobId: number
  readonly attempt: number
  readonly kind: string
  readonly queueId: number
  readonly queue: string
  readonly worker: string
  /** Failures of earlier attempts: 0 for the first try. */
  readonly retry: number
  readonly outcome: string
  /** False: the lease was lost, and nothing was written. */
  readonly accepted: boolean
  /** The job's state after the attempt; null when nothing was written. */
  readonly state: State | null
  /** When the job is retried, by the database's clock. */
  readonly dueAt: Date | null
  readonly ranMs: number
  /** How long the job was ready before it started; null where unknown, because it was in another state before. */
  readonly waitedMs: number | null
  /** Why the attempt did not succeed: the error's message or the given reason; null without one. */
  readonly reason: string | null
  /** Null when the attempt belongs to no trace. */
  readonly traceId: string | null
}
