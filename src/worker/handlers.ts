/** What a worker is given to run, and what a handler is given to run with. */
import type { Measure } from '../domain/measure.js'
import type { ClaimedJob, Ending, Progress, Reported } from '../domain/port.js'

export interface JobLogger {
  (message: string, fields?: object): void
  debug(message: string, fields?: object): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  error(message: string, fields?: object): void
}

/** Everything on it may be taken off it: `async ({ signal, progress }, input) => …`. */
export interface JobContext {
  readonly jobId: number
  /** How many times the job was claimed, this time included. */
  readonly attempt: number
  readonly kind: string
  readonly queue: string
  readonly job: ClaimedJob
  /** Aborted with a JobAborted as its reason. */
  readonly signal: AbortSignal
  /** Kept with the attempt, up to a limit; its end is what is kept. */
  readonly log: JobLogger
  /** Wraps calls that are worth measuring, and feeds the metrics of this worker: docs/metrics.md. */
  readonly measure: Measure
  /** What earlier attempts reported; null when they said nothing. */
  readonly previous: Progress | null
  /** Where the last attempt stood; null when it did not say. */
  readonly cursor: unknown
  /** How far it is, for people to look at. Called often, only the latest is sent. */
  progress(value: unknown): Promise<void>
  /** Items found and where to go on from; one transaction. `done` ends the job with it. */
  report(items: readonly unknown[], cursor?: unknown, end?: ReportEnd): Promise<Reported>
  /** Tokens spent since the last call. Past the job's limit the signal is aborted, and this throws its reason. */
  usage(tokens: number): Promise<Reported>
  /** A sign of work, which some queues want for their leases. */
  heartbeat(): Promise<void>
  /** `work`'s writes and the job's completion in one transaction; what `work` returns is the job's result. */
  commit<T>(work: (tx: never) => Promise<T>): Promise<T>
  /**
   * The job's completion as the last word in a transaction of your own, which `tx` is; it counts when you commit. Answers `result`, which is
   * the job's, so that it can be returned.
   */
  completeIn<T>(tx: never, result?: T): Promise<T>
  /** Children: given by the library on top. */
  enqueue(...args: never[]): Promise<unknown>
}

export interface ReportEnd {
  readonly done?: boolean
  readonly doneReason?: string
  readonly result?: unknown
}

export type Handler = (context: JobContext, input: unknown) => unknown

export interface Parsed {
  readonly value?: unknown
  /** What is wrong with the input, and where; then the handler is not called and the job fails for good. */
  readonly problem?: { readonly path: string; readonly message: string }
}

interface HandlerRules {
  /** Longest time of one attempt where neither the job nor its queue says. */
  readonly timeoutMs?: number
  /** Validates the input again before the run: what was enqueued under an older release may no longer fit. */
  readonly parse?: (input: unknown) => Parsed | Promise<Parsed>
}

/** In this process, or in a thread or process of its own that a crash or an endless loop cannot reach beyond. */
export type HandlerEntry = HandlerRules &
  ({ readonly handler: Handler } | { readonly isolate: 'thread' | 'process'; readonly module: string })

export type HandlerTable = ReadonlyMap<string, HandlerEntry>

/** What the library on top adds to contexts, because the port alone cannot. */
export interface ContextExtras {
  /** Runs `work` in a transaction and ends the attempt in the same one, with what `ending` makes of its result. */
  readonly commit?: <T>(ending: (result: T) => Ending, work: (tx: never) => Promise<T>) => Promise<T>
  /** Ends the attempt in the transaction `tx`, or rejects so that it cannot commit. */
  readonly completeIn?: (tx: never, ending: Ending) => Promise<unknown>
  readonly enqueue?: (parent: ClaimedJob, args: readonly unknown[]) => Promise<unknown>
}
