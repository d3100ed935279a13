/**
 * Runs jobs in slots: begin → validate input → call the handler → conclude its outcome → free the slot. A slot is free when its handler
 * has returned, before the outcome is written. Every job takes this path, thousands a second, so no timer, signal or promise is created
 * unless the job needs it.
 */
import type { ClaimedJob } from '../domain/port.js'
import {
  type Conclusion,
  concludeAbort,
  concludeReturn,
  concludeThrow,
  invalidInput,
  timedOut,
  unknownKind,
} from './conclude.js'
import { Condition } from './condition.js'
import type { HandlerContext, HandlerEntry, HandlerTable, Parsed } from './handlers.js'
import type { SharedVitals } from './heartbeat/shared-vitals.js'
import type { JobAborted } from './outcomes.js'
import { Run } from './run.js'
import type { AttemptTrace } from './worker-options.js'

export interface ExecutorParts {
  readonly jobs: HandlerTable
  readonly vitals: SharedVitals
  /** How long a handler may take to settle after an abort. */
  readonly abortMs: number
  contextOf(run: Run): HandlerContext
  /** Undefined when tracing is off. */
  readonly trace: ((run: Run) => AttemptTrace | undefined) | undefined
  /** Runs the handler of an isolated entry; rejects as the handler throws, and always settles within abortMs of an abort. */
  isolated(run: Run, context: HandlerContext, input: unknown): Promise<unknown>
  /** An attempt is over; null when there is nothing to write. The slot is free. */
  ended(run: Run, conclusion: Conclusion | null): void
}

export class Executor {
  readonly #parts: ExecutorParts
  /** Jobs in a slot. */
  readonly runs = new Set<Run>()
  /** Handlers that did not settle in time; they hold no slot. */
  readonly #leaked = new Set<Run>()
  readonly #deadlines: Deadlines
  readonly #gone = new Condition()

  constructor(parts: ExecutorParts) {
    this.#parts = parts
    this.#deadlines = new Deadlines(this.runs, (run) => this.#due(run))
  }

  get busy(): number {
    return this.runs.size
  }

  get leaked(): number {
    return this.#leaked.size
  }

  begin(job: ClaimedJob, fenceAt: number): void {
    const { jobs, vitals } = this.#parts
    const entry = jobs.get(job.kind)
    const run = new Run(job, entry, performance.now())
    if (entry === undefined) {
      run.settled = true
      this.#parts.ended(run, unknownKind(job.kind, [...jobs.keys()].sort()))
      return
    }
    run.fenceAt = fenceAt
    this.runs.add(run)
    vitals.busy = this.runs.size
    run.vitalsRow = vitals.addJob(job.jobId, job.attempt, job.lease)
    const timeoutMs = job.timeoutMs ?? entry.timeoutMs
    if (timeoutMs !== undefined) {
      run.dueAt = run.startedAt + timeoutMs
      this.#deadlines.watch(run.dueAt)
    }
    this.#run(run, entry)
  }

  abort(run: Run, reason: JobAborted): void {
    if (reason.code === 'lease_lost') run.lost = true
    if (run.settled || !run.abort(reason)) return
    // A handler may ignore a cancel; for any other reason the slot must become free.
    if (reason.code !== 'cancel') this.#settleWithin(run)
  }

  abortAll(which: (run: Run) => boolean, reason: () => JobAborted): number {
    const found = [...this.runs].filter(which)
    for (const run of found) this.abort(run, reason())
    return found.length
  }

  /** Resolves when no such run is in a slot. */
  whenNone(which: (run: Run) => boolean): Promise<void> {
    return this.#gone.until(() => ![...this.runs].some(which))
  }

  /** Frees the slots of all running jobs and concludes them as aborted. */
  abandonAll(): number {
    const left = [...this.runs]
    for (const run of left) this.#abandon(run)
    return left.length
  }

  stop(): void {
    this.#deadlines.stop()
  }

