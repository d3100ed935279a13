/** The way of a job through a worker: claimer → buffer → executor → finisher, and how much of it there may be at a time. */
import { measureInto } from '../domain/measure.js'
import type { ClaimedJob, Ended, JobAttempt } from '../domain/port.js'
import { traceIdOf } from '../domain/trace-context.js'
import { Beginnings } from './beginnings.js'
import { Buffer } from './buffer.js'
import { Claimer } from './claimer.js'
import { type Conclusion, reasonOf } from './conclude.js'
import { Context, type ContextTools } from './context.js'
import { Executor } from './executor.js'
import { Finisher, type Unwritten } from './finisher.js'
import { Isolates } from './isolate.js'
import { Load } from './load.js'
import { JobAborted } from './outcomes.js'
import { type Pulse, sharedNow } from './pulse.js'
import type { Run } from './run.js'
import { Trial } from './trial.js'
import { Waiting } from './waiting.js'
import type { SetOptions } from './worker-options.js'

/** Endings the database has not taken yet, past which no more work is fetched. */
const BACKLOG_MOST = 4_000

type Told = Omit<Unwritten, 'outcome'> & { readonly outcome: string }
type WhatBecame = Pick<Ended, 'accepted' | 'state' | 'dueAt'>
const WRITTEN: WhatBecame = { accepted: true, state: 'succeeded', dueAt: null }
const REFUSED: WhatBecame = { accepted: false, state: null, dueAt: null }

export interface FlowParts {
  readonly options: SetOptions
  readonly worker: string
  readonly pulse: Pulse
  /** The lease to claim under; null while there is none. */
  lease(): number | null
  /** Every lease that jobs may be under. */
  leases(): readonly number[]
  ownUntil(expiresAt: Date | null): number
  /** Not once its lease is over, noticed or not: another worker may have it. */
  mayBegin(job: ClaimedJob): boolean
  /** A claim failed; it may have taken effect all the same. */
  claimFailed(error: unknown, lease: number): void
}

export class Flow {
  readonly #parts: FlowParts
  readonly buffer = new Buffer()
  readonly executor: Executor
  readonly finisher: Finisher
  readonly claimer: Claimer
  readonly load = new Load()
  readonly isolates: Isolates
  readonly outcomes: Record<string, number> = {}
  readonly #quiet = new Waiting()
  readonly #trial: Trial
  readonly #beginnings: Beginnings
  #slots: number
  /** The clock that threads share is so much ahead of this thread's; both go at the same pace. */
  readonly #ahead = sharedNow() - performance.now()
  #pumping = false
  #closed = false
  refused = 0

  constructor(parts: FlowParts) {
    this.#parts = parts
    const { port, log, abortMs, concurrency, onMeasured } = parts.options
    this.#slots = concurrency
    parts.pulse.slots = concurrency
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
    this.#trial = new Trial(waits)
    this.#beginnings = new Beginnings(waits)
  }

  get slots(): number {
    return this.#slots
  }

  set slots(slots: number) {
    this.#slots = slots
    this.#parts.pulse.slots = slots
    this.pump()
  }

  /** Nothing runs and nothing waits to. */
  get isQuiet(): boolean {
    return this.executor.busy === 0 && this.buffer.size === 0
  }

  quiet(): Promise<void> {
    return this.#quiet.until(() => this.isQuiet)
  }

  /** Every attempt this worker knows it holds. */
  held(): JobAttempt[] {
    const running = [...this.executor.runs].map(({ job }) => job)
    return [...this.buffer.list(), ...running, ...this.finisher.jobs()]
  }

  /** Whether any job here is under this lease, or its end not written yet. */
  isUnder(lease: number): boolean {
    const isOf = ({ job }: { job: ClaimedJob }) => job.lease === lease
    return (
      this.buffer.list().some((job) => job.lease === lease) ||
      [...this.executor.runs].some(isOf) ||
      this.finisher.some(isOf)
    )
  }

  /** Those under this lease whose handlers were called and whose ends the database does not know yet. */
  begunIds(lease: number): number[] {
    const running = [...this.executor.runs].filter(({ called }) => called).map(({ job }) => job)
    return [...running, ...this.finisher.begun()]
      .filter((job) => job.lease === lease)
      .map(({ jobId }) => jobId)
  }

  /** Ends what has not begun, or has not settled: canceled, or given back. */
  endUnbegun(job: ClaimedJob, conclusion: Conclusion): void {
    this.finisher.add({ job, startedAt: performance.now(), ranMs: 0, trace: null, ...conclusion })
  }

  /** Tells everything that runs to stop. */
  abort(): void {
    this.executor.abortAll(
      () => true,
      () => new JobAborted('shutdown'),
    )
  }

  /** Gives everything back; what comes from now on is left to the end of the lease. */
  release(): void {
    this.#closed = true
    for (const job of this.buffer.drop(() => true)) {
      this.endUnbegun(job, { outcome: 'released', details: { reason: 'shutdown', began: false } })
    }
    this.executor.abandonAll()
  }

