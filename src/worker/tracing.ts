/** What a worker tells of an attempt to whoever makes traces of it (src/telemetry/traces.ts does). None of it may throw. */
import type { ClaimedJob } from '../domain/port.js'

export interface AttemptTracer {
  /** The handler is about to begin; undefined: nobody listens, and nothing more is said of this attempt. */
  begin(job: ClaimedJob, queue: string, worker: string): AttemptTrace | undefined
}

export interface AttemptTrace {
  readonly traceId: string
  /** Runs the handler so that what it calls belongs to this trace. */
  within<T>(run: () => T): T
  /** The handler is through. */
  ended(outcome: string, error: unknown): void
  /** The database has answered, or will not be asked. */
  settled(accepted: boolean, state: string | null): void
}
