/**
 * Runs jobs in slots: begin → validate → handler → what it comes to → free the slot. A slot is free when its handler has returned,
 * not when the database has heard of it. This is the path every job takes, thousands a second: no timer, no signal and no promise of
 * ours unless the job needs one.
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
import { Deadlines } from './deadlines.js'
import type { HandlerEntry, HandlerTable, JobContext, Parsed } from './handlers.js'
import type { JobAborted } from './outcomes.js'
import type { Pulse } from './pulse.js'
import { Run } from './run.js'
import type { AttemptTrace } from './tracing.js'
import { Waiting } from './waiting.js'

export interface ExecutorParts {
  readonly jobs: HandlerTable
  readonly pulse: Pulse
  /** After an abort a handler has this long to settle. */
  readonly abortMs: number
  contextOf(run: Run): JobContext
  /** Undefined where nothing is traced. */
  readonly trace: ((run: Run) => AttemptTrace | undefined) | undefined
  /** Runs the handler of an isolated entry; rejects as the handler throws, and always settles within abortMs of an abort. */
  isolated(run: Run, context: JobContext, input: unknown): Promise<unknown>
  /** An attempt is over; null when there is nothing to write. The slot is free. */
  ended(run: Run, conclusion: Conclusion | null): void
}

export class Executor {
  readonly #parts: ExecutorParts
  /** Those in a slot. */
  readonly runs = new Set<Run>()
  /** Handlers that never settled, beside the slots. */
  readonly #leaked = new Set<Run>()
  readonly #deadlines: Deadlines
  readonly #gone = new Waiting()

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

  begin(job: ClaimedJob, ownUntil: number): void {
    const { jobs, pulse } = this.#parts
    const entry = jobs.get(job.kind)
    const run = new Run(job, entry, performance.now())
    if (entry === undefined) {
      run.settled = true
      this.#parts.ended(run, unknownKind(job.kind, [...jobs.keys()].sort()))
      return
    }
    run.ownUntil = ownUntil
    this.runs.add(run)
    pulse.busy = this.runs.size
    run.place = pulse.enter(job.jobId, job.attempt, job.lease)
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
    // A handler that does not care for a cancel may go on; any other reason wants the slot back.
    if (reason.code !== 'cancel') this.#settleWithin(run)
  }

  abortAll(which: (run: Run) => boolean, reason: () => JobAborted): number {
    const found = [...this.runs].filter(which)
    for (const run of found) this.abort(run, reason())
    return found.length
  }

  /** Resolves when no such run is in a slot. */
  none(which: (run: Run) => boolean): Promise<void> {
    return this.#gone.until(() => ![...this.runs].some(which))
  }

  /** Takes what still runs out of its slot, with what it comes to now. */
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
    // Told to stop while the input was looked at: the handler need not begin.
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
    this.#gone.look()
  }

  #leave(run: Run): void {
    run.settled = true
    this.runs.delete(run)
    this.#parts.pulse.leave(run.place)
    this.#parts.pulse.busy = this.runs.size
  }

  #due(run: Run): void {
    if (run.aborted === null) {
      this.abort(run, timedOut((run.job.timeoutMs ?? run.entry?.timeoutMs) as number))
    } else if (!run.settling) this.#settleWithin(run)
    // What is isolated is ended for real, by whoever isolates it.
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
    // Before it is marked: what was not written by its own report or commit must not be told of as if it were.
    this.#parts.ended(run, concludeAbort(run))
    // Whatever its handler still says, it is too late.
    run.written = true
    this.#gone.look()
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}
