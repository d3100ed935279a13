/** What a handler is given. Everything costs nothing until it is used, and works when it is taken off the context. */
import type { Measure } from '../domain/measure.js'
import type { ClaimedJob, Ending, Progress, Report, Reported, WorkPort } from '../domain/port.js'
import type { ContextExtras, JobContext, JobLogger, ReportEnd } from './handlers.js'
import { JobAborted } from './outcomes.js'
import type { Run } from './run.js'

export interface ContextTools {
  readonly port: Pick<WorkPort, 'report'>
  readonly extras: ContextExtras
  readonly measure: Measure
  queueName(queueId: number): string
  abort(run: Run, reason: JobAborted): void
  /** The lease of a job's own was extended. */
  extended(run: Run, expiresAt: Date | null): void
}

type Saying = Omit<Report, 'jobId' | 'attempt' | 'lease' | 'seq'>

const NOTHING = Symbol('nothing to send')

export class Context implements JobContext {
  readonly #run: Run
  readonly #tools: ContextTools
  #latest: unknown = NOTHING
  #sending: Promise<void> | null = null
  /** The last report, answered or not. */
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
    this.#run.heard = true
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

  get progress(): JobContext['progress'] {
    return (value) => {
      this.#latest = value
      this.#sending ??= handled(this.#sendLatest())
      return this.#sending
    }
  }

  get report(): JobContext['report'] {
    return (items, cursor, end: ReportEnd = {}) =>
      handled(this.#send({ items, ...(cursor === undefined ? {} : { cursor }), ...end }))
  }

  get usage(): JobContext['usage'] {
    return (tokens) => handled(this.#spend(tokens))
  }

  get heartbeat(): JobContext['heartbeat'] {
    return () => handled(this.#send({}).then(() => {}))
  }

  get commit(): JobContext['commit'] {
    return (work) => handled(this.#commit(work))
  }

  get completeIn(): JobContext['completeIn'] {
    return (tx, result) => handled(this.#completeIn(tx, result as never))
  }

  get enqueue(): (...args: unknown[]) => Promise<unknown> {
    const { extras } = this.#tools
    if (extras.enqueue === undefined) return () => Promise.reject(new Error('this worker cannot enqueue'))
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
      const message = `The job has used ${tokensUsed} tokens of the ${tokenLimit} it may.`
      this.#tools.abort(this.#run, new JobAborted('token_limit', message))
      this.#stopIfTold()
    }
    return reported
  }

  /** One after the other: a report is known by its number, and a higher one says that those before it have arrived. */
  #send(report: Saying): Promise<Reported> {
    const sent = this.#sent === null ? this.#sendNow(report) : this.#sent.then(() => this.#sendNow(report))
    this.#sent = sent.then(
      () => {},
      () => {},
    )
    return sent
  }

  async #sendNow(report: Saying): Promise<Reported> {
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
      this.#lostIf(error)
      throw error
    }
  }

  async #commit<T>(work: (tx: never) => Promise<T>): Promise<T> {
    const run = this.#run
    const { commit } = this.#tools.extras
    if (commit === undefined) throw new Error('this worker cannot commit')
    this.#checkOpen()
    try {
      const value = await commit((result: T) => this.#success(result), work)
      run.written = true
      return value
    } catch (error) {
      this.#lostIf(error)
      throw error
    }
  }

  async #completeIn<T>(tx: never, result: T): Promise<T> {
    const { completeIn } = this.#tools.extras
    if (completeIn === undefined) throw new Error('this worker cannot complete in a transaction')
    this.#checkOpen()
    try {
      await completeIn(tx, this.#success(result))
      this.#run.completed = true
      return result
    } catch (error) {
      this.#lostIf(error)
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
    if (this.#run.lost) this.#stopIfTold()
    if (this.#run.written) throw new Error('the job has ended')
  }

  #lostIf(error: unknown): void {
    if ((error as { code?: unknown } | null)?.code !== 'lease_lost') return
    this.#tools.abort(this.#run, new JobAborted('lease_lost'))
    this.#stopIfTold()
  }

  #stopIfTold(): void {
    if (this.#run.aborted === null) return
    this.#run.heard = true
    throw this.#run.aborted
  }
}

/** A handler that does not wait for its report must not take the process down when it fails; one that waits still hears of it. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
