/**
 * Writes the outcomes of attempts in batches: all that ended since the last call, in one call. An outcome is kept and sent again until the
 * database answers: the fence makes a repeated finish harmless, while a lost one would run the job twice. Plain successes are batched apart
 * from the rest, because the database has a shorter path for them. So are outcomes whose row another transaction has locked, so that no
 * other outcome waits for them.
 */
import { HoldfastError } from '../domain/errors/errors.js'
import type { Log } from '../domain/log.js'
import { attemptName, type ClaimedJob, type ClaimPort, type Ended, type Ending } from '../domain/port.js'
import type { Outcome } from '../domain/states/states.js'
import type { Details } from './conclude.js'
import { Condition } from './condition.js'
import { RetryTimer } from './retry-timer.js'
import type { AttemptTrace } from './worker-options.js'

export interface PendingFinish {
  readonly job: ClaimedJob
  readonly startedAt: number
  readonly ranMs: number
  readonly trace: AttemptTrace | null
  outcome: Outcome
  details: Details | null
}

const BATCH = 1000
const IN_FLIGHT = 3
/** While a call is in flight, the next one waits for this many outcomes, or for this time. */
const MIN_BATCH = 200
const BATCH_WAIT_MS = 20
/** How soon an outcome whose row was locked is sent again. */
const LOCKED_MS = 1_000

export class Finisher {
  readonly #port: Pick<ClaimPort, 'finish'>
  readonly #answered: (unwritten: PendingFinish, ended: Ended | undefined) => void
  readonly #afterCall: (batch: readonly PendingFinish[]) => void
  readonly #log: Log | undefined
  #plain: PendingFinish[] = []
  #detailed: PendingFinish[] = []
  #detailedNext = false
  readonly #flights = new Set<readonly PendingFinish[]>()
  #sentAt = 0
  #scheduled = false
  #stopped = false
  #late: NodeJS.Timeout | undefined
  /** Outcomes whose row another transaction has locked. */
  #locked: PendingFinish[] = []
  #lockedTimer: NodeJS.Timeout | undefined
  readonly #retry = new RetryTimer(() => this.#flush())
  readonly #written = new Condition()

  constructor(parts: {
    port: Pick<ClaimPort, 'finish'>
    /** The database's answer to one outcome; undefined when it could not be written at all. */
    answered: (unwritten: PendingFinish, ended: Ended | undefined) => void
    afterCall: (batch: readonly PendingFinish[]) => void
    log: Log | undefined
  }) {
    this.#port = parts.port
    this.#answered = parts.answered
    this.#afterCall = parts.afterCall
    this.#log = parts.log
  }

