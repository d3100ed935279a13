/** The context of a handler. Its members cost nothing until they are used, and may be destructured. */
import type { Measure } from '../domain/measure.js'
import type { ClaimedJob, ClaimPort, Ending, Progress, Report, Reported } from '../domain/port.js'
import type { ContextExtras, HandlerContext, JobLogger, ReportEnd } from './handlers.js'
import { JobAborted } from './outcomes.js'
import type { Run } from './run.js'

export interface ContextTools {
  readonly port: Pick<ClaimPort, 'report'>
  readonly extras: ContextExtras
  readonly measure: Measure
  queueName(queueId: number): string
  abort(run: Run, reason: JobAborted): void
  /** The job's own lease was extended. */
  extended(run: Run, expiresAt: Date | null): void
}

type ReportBody = Omit<Report, 'jobId' | 'attempt' | 'lease' | 'seq'>

const NOTHING = Symbol('nothing to send')

export class RunContext implements HandlerContext {
  readonly #run: Run
  readonly #tools: ContextTools
  #latest: unknown = NOTHING
  #sending: Promise<void> | null = null
  /** Settles with the last report. */
  #sent: Promise<void> | null = null

  constructor(run: Run, tools: ContextTools) {
    this.#run = run
    this.#tools = tools
  }

  get jobId(): number {
    return this.#run.job.jobId
  }

  get attempt(): number {
    return this.#run.job.attempt
  }

  get kind(): string {
    return this.#run.job.kind
  }

  get queue(): string {
    return this.#tools.queueName(this.#run.job.queueId)
  }

  get job(): ClaimedJob {
    return this.#run.job
  }

  get signal(): AbortSignal {
    this.#run.abortSeen = true
    return this.#run.listen()
  }

  get log(): JobLogger {
    return this.#run.log.logger
  }

  get measure(): Measure {
    return this.#tools.measure
  }

  get previous(): Progress | null {
    return this.#run.job.progress
  }

  get cursor(): unknown {
    return this.#run.job.progress?.cursor ?? null
  }

  get progress(): HandlerContext['progress'] {
    return (value) => {
      this.#latest = value
      this.#sending ??= handled(this.#sendLatest())
      return this.#sending
    }
  }

  get report(): HandlerContext['report'] {
    return (items, cursor, end: ReportEnd = {}) =>
      handled(this.#send({ items, ...(cursor === undefined ? {} : { cursor }), ...end }))
  }

  get usage(): HandlerContext['usage'] {
    return (tokens) => handled(this.#spend(tokens))
  }

  get heartbeat(): HandlerContext['heartbeat'] {
    return () => handled(this.#send({}).then(() => {}))
  }

  get commit(): HandlerContext['commit'] {
    return (work) => handled(this.#commit(work))
  }

  get completeIn(): HandlerContext['completeIn'] {
    return (tx, result) => handled(this.#completeIn(tx, result as never))
  }

  get enqueue(): (...args: unknown[]) => Promise<unknown> {
    const { extras } = this.#tools
    if (extras.enqueue === undefined) return () => Promise.reject(new Error('This worker cannot enqueue.'))
    const enqueue = extras.enqueue
    return (...args) => enqueue(this.#run.job, args)
  }

  async #sendLatest(): Promise<void> {
    try {
      while (this.#latest !== NOTHING && !this.#run.settled) {
        const progress = this.#latest
        this.#latest = NOTHING
        await this.#send({ progress })
      }
    } finally {
      this.#sending = null
    }
  }

  async #spend(tokens: number): Promise<Reported> {
    const reported = await this.#send({ tokens })
    const { tokensUsed, tokenLimit } = reported
    if (tokenLimit !== null && tokensUsed > tokenLimit) {
      const message = `The job has used ${tokensUsed} tokens; its limit is ${tokenLimit}.`
      this.#tools.abort(this.#run, new JobAborted('token_limit', message))
      this.#throwIfAborted()
    }
    return reported
  }

  /** Sends reports one after the other: a report with a higher number implies that all before it have arrived. */
  #send(report: ReportBody): Promise<Reported> {
    const sent = this.#sent === null ? this.#sendNow(report) : this.#sent.then(() => this.#sendNow(report))
    this.#sent = sent.then(
      () => {},
      () => {},
    )
    return sent
  }

  async #sendNow(report: ReportBody): Promise<Reported> {
    const run = this.#run
    this.#checkOpen()
    run.reports += 1
    const { jobId, attempt, lease } = run.job
    try {
      const reported = await this.#tools.port.report({ jobId, attempt, lease, seq: run.reports, ...report })
      if (reported.done) run.written = true
      if (reported.cancelRequested) this.#tools.abort(run, new JobAborted('cancel'))
      this.#tools.extended(run, reported.expiresAt)
      return reported
    } catch (error) {
      this.#abortIfLost(error)
      throw error
    }
  }

  async #commit<T>(work: (tx: never) => Promise<T>): Promise<T> {
    const run = this.#run
    const { commit } = this.#tools.extras
    if (commit === undefined) throw new Error('This worker cannot commit.')
    this.#checkOpen()
    try {
      const value = await commit((result: T) => this.#success(result), work)
      run.written = true
      return value
    } catch (error) {
      this.#abortIfLost(error)
      throw error
    }
  }

  async #completeIn<T>(tx: never, result: T): Promise<T> {
    const { completeIn } = this.#tools.extras
    if (completeIn === undefined) throw new Error('This worker cannot complete a job in a transaction.')
    this.#checkOpen()
    try {
      await completeIn(tx, this.#success(result))
      this.#run.completed = true
      return result
    } catch (error) {
      this.#abortIfLost(error)
      throw error
    }
  }

  #success(result: unknown): Ending {
    const { job, startedAt, excerpt } = this.#run
    const { jobId, attempt, lease } = job
    return {
      jobId,
      attempt,
      lease,
      outcome: 'succeeded',
      startedAgoMs: performance.now() - startedAt,
      ...(result === undefined ? {} : { result }),
      ...(excerpt === undefined ? {} : { log: excerpt }),
    }
  }

  #checkOpen(): void {
    if (this.#run.lost) this.#throwIfAborted()
    if (this.#run.written) throw new Error('The job has ended.')
  }

  #abortIfLost(error: unknown): void {
    if ((error as { code?: unknown } | null)?.code !== 'lease_lost') return
    this.#tools.abort(this.#run, new JobAborted('lease_lost'))
    this.#throwIfAborted()
  }

  #throwIfAborted(): void {
    if (this.#run.aborted === null) return
    this.#run.abortSeen = true
    throw this.#run.aborted
  }
}

/** A failed report that the handler does not await must not crash the process; a handler that awaits it still gets the error. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
