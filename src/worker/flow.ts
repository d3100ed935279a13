/** Moves jobs through a worker, claimer → buffer → executor → finisher, and limits how many it holds at a time. */
import { measureInto } from '../domain/measure.js'
import type { ClaimedJob, Ended, JobAttempt } from '../domain/port.js'
import { traceIdOf } from '../domain/trace-context.js'
import { ClaimedBuffer, StartMarks } from './claimed-buffer.js'
import { Claimer, Throughput } from './claimer.js'
import { type Conclusion, reasonOf } from './conclude.js'
import { Condition } from './condition.js'
import { type ContextTools, RunContext } from './context.js'
import { Executor } from './executor.js'
import { Finisher, type PendingFinish } from './finisher.js'
import { type SharedVitals, sharedNow } from './heartbeat/shared-vitals.js'
import { Isolates } from './isolate/isolates.js'
import { JobAborted } from './outcomes.js'
import { PoisonQuarantine } from './poison-quarantine.js'
import type { Run } from './run.js'
import type { ResolvedWorkerOptions } from './worker-options.js'

/** Past this many unwritten outcomes the worker claims no more jobs. */
const BACKLOG_MAX = 4_000

type EndedRun = Omit<PendingFinish, 'outcome'> & { readonly outcome: string }
type FinishAnswer = Pick<Ended, 'accepted' | 'state' | 'dueAt'>
const WRITTEN: FinishAnswer = { accepted: true, state: 'succeeded', dueAt: null }
const REFUSED: FinishAnswer = { accepted: false, state: null, dueAt: null }

export interface FlowParts {
  readonly options: ResolvedWorkerOptions
  readonly worker: string
  readonly vitals: SharedVitals
  /** The lease to claim under; null while there is none. */
  lease(): number | null
  /** Every lease that covers jobs of this worker. */
  leases(): readonly number[]
  onSharedClock(at: Date): number
  /** When the handler of a job with a lease of its own is aborted, on the shared clock. */
  fenceAt(expiresAt: Date | null): number
  /** False once the job's lease has expired, noticed or not: another worker may have claimed it. */
  mayBegin(job: ClaimedJob): boolean
  /** A claim failed, but it may have taken effect. */
  claimFailed(error: unknown, lease: number): void
}

export class Flow {
  readonly #parts: FlowParts
  readonly buffer = new ClaimedBuffer()
  readonly executor: Executor
  readonly finisher: Finisher
  readonly claimer: Claimer
  readonly throughput = new Throughput()
  readonly isolates: Isolates
  readonly outcomes: Record<string, number> = {}
  readonly #idle = new Condition()
  readonly #quarantine: PoisonQuarantine
  readonly #startMarks: StartMarks
  #slots: number
  /** The shared clock minus this thread's; both run at the same pace. */
  readonly #clockOffsetMs = sharedNow() - performance.now()
  #pumping = false
  #closed = false
  refused = 0

