/** The types of handlers: what a worker runs, and the context a handler receives. */
import type { Measure } from '../domain/measure.js'
import type { ClaimedJob, Ending, Progress, Reported } from '../domain/port.js'

export interface JobLogger {
  (message: string, fields?: object): void
  debug(message: string, fields?: object): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  error(message: string, fields?: object): void
}

/** Its members may be destructured: `async ({ signal, progress }, input) => …`. */
export interface HandlerContext {
  readonly jobId: number
  /** How many times the job was claimed, this time included. */
  readonly attempt: number
  readonly kind: string
  readonly queue: string
  readonly job: ClaimedJob
  /** Aborted with a JobAborted as its reason. */
  readonly signal: AbortSignal
  /** Lines stored with the attempt, the last ones up to a limit. */
  readonly log: JobLogger
  /** Measures calls that the handler makes, for the metrics of this worker: docs/metrics.md. */
  readonly measure: Measure
  /** What earlier attempts reported; null without a report. */
  readonly previous: Progress | null
  /** Where to resume, as reported last; null without a cursor. */
  readonly cursor: unknown
  /** Saves the progress shown to people. May be called often: only the latest value is sent. */
  progress(value: unknown): Promise<void>
  /** Saves items and the cursor to resume from, in one transaction. `done` ends the job in the same. */
  report(items: readonly unknown[], cursor?: unknown, end?: ReportEnd): Promise<Reported>
  /** Adds tokens spent since the last call. Past the job's limit it aborts the signal and throws the reason. */
  usage(tokens: number): Promise<Reported>
  /** Renews the lease in queues whose leases depend on the handler's progress. */
  heartbeat(): Promise<void>
  /** Commits `work`'s writes and the job's completion in one transaction. What `work` returns becomes the job's result. */
  commit<T>(work: (tx: never) => Promise<T>): Promise<T>
  /**
   * Completes the job in your own transaction `tx`, as its last statement; effective when you commit. Returns `result`, which becomes the
   * job's result.
   */
  completeIn<T>(tx: never, result?: T): Promise<T>
  /** Enqueues a child job. */
  enqueue(...args: never[]): Promise<unknown>
}

export interface ReportEnd {
  readonly done?: boolean
  readonly doneReason?: string
  readonly result?: unknown
}

export type AnyHandler = (context: HandlerContext, input: unknown) => unknown

export interface Parsed {
  readonly value?: unknown
  /** What is wrong with the input, and where. Then the handler is not called and the job fails for good. */
  readonly problem?: { readonly path: string; readonly message: string }
}

interface HandlerRules {
  /** The timeout of an attempt where neither the job nor its queue sets one. */
  readonly timeoutMs?: number
  /** Validates the input before the run, because a job enqueued by an older release may not match the schema. */
  readonly parse?: (input: unknown) => Parsed | Promise<Parsed>
}

/** A handler in this process, or isolated in a thread or process, which contains crashes and endless loops. */
export type HandlerEntry = HandlerRules &
  ({ readonly handler: AnyHandler } | { readonly isolate: 'thread' | 'process'; readonly module: string })

export type HandlerTable = ReadonlyMap<string, HandlerEntry>

/** Parts of the context that need a database or a client, added by the library. */
export interface ContextExtras {
  /** Runs `work` in a transaction and ends the attempt in the same; `ending` builds the outcome from its result. */
  readonly commit?: <T>(ending: (result: T) => Ending, work: (tx: never) => Promise<T>) => Promise<T>
  /** Ends the attempt in the transaction `tx`, or rejects so that it cannot commit. */
  readonly completeIn?: (tx: never, ending: Ending) => Promise<unknown>
  readonly enqueue?: (parent: ClaimedJob, args: readonly unknown[]) => Promise<unknown>
}