  add(unwritten: PendingFinish): void {
    if (unwritten.outcome === 'succeeded' && unwritten.details === null) this.#plain.push(unwritten)
    else this.#detailed.push(unwritten)
    if (this.#scheduled) return
    this.#scheduled = true
    // Jobs that end in one turn of the event loop are sent together.
    setImmediate(() => {
      this.#scheduled = false
      this.#flush()
    })
  }

  get backlog(): number {
    let count = this.#plain.length + this.#detailed.length + this.#locked.length
    for (const batch of this.#flights) count += batch.length
    return count
  }

  jobs(): ClaimedJob[] {
    return this.#all().map(({ job }) => job)
  }

  /** Whether such an outcome waits to be written. */
  some(which: (unwritten: PendingFinish) => boolean): boolean {
    return this.#all().some(which)
  }

  /** Jobs whose handler was called. */
  begun(): ClaimedJob[] {
    return this.#all()
      .filter(({ details }) => details?.started !== false)
      .map(({ job }) => job)
  }

  /** Resolves when everything is written. */
  whenEmpty(): Promise<void> {
    return this.#written.until(() => this.backlog === 0)
  }

  /** Resolves when no such outcome waits to be written. */
  whenNone(which: (unwritten: PendingFinish) => boolean): Promise<void> {
    return this.#written.until(() => !this.some(which))
  }

  /** Gives up on unwritten outcomes; their leases expire. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#late)
    clearTimeout(this.#lockedTimer)
    this.#retry.stop()
  }

  #all(): PendingFinish[] {
    return [...this.#plain, ...this.#detailed, ...this.#locked, ...[...this.#flights].flat()]
  }

  #flush(): void {
    while (!this.#stopped && !this.#retry.active && this.#flights.size < IN_FLIGHT) {
      const waiting = this.#plain.length + this.#detailed.length
      if (waiting === 0) return
      if (this.#flights.size > 0 && waiting < MIN_BATCH && performance.now() - this.#sentAt < BATCH_WAIT_MS) {
        this.#late ??= setTimeout(() => {
          this.#late = undefined
          this.#flush()
        }, BATCH_WAIT_MS)
        return
      }
      void this.#call(this.#take())
    }
  }

  #take(): PendingFinish[] {
    const detailed = this.#plain.length === 0 || (this.#detailedNext && this.#detailed.length > 0)
    this.#detailedNext = !detailed
    const list = detailed ? this.#detailed : this.#plain
    if (list.length > BATCH) return list.splice(0, BATCH)
    if (detailed) this.#detailed = []
    else this.#plain = []
    return list
  }

  async #call(batch: PendingFinish[]): Promise<void> {
    this.#flights.add(batch)
    this.#sentAt = performance.now()
    const locked: PendingFinish[] = []
    try {
      await this.#send(batch, locked)
      this.#retry.reset()
    } catch (error) {
      // The database is unreachable: the same batch is sent again later.
      this.#log?.warn(
        { event: 'finish_failed', error: (error as Error).message, endings: batch.length },
        'finish call failed; will retry',
      )
      for (const unwritten of batch) {
        if (locked.includes(unwritten)) continue
        if (unwritten.details === null && unwritten.outcome === 'succeeded') this.#plain.push(unwritten)
        else this.#detailed.push(unwritten)
      }
      if (!this.#stopped) this.#retry.start()
    }
    this.#flights.delete(batch)
    if (locked.length > 0) this.#sendLater(locked)
    this.#afterCall(batch)
    this.#flush()
    this.#written.notify()
  }

  #sendLater(locked: readonly PendingFinish[]): void {
    this.#locked.push(...locked)
    if (this.#stopped) return
    this.#lockedTimer ??= setTimeout(() => {
      this.#lockedTimer = undefined
      void this.#call(this.#locked.splice(0, BATCH))
    }, LOCKED_MS)
  }

  /** Throws only when the database is unreachable; then no outcome of the batch was answered. A refused batch is sent in halves, to find the outcome at fault. */
  async #send(batch: PendingFinish[], locked: PendingFinish[]): Promise<void> {
    const now = performance.now()
    let ended: Ended[]
    try {
      ended = await this.#port.finish(batch.map((unwritten) => endingOf(unwritten, now)))
    } catch (error) {
      const isLocked = lockedIn(error)
      const free = batch.filter((unwritten) => !isLocked(unwritten))
      if (free.length < batch.length) {
        locked.push(...batch.filter(isLocked))
        // These are written; repeating the call without the locked ones returns their answers.
        if (free.length > 0) await this.#send(free, locked)
      } else if (isRefusal(error)) await this.#sendInParts(batch, error, locked)
      else throw error
      return
    }
    batch.forEach((unwritten, index) => {
      this.#answered(unwritten, ended[index])
    })
  }

  async #sendInParts(batch: PendingFinish[], error: HoldfastError, locked: PendingFinish[]): Promise<void> {
    const [only] = batch
    if (batch.length === 1 && only !== undefined) return this.#sendSimpler(only, error, locked)
    const half = Math.ceil(batch.length / 2)
    await this.#sendUntilAnswered(batch.slice(0, half), locked)
    await this.#sendUntilAnswered(batch.slice(half), locked)
  }

  /** Ends the attempt as failed when the database refuses its result or error. */
  async #sendSimpler(unwritten: PendingFinish, error: HoldfastError, locked: PendingFinish[]): Promise<void> {
    const jobId = unwritten.job.jobId
    this.#log?.error(
      { event: 'finish_refused', jobId, error: error.message },
      'finish refused by the database',
    )
    const simple = unwritten.outcome === 'failed' && unwritten.details?.error instanceof HoldfastError
    if (simple) {
      // The worker holds the job no longer, so the recovery of lost claims releases it.
      this.#answered(unwritten, undefined)
      return
    }
    unwritten.outcome = 'failed'
    unwritten.details = { error }
    await this.#sendUntilAnswered([unwritten], locked)
  }

  async #sendUntilAnswered(part: PendingFinish[], locked: PendingFinish[]): Promise<void> {
    while (!this.#stopped) {
      try {
        return await this.#send(part, locked)
      } catch {
        await this.#retry.wait()
      }
    }
  }
}

function endingOf({ job, startedAt, outcome, details }: PendingFinish, now: number): Ending {
  const { jobId, attempt, lease } = job
  const startedAgoMs = now - startedAt
  return details === null
    ? { jobId, attempt, lease, outcome, startedAgoMs }
    : { jobId, attempt, lease, outcome, startedAgoMs, ...details }
}

/** Outcomes whose row another transaction has locked; the call has written all others. */
function lockedIn(error: unknown): (unwritten: PendingFinish) => boolean {
  if (!(error instanceof HoldfastError) || error.code !== 'job_locked') return () => false
  const { locked = [] } = error.details as { locked?: readonly [jobId: number, attempt: number][] }
  const names = new Set(locked.map(([jobId, attempt]) => attemptName({ jobId, attempt })))
  return ({ job }) => names.has(attemptName(job))
}

/** The database is reachable and refused the call: it would refuse it again. */
function isRefusal(error: unknown): error is HoldfastError {
  return error instanceof HoldfastError && error.status < 500 && error.code !== 'conflict'
}