  constructor(parts: FlowParts) {
    this.#parts = parts
    const { port, log, abortMs, concurrency, onMeasured } = parts.options
    this.#slots = concurrency
    parts.vitals.slots = concurrency
    this.isolates = new Isolates(abortMs, onMeasured)
    this.executor = this.#makeExecutor()
    this.finisher = new Finisher({
      port,
      log,
      answered: (unwritten, ended) => this.#answered(unwritten, ended),
      afterCall: (batch) => this.claimer.finished(batch.some(({ job }) => job.target !== null)),
    })
    this.claimer = this.#makeClaimer()
    const waits = { port, log, buffer: this.buffer, begin: (job: ClaimedJob) => this.#begin(job) }
    this.#quarantine = new PoisonQuarantine({
      ...waits,
      mayBegin: parts.mayBegin,
      expire: (job) => this.#expire(job),
    })
    this.#startMarks = new StartMarks(waits)
  }

  get slots(): number {
    return this.#slots
  }

  set slots(slots: number) {
    this.#slots = slots
    this.#parts.vitals.slots = slots
    this.pump()
  }

  /** No job runs and none is buffered. */
  get isIdle(): boolean {
    return this.executor.busy === 0 && this.buffer.size === 0
  }

  whenIdle(): Promise<void> {
    return this.#idle.until(() => this.isIdle)
  }

  /** Every attempt this worker knows it holds. */
  held(): JobAttempt[] {
    const running = [...this.executor.runs].map(({ job }) => job)
    return [...this.buffer.list(), ...running, ...this.finisher.jobs()]
  }

  /** Whether this lease covers a job here, or one whose outcome is not written yet. */
  isUnder(lease: number): boolean {
    const isOf = ({ job }: { job: ClaimedJob }) => job.lease === lease
    return (
      this.buffer.list().some((job) => job.lease === lease) ||
      [...this.executor.runs].some(isOf) ||
      this.finisher.some(isOf)
    )
  }

  /** Jobs under this lease whose handler was called and whose outcome is not written yet. */
  begunIds(lease: number): number[] {
    const running = [...this.executor.runs].filter(({ called }) => called).map(({ job }) => job)
    return [...running, ...this.finisher.begun()]
      .filter((job) => job.lease === lease)
      .map(({ jobId }) => jobId)
  }

  /** Ends a job that has not started, as canceled or released. */
  endUnstarted(job: ClaimedJob, conclusion: Conclusion): void {
    this.finisher.add({ job, startedAt: performance.now(), ranMs: 0, trace: null, ...conclusion })
  }

  /** Aborts the signals of all running handlers. */
  abort(): void {
    this.executor.abortAll(
      () => true,
      () => new JobAborted('shutdown'),
    )
  }

  /** Releases all jobs. Jobs of claims that arrive later return when the lease is closed. */
  release(): void {
    this.#closed = true
    for (const job of this.buffer.drop(() => true)) {
      this.endUnstarted(job, { outcome: 'released', details: { reason: 'shutdown', started: false } })
    }
    this.executor.abandonAll()
  }

  /** Fills free slots from the buffer, and asks for more. */
  pump(): void {
    // A handler that returns at once ends in the middle of this loop, which then goes on by itself.
    if (this.#pumping) return
    this.#pumping = true
    const unmarked: ClaimedJob[] = []
    while (this.#taken < this.#slots) {
      const job = this.buffer.take()
      if (job === undefined) break
      if (job.unstarted === true) unmarked.push(job)
      else this.#begin(job)
    }
    this.#pumping = false
    if (unmarked.length > 0) this.#startMarks.mark(unmarked)
    if (this.buffer.quarantined > 0 && this.#taken < this.#slots) this.#quarantine.startNext()
    this.claimer.nudge()
    this.#idle.notify()
  }

  /** Slots that run a job or are about to. */
  get #taken(): number {
    return this.executor.busy + this.buffer.marking
  }

  #begin(job: ClaimedJob): void {
    if (this.#parts.mayBegin(job)) this.executor.begin(job, this.#parts.fenceAt(job.expiresAt))
    else this.#expire(job)
  }

  #expire(job: ClaimedJob): void {
    this.endUnstarted(job, { outcome: 'released', details: { reason: 'lease expired', started: false } })
  }

  #makeClaimer(): Claimer {
    const { lease, worker, claimFailed } = this.#parts
    const { port, wakeups, pollMs, longestPollMs, queues, tenant } = this.#parts.options
    return new Claimer({
      port,
      wakeups,
      pollMs,
      longestPollMs,
      ask: () => {
        const current = lease()
        return current === null
          ? null
          : { worker, lease: current, queues, tenant, eager: this.throughput.isFast }
      },
      room: () => this.#room(),
      deliver: (jobs) => this.#deliver(jobs),
      failed: claimFailed,
    })
  }

  #makeExecutor(): Executor {
    const { vitals, fenceAt } = this.#parts
    const { port, jobs, extras, abortMs, onMeasured, tracer } = this.#parts.options
    const tools: ContextTools = {
      port,
      extras,
      measure: measureInto(onMeasured ?? (() => {})),
      queueName: (id) => this.#queueName(id),
      abort: (run, reason) => this.executor.abort(run, reason),
      extended: (run, expiresAt) => {
        if (run.job.expiresAt === null || expiresAt === null) return
        run.fenceAt = Math.max(run.fenceAt, fenceAt(expiresAt))
      },
    }
    return new Executor({
      jobs,
      vitals,
      abortMs,
      contextOf: (run) => new RunContext(run, tools),
      trace: tracer && (({ job }) => tracer.begin(job, this.#queueName(job.queueId), this.#parts.worker)),
      isolated: (run, context, input) => this.isolates.run(run, context, input),
      ended: (run, conclusion) => this.#ended(run, conclusion),
    })
  }

  #room() {
    const prefetch = this.throughput.prefetch(this.#slots)
    const full = this.finisher.backlog > BACKLOG_MAX
    // Quarantined jobs take no room from the others, unless they are many.
    const held = this.buffer.plain + Math.max(0, this.buffer.quarantined - this.#slots)
    const claimMax = full ? 0 : this.#slots + prefetch - this.#taken - held
    const free = this.#slots - this.#taken - this.buffer.plain
    const hasIdleSlots = this.buffer.plain === 0 && free > 0
    return { claimMax, free, hasIdleSlots, minBatch: Math.max(1, Math.ceil((this.#slots + prefetch) / 4)) }
  }

  #deliver(jobs: ClaimedJob[]): void {
    if (this.#closed) return
    const leases = this.#parts.leases()
    // A job claimed under a lease that was lost meanwhile must not start.
    const isHeld = (job: ClaimedJob) => job.expiresAt !== null || leases.includes(job.lease)
    this.buffer.add(jobs.every(isHeld) ? jobs : jobs.filter(isHeld))
    this.pump()
  }

  #ended(run: Run, conclusion: Conclusion | null): void {
    const ranMs = performance.now() - run.startedAt
    this.throughput.ended(ranMs)
    const { job, startedAt, trace } = run
    trace?.ended(conclusion?.outcome ?? (run.written ? 'succeeded' : 'lost'), conclusion?.details?.error)
    if (conclusion !== null) {
      this.finisher.add({ job, startedAt, ranMs, trace, ...conclusion })
    } else {
      this.#quarantine.clear(job)
      const outcome = run.written ? 'succeeded' : 'lost'
      this.#reportEnd(
        { job, startedAt, ranMs, trace, outcome, details: null },
        run.written ? WRITTEN : REFUSED,
      )
    }
    if (!this.#closed) this.pump()
  }

  #answered(unwritten: PendingFinish, ended: Ended | undefined): void {
    if (ended?.accepted !== true) this.refused += 1
    // Only once its outcome is written: the next suspected poison job may kill this process.
    this.#quarantine.clear(unwritten.job)
    if (this.buffer.quarantined > 0 && !this.#closed) this.pump()
    this.#reportEnd(unwritten, ended ?? REFUSED)
  }

  #reportEnd(
    { job, startedAt, ranMs, outcome, details, trace }: EndedRun,
    { accepted, state, dueAt }: FinishAnswer,
  ): void {
    const { onEnded } = this.#parts.options
    if (accepted) this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1
    trace?.settled(accepted, state)
    if (onEnded === undefined) return
    const { jobId, attempt, kind, queueId } = job
    onEnded({
      jobId,
      attempt,
      kind,
      queueId,
      queue: this.#queueName(queueId),
      worker: this.#parts.worker,
      retry: job.failures,
      outcome,
      accepted,
      state,
      dueAt,
      ranMs,
      waitedMs: this.#waited(job, startedAt),
      reason: details === null ? null : reasonOf(details),
      traceId: trace?.traceId ?? (job.trace === null ? null : traceIdOf(job.trace)),
    })
  }

  /** Known only for jobs that were ready since they were enqueued: a claim does not return when others became ready. */
  #waited({ fresh, createdAt }: ClaimedJob, startedAt: number): number | null {
    if (fresh !== true) return null
    return Math.max(0, startedAt + this.#clockOffsetMs - this.#parts.onSharedClock(createdAt))
  }

  #queueName(id: number): string {
    const { port, queues } = this.#parts.options
    return port.queueName?.(id) ?? (queues.length === 1 ? (queues[0] as string) : String(id))
  }
}