  #run(run: Run, entry: HandlerEntry): void {
    if (entry.parse === undefined) {
      this.#handle(run, entry, run.job.input)
      return
    }
    try {
      const parsed = entry.parse(run.job.input)
      if (parsed instanceof Promise) {
        parsed.then(
          (value) => this.#parsed(run, entry, value),
          (error) => this.#threw(run, error),
        )
      } else this.#parsed(run, entry, parsed)
    } catch (error) {
      this.#threw(run, error)
    }
  }

  #parsed(run: Run, entry: HandlerEntry, { value, problem }: Parsed): void {
    if (problem !== undefined) this.#settle(run, () => invalidInput(run, problem.path, problem.message))
    // Aborted during validation: the handler is not called.
    else if (run.aborted !== null) this.#settle(run, () => concludeAbort(run))
    else this.#handle(run, entry, value)
  }

  #handle(run: Run, entry: HandlerEntry, input: unknown): void {
    try {
      const { contextOf, trace, isolated } = this.#parts
      const context = contextOf(run)
      const start = () => ('handler' in entry ? entry.handler(context, input) : isolated(run, context, input))
      run.trace = trace?.(run) ?? null
      run.called = true
      const out = run.trace === null ? start() : run.trace.within(start)
      if (isThenable(out)) {
        out.then(
          (value) => this.#settle(run, () => concludeReturn(run, value)),
          (error) => this.#threw(run, error),
        )
      } else this.#settle(run, () => concludeReturn(run, out))
    } catch (error) {
      this.#threw(run, error)
    }
  }

  #threw(run: Run, error: unknown): void {
    this.#settle(run, () => concludeThrow(run, error))
  }

  #settle(run: Run, conclude: () => Conclusion | null): void {
    if (run.settled) {
      this.#leaked.delete(run)
      return
    }
    this.#leave(run)
    this.#parts.ended(run, conclude())
    this.#gone.notify()
  }

  #leave(run: Run): void {
    run.settled = true
    this.runs.delete(run)
    this.#parts.vitals.removeJob(run.vitalsRow)
    this.#parts.vitals.busy = this.runs.size
  }

  #due(run: Run): void {
    if (run.aborted === null) {
      this.abort(run, timedOut((run.job.timeoutMs ?? run.entry?.timeoutMs) as number))
    } else if (!run.settling) this.#settleWithin(run)
    // An isolated handler is killed by its isolate.
    else if (run.entry !== undefined && 'isolate' in run.entry) run.dueAt = Number.POSITIVE_INFINITY
    else this.#abandon(run)
  }

  #settleWithin(run: Run): void {
    run.settling = true
    run.dueAt = performance.now() + this.#parts.abortMs
    this.#deadlines.watch(run.dueAt)
  }

  #abandon(run: Run): void {
    this.#leave(run)
    this.#leaked.add(run)
    // Before `written` is set, which would make the end look like the handler's own.
    this.#parts.ended(run, concludeAbort(run))
    // The handler may still run; its later reports and commits are refused.
    run.written = true
    this.#gone.notify()
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}

/** One timer for the deadlines of all runs, set to the earliest: most jobs end long before theirs and cost no timer. */
class Deadlines {
  readonly #runs: Iterable<Run>
  readonly #due: (run: Run) => void
  #timer: NodeJS.Timeout | undefined
  #at = Number.POSITIVE_INFINITY

  constructor(runs: Iterable<Run>, due: (run: Run) => void) {
    this.#runs = runs
    this.#due = due
  }

  /** Sets the timer to `at` if that is earlier; a time of `performance.now()`. */
  watch(at: number): void {
    if (at >= this.#at) return
    clearTimeout(this.#timer)
    this.#at = at
    this.#timer = setTimeout(() => this.#fire(), Math.max(0, Math.ceil(at - performance.now())))
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#at = Number.POSITIVE_INFINITY
  }

  #fire(): void {
    this.#at = Number.POSITIVE_INFINITY
    const now = performance.now()
    let next = Number.POSITIVE_INFINITY
    // Copied, because a run that is due may leave the set meanwhile.
    for (const run of [...this.#runs]) {
      if (run.dueAt <= now) this.#due(run)
      if (!run.settled && run.dueAt < next) next = run.dueAt
    }
    this.watch(next)
  }
}