  /** Fills free slots from the buffer, and asks for more. */
  pump(): void {
    // A handler that returns at once ends in the middle of this loop, which then goes on by itself.
    if (this.#pumping) return
    this.#pumping = true
    const unsaid: ClaimedJob[] = []
    while (this.#taken < this.#slots) {
      const job = this.buffer.take()
      if (job === undefined) break
      if (job.unbegun === true) unsaid.push(job)
      else this.#begin(job)
    }
    this.#pumping = false
    if (unsaid.length > 0) this.#beginnings.say(unsaid)
    if (this.buffer.suspects > 0 && this.#taken < this.#slots) this.#trial.look()
    this.claimer.nudge()
    this.#quiet.look()
  }

  /** Slots that run a job or are about to. */
  get #taken(): number {
    return this.executor.busy + this.buffer.saying
  }

  #begin(job: ClaimedJob): void {
    if (this.#parts.mayBegin(job)) this.executor.begin(job, this.#parts.ownUntil(job.expiresAt))
    else this.endUnbegun(job, { outcome: 'released', details: { reason: 'lease expired', began: false } })
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
        const mine = lease()
        return mine === null ? null : { worker, lease: mine, queues, tenant, eager: this.load.isEager }
      },
      room: () => this.#room(),
      deliver: (jobs) => this.#deliver(jobs),
      failed: claimFailed,
    })
  }

  #makeExecutor(): Executor {
    const { pulse, ownUntil } = this.#parts
    const { port, jobs, extras, abortMs, onMeasured, tracer } = this.#parts.options
    const tools: ContextTools = {
      port,
      extras,
      measure: measureInto(onMeasured ?? (() => {})),
      queueName: (id) => this.#queueName(id),
      abort: (run, reason) => this.executor.abort(run, reason),
      extended: (run, expiresAt) => {
        if (run.job.expiresAt === null || expiresAt === null) return
        run.ownUntil = Math.max(run.ownUntil, ownUntil(expiresAt))
      },
    }
    return new Executor({
      jobs,
      pulse,
      abortMs,
      contextOf: (run) => new Context(run, tools),
      trace: tracer && (({ job }) => tracer.begin(job, this.#queueName(job.queueId), this.#parts.worker)),
      isolated: (run, context, input) => this.isolates.run(run, context, input),
      ended: (run, conclusion) => this.#ended(run, conclusion),
    })
  }

  #room() {
    const ahead = this.load.ahead(this.#slots)
    const full = this.finisher.backlog > BACKLOG_MOST
    // Those that wait for their trial take no room from the others, unless they are many.
    const held = this.buffer.plain + Math.max(0, this.buffer.suspects - this.#slots)
    const most = full ? 0 : this.#slots + ahead - this.#taken - held
    const free = this.#slots - this.#taken - this.buffer.plain
    const hungry = this.buffer.plain === 0 && free > 0
    return { most, free, hungry, enough: Math.max(1, Math.ceil((this.#slots + ahead) / 4)) }
  }

  #deliver(jobs: ClaimedJob[]): void {
    if (this.#closed) return
    const leases = this.#parts.leases()
    // Claimed under a lease that was lost meanwhile: not ours to begin.
    const isOurs = (job: ClaimedJob) => job.expiresAt !== null || leases.includes(job.lease)
    this.buffer.add(jobs.every(isOurs) ? jobs : jobs.filter(isOurs))
    this.pump()
  }

  #ended(run: Run, conclusion: Conclusion | null): void {
    const ranMs = performance.now() - run.startedAt
    this.load.ended(ranMs)
    const { job, startedAt, trace } = run
    trace?.ended(conclusion?.outcome ?? (run.written ? 'succeeded' : 'lost'), conclusion?.details?.error)
    if (conclusion !== null) {
      this.finisher.add({ job, startedAt, ranMs, trace, ...conclusion })
    } else {
      this.#trial.over(job)
      const outcome = run.written ? 'succeeded' : 'lost'
      this.#tell({ job, startedAt, ranMs, trace, outcome, details: null }, run.written ? WRITTEN : REFUSED)
    }
    if (!this.#closed) this.pump()
  }

  #answered(unwritten: Unwritten, ended: Ended | undefined): void {
    if (ended?.accepted !== true) this.refused += 1
    // Only now is it over: the next one may end this process before the end of this one is written.
    this.#trial.over(unwritten.job)
    if (this.buffer.suspects > 0 && !this.#closed) this.pump()
    this.#tell(unwritten, ended ?? REFUSED)
  }

  #tell(
    { job, startedAt, ranMs, outcome, details, trace }: Told,
    { accepted, state, dueAt }: WhatBecame,
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

  /** Only of jobs that went straight to their queue: since when others could have been claimed, a claim does not say. */
  #waited({ fresh, createdAt }: ClaimedJob, startedAt: number): number | null {
    if (fresh !== true) return null
    return Math.max(0, startedAt + this.#ahead - this.#parts.ownUntil(createdAt))
  }

  #queueName(id: number): string {
    const { port, queues } = this.#parts.options
    return port.queueName?.(id) ?? (queues.length === 1 ? (queues[0] as string) : String(id))
  }
}
