/** The options, statistics and interface of a worker. */
import type { EndedAttempt, Log } from '../domain/log.js'
import type { MeasurementSink } from '../domain/measure.js'
import type { ClaimedJob, Presence, Wakeups, WorkPort } from '../domain/port.js'
import type { ContextExtras, HandlerTable } from './handlers.js'
import type { HeartbeatHost } from './heartbeat/heartbeat-host.js'

export type { EndedAttempt } from '../domain/log.js'

/** A module exporting `openPort(options)`, imported by the heartbeat thread for a connection of its own. */
export interface HeartbeatModule {
  readonly module: string
  readonly options: unknown
}

export interface WorkerOptions {
  readonly port: WorkPort
  readonly jobs: HandlerTable
  readonly queues: readonly string[]
  readonly tenant?: string
  /** How many jobs run at the same time. */
  readonly concurrency?: number
  /** The worker's name in the attempts; by default host, process id and a random suffix. */
  readonly name?: string
  readonly version?: string
  /** Of the program that runs the worker. */
  readonly appVersion?: string
  readonly wakeups?: Wakeups
  /** A thread by default, so that a busy main thread keeps its leases; `inline` for this thread; or a host shared by several workers. */
  readonly heartbeat?: HeartbeatModule | 'inline' | HeartbeatHost
  readonly leaseMs?: number
  readonly heartbeatMs?: number
  readonly pollMs?: number
  /** The longest poll interval while wake-ups work. */
  readonly longestPollMs?: number
  /** How long a drain waits for running jobs before it aborts them. */
  readonly graceMs?: number
  /** How long a handler may take to settle after an abort before its slot is freed. */
  readonly abortMs?: number
  /** After a lost response of a claim, how long until its jobs are released. Must be longer than any claim may take. */
  readonly lostClaimMs?: number
  readonly extras?: ContextExtras
  readonly log?: Log
  /** Called for each ended attempt, after the database has accepted or refused the outcome. Must not throw. */
  readonly onEnded?: (ended: EndedAttempt) => void
  /** Receives what handlers measure with `ctx.measure`. Must not throw. */
  readonly onMeasured?: MeasurementSink
  /** Traces attempts; without it tracing costs nothing. */
  readonly tracer?: AttemptTracer
  /** Called when an operator asked this worker, through the database, to drain. Without it the worker drains by itself. */
  readonly onDrainAsked?: () => void
}

/** The options with defaults filled in. */
export type ResolvedWorkerOptions = WorkerOptions &
  Required<
    Pick<
      WorkerOptions,
      | 'concurrency'
      | 'tenant'
      | 'version'
      | 'leaseMs'
      | 'pollMs'
      | 'longestPollMs'
      | 'graceMs'
      | 'abortMs'
      | 'lostClaimMs'
      | 'extras'
    >
  >

export interface WorkerStats {
  readonly state: 'new' | 'working' | 'draining' | 'stopped'
  readonly lease: number | null
  readonly slots: number
  readonly busy: number
  readonly buffered: number
  /** Outcomes not written yet. */
  readonly unwritten: number
  readonly claimed: number
  readonly outcomes: Readonly<Record<string, number>>
  /** Outcomes refused because the lease was lost. */
  readonly refused: number
  /** Leases lost, to a sweep or by self-fencing. */
  readonly leasesLost: number
  /** Handlers that did not settle after their abort and still run, without a slot. */
  readonly leaked: number
  /** A moving average of handler durations. */
  readonly meanRunMs: number
  readonly claims: number
  readonly lagMs: number
  /** Running jobs by kind. */
  readonly running: Readonly<Record<string, number>>
}

export interface Drained {
  /** All jobs settled within the grace period. */
  readonly clean: boolean
  /** Jobs released. */
  readonly released: number
  /** Outcomes that could not be written; their leases expire. */
  readonly unwritten: number
}

export interface Worker {
  readonly name: string
  /** Resolves when the worker has its lease and claims jobs. */
  start(): Promise<void>
  /** Stops claiming, waits `graceMs` for running jobs, then aborts and releases them. A second call releases at once. */
  drain(reason?: string, options?: { graceMs?: number }): Promise<Drained>
  /** Aborts and releases everything now. */
  stop(): Promise<Drained>
  /** Resolves when the worker has stopped, by `drain`, by `stop`, or by an operator's drain request. */
  readonly stopped: Promise<Drained>
  /** Resolves when no job runs, every outcome is written and there is nothing to claim. */
  idle(): Promise<void>
  /** Fewer slots never end a running job. */
  setConcurrency(slots: number): void
  stats(): WorkerStats
}

export type PresenceFacts = Pick<
  Presence,
  'worker' | 'host' | 'pid' | 'version' | 'appVersion' | 'kinds' | 'queues' | 'tenant'
>

/** Creates the trace of an attempt (src/telemetry/traces.ts does). No method may throw. */
export interface AttemptTracer {
  /** Called before the handler; undefined: tracing is off, and nothing more is called for this attempt. */
  begin(job: ClaimedJob, queue: string, worker: string): AttemptTrace | undefined
}

export interface AttemptTrace {
  readonly traceId: string
  /** Runs the handler in the context of this trace. */
  within<T>(run: () => T): T
  /** The handler has returned or thrown. */
  ended(outcome: string, error: unknown): void
  /** The database has answered the finish, or will not be called. */
  settled(accepted: boolean, state: string | null): void
}
