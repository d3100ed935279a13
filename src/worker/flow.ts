/** The way of a job through a worker: claimer → buffer → executor → finisher, and how much of it there may be at a time. */
import type { ClaimedJob, Ended } from '../domain/port.js'
import { Buffer } from './buffer.js'
import { Claimer } from './claimer.js'
import type { Conclusion } from './conclude.js'
import { Context, type ContextTools } from './context.js'
import { Executor } from './executor.js'
import { Finisher, type Unwritten } from './finisher.js'
import { Isolates } from './isolate.js'
import { Load } from './load.js'
import { JobAborted } from './outcomes.js'
import type { Pulse } from './pulse.js'
import type { Run } from './run.js'
import { Trial } from './trial.js'
import { Waiting } from './waiting.js'
import type { SetOptions } from './worker-options.js'

/** Endings the database has not taken yet, past which no more work is fetched. */
const BACKLOG_MOST = 4_000

type WhatBecame = Pick<Ended, 'accepted' | 'state' | 'dueAt'>
const WRITTEN: WhatBecame = { accepted: true, state: 'succeeded', dueAt: null }
const REFUSED: WhatBecame = { accepted: false, state: null, dueAt: null }

export interface FlowParts {
  readonly options: SetOptions
  readonly worker: string
  readonly pulse: Pulse
  lease(): number | null
  ownUntil(expiresAt: Date | null): number
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
  #slots: number
  #pumping = false
  #closed = false
  refused = 0

  constructor(parts: FlowParts) {
    this.#parts = parts
    const { port, log, abortMs, concurrency } = parts.options
    this.#slots = concurrency
    parts.pulse.slots = concurrency
    this.isolates = new Isolates(abortMs)
    this.executor = this.#makeExecutor()
    this.finisher = new Finisher({
      port,
      log,
      answered: (unwritten, ended) => this.#answered(unwritten, ended),
      afterCall: (batch) => this.claimer.finished(batch.some(({ job }) => job.target !== null)),
    })
    this.claimer = this.#makeClaimer()
    this.#trial = new Trial({ port, log, buffer: this.buffer, begin: (job) => this.#begin(job) })
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

  /** Every job this worker knows it holds. */
  heldIds(): number[] {
    const waiting = this.buffer.list().map(({ jobId }) => jobId)
    const running = [...this.executor.runs].map(({ job }) => job.jobId)
    return [...waiting, ...running, ...this.finisher.jobIds()]
  }

  /** Ends what has not begun, or has not settled: canceled, or given back. */
  endUnbegun(job: ClaimedJob, conclusion: Conclusion): void {
    this.#write(job, performance.now(), 0, conclusion)
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
    while (this.executor.busy < this.#slots) {
      const job = this.buffer.take()
      if (job === undefined) break
      this.#begin(job)
    }
    this.#pumping = false
    if (this.buffer.suspects > 0 && this.executor.busy < this.#slots) this.#trial.look()
    this.claimer.nudge()
    this.#quiet.look()
  }

  #begin(job: ClaimedJob): void {
    this.executor.begin(job, this.#parts.ownUntil(job.expiresAt))
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
        return mine === null ? null : { worker, lease: mine, queues, tenant }
      },
      room: () => this.#room(),
      deliver: (jobs) => this.#deliver(jobs),
      failed: claimFailed,
    })
  }

  #makeExecutor(): Executor {
    const { pulse, ownUntil } = this.#parts
    const { port, jobs, extras, abortMs, queues } = this.#parts.options
    const tools: ContextTools = {
      port,
      extras,
      queueName: (id) => port.queueName?.(id) ?? (queues.length === 1 ? (queues[0] as string) : String(id)),
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
      isolated: (run, context, input) => this.isolates.run(run, context, input),
      ended: (run, conclusion) => this.#ended(run, conclusion),
    })
  }

  #room() {
    const ahead = this.load.ahead(this.#slots)
    const full = this.finisher.backlog > BACKLOG_MOST
    // Those that wait for their trial take no room from the others, unless they are many.
    const held = this.buffer.plain + Math.max(0, this.buffer.suspects - this.#slots)
    const most = full ? 0 : this.#slots + ahead - this.executor.busy - held
    const hungry = this.buffer.plain === 0 && this.executor.busy < this.#slots
    return { most, hungry, enough: Math.max(1, Math.ceil((this.#slots + ahead) / 4)) }
  }

  #deliver(jobs: ClaimedJob[]): void {
    if (this.#closed) return
    const lease = this.#parts.lease()
    // Claimed under a lease that was lost meanwhile: not ours to begin.
    const isOurs = (job: ClaimedJob) => job.expiresAt !== null || job.lease === lease
    this.buffer.add(jobs.every(isOurs) ? jobs : jobs.filter(isOurs))
    this.pump()
  }

  #ended(run: Run, conclusion: Conclusion | null): void {
    const ranMs = performance.now() - run.startedAt
    this.load.ended(ranMs)
    if (conclusion === null) this.#trial.over(run.job)
    if (conclusion !== null) this.#write(run.job, run.startedAt, ranMs, conclusion)
    else if (run.written) this.#tell(run.job, 'succeeded', ranMs, WRITTEN)
    else this.#tell(run.job, 'lost', ranMs)
    if (!this.#closed) this.pump()
  }

  #write(job: ClaimedJob, startedAt: number, ranMs: number, { outcome, details }: Conclusion): void {
    this.finisher.add({ job, startedAt, ranMs, outcome, details })
  }

  #answered({ job, outcome, ranMs }: Unwritten, ended: Ended | undefined): void {
    if (ended?.accepted !== true) this.refused += 1
    // Only now is it over: the next one may end this process before the end of this one is written.
    this.#trial.over(job)
    if (this.buffer.suspects > 0 && !this.#closed) this.pump()
    this.#tell(job, outcome, ranMs, ended)
  }

  #tell(job: ClaimedJob, outcome: string, ranMs: number, ended: WhatBecame = REFUSED): void {
    const { onEnded } = this.#parts.options
    const { accepted, state, dueAt } = ended
    if (accepted) this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1
    if (onEnded === undefined) return
    const { jobId, attempt, kind, queueId } = job
    onEnded({ jobId, attempt, kind, queueId, outcome, accepted, state, dueAt, ranMs })
  }
}
