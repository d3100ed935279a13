/** What a worker is made of, and what it says of itself. */
import type { MeasurementSink } from '../domain/measure.js'
import type { Presence, Wakeups, WorkPort } from '../domain/port.js'
import type { State } from '../domain/states.js'
import type { ContextExtras, HandlerTable } from './handlers.js'
import type { HeartbeatHost } from './heartbeat.js'
import type { AttemptTracer } from './tracing.js'

/** As pino has it. */
export interface WorkerLog {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** False: lines of this level go nowhere, and need not be made. */
  isLevelEnabled?(level: string): boolean
  /** Takes ended attempts as they are, in place of a line for each. */
  attempt?(ended: EndedAttempt): void
}

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
  /** Jobs at the same time. */
  readonly concurrency?: number
  /** The worker's name in the attempts log; without one: host, process and a few random letters. */
  readonly name?: string
  readonly version?: string
  readonly wakeups?: Wakeups
  /** In a thread, so that a busy main thread keeps its leases; `inline` in this one; or one shared by several workers. */
  readonly heartbeat?: HeartbeatModule | 'inline' | HeartbeatHost
  readonly leaseMs?: number
  readonly heartbeatMs?: number
  readonly pollMs?: number
  /** How rarely to ask, at most, while somebody says when there are jobs. */
  readonly longestPollMs?: number
  /** How long a drain waits for running jobs before it aborts them. */
  readonly graceMs?: number
  /** How long a handler has to settle after its signal was aborted, before its slot is given to another. */
  readonly abortMs?: number
  /** How long to look for jobs claimed by a call whose answer was lost: longer than any claim and any call may take. */
  readonly doubtMs?: number
  readonly extras?: ContextExtras
  readonly log?: WorkerLog
  /** Each ended attempt, after the database has accepted or refused it. For metrics; must not throw. */
  readonly onEnded?: (ended: EndedAttempt) => void
  /** What handlers measure of the calls they make. For metrics; must not throw. */
  readonly onMeasured?: MeasurementSink
  /** Makes traces of attempts; without it nothing is traced and nothing is paid for it. */
  readonly tracer?: AttemptTracer
  /** Somebody asked this worker, through the database, to drain. Without it the worker drains by itself. */
  readonly onDrainAsked?: () => void
}

/** With what is not given filled in. */
export type SetOptions = WorkerOptions &
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
      | 'doubtMs'
      | 'extras'
    >
  >

export interface EndedAttempt {
  readonly jobId: number
  readonly attempt: number
  readonly kind: string
  readonly queueId: number
  readonly queue: string
  readonly worker: string
  /** Failures of earlier attempts: the how-manieth retry this was. */
  readonly retry: number
  readonly outcome: string
  /** False: the lease was lost, and nothing was written. */
  readonly accepted: boolean
  /** Where the job is now; null when nothing was written. */
  readonly state: State | null
  /** When it is to be tried again, by the database's clock. */
  readonly dueAt: Date | null
  readonly ranMs: number
  /** How long it had waited before it began; null where that is not known, because it had been elsewhere before. */
  readonly waitedMs: number | null
  /** Why it did not succeed: the error's message, or what was said; null when there is nothing to say. */
  readonly reason: string | null
  /** Of the trace it belongs to; null when it belongs to none. */
  readonly traceId: string | null
}

export interface WorkerStats {
  readonly state: 'new' | 'working' | 'draining' | 'stopped'
  readonly lease: number | null
  readonly slots: number
  readonly busy: number
  readonly buffered: number
  /** Ended, and the database not yet told. */
  readonly unwritten: number
  readonly claimed: number
  readonly outcomes: Readonly<Record<string, number>>
  /** Endings refused because the lease was lost. */
  readonly refused: number
  /** Leases lost, by sweep or by self-fencing. */
  readonly leasesLost: number
  /** Handlers that did not settle after their abort, and still run beside the slots. */
  readonly leaked: number
  /** How long handlers take, lately. */
  readonly meanRunMs: number
  readonly claims: number
  readonly lagMs: number
  /** Jobs that run, by kind. */
  readonly running: Readonly<Record<string, number>>
}

export interface Drained {
  /** Everything had settled within the grace. */
  readonly clean: boolean
  /** Jobs given back. */
  readonly released: number
  /** Endings that could not be written; their leases run out. */
  readonly unwritten: number
}

export interface Worker {
  readonly name: string
  /** Resolves when the worker has its lease and has begun to claim. */
  start(): Promise<void>
  /** Claims no more, waits `graceMs` for what runs, then aborts and releases it. A second call releases at once. */
  drain(reason?: string, options?: { graceMs?: number }): Promise<Drained>
  /** Aborts and releases everything now. */
  stop(): Promise<Drained>
  /** Resolves when the worker has gone, whoever asked for it: a call of `drain` or `stop`, or somebody through the database. */
  readonly gone: Promise<Drained>
  /** Resolves when nothing runs, nothing is unwritten and there is nothing to claim. */
  idle(): Promise<void>
  /** Fewer slots never end a running job. */
  setConcurrency(slots: number): void
  stats(): WorkerStats
}

export type PresenceFacts = Pick<
  Presence,
  'worker' | 'host' | 'pid' | 'version' | 'kinds' | 'queues' | 'tenant'
>
