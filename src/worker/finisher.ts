/**
 * Tells the database how attempts ended: everything that ended since the last call, in one call. An ending is kept and sent again
 * until the database has answered, because the fence makes a second sending harmless and a lost one would run the job twice.
 * Plain successes go apart from the rest: they take a shorter way through the database. So does what another transaction has locked: it
 * is sent again by itself, and keeps no other ending waiting.
 */
import { HoldfastError } from '../domain/errors.js'
import { attemptName, type ClaimedJob, type Ended, type Ending, type WorkPort } from '../domain/port.js'
import type { Outcome } from '../domain/states.js'
import type { Details } from './conclude.js'
import { Pause } from './pause.js'
import type { AttemptTrace } from './tracing.js'
import { Waiting } from './waiting.js'
import type { WorkerLog } from './worker-options.js'

export interface Unwritten {
  readonly job: ClaimedJob
  readonly startedAt: number
  readonly ranMs: number
  readonly trace: AttemptTrace | null
  outcome: Outcome
  details: Details | null
}

const BATCH = 1000
const IN_FLIGHT = 3
/** While a call is under way, the next one waits until it has this many, or until the call has taken this long. */
const ENOUGH = 200
const LONG_MS = 20
/** How soon an ending whose row was locked is sent again. */
const LOCKED_MS = 1_000

export class Finisher {
  readonly #port: Pick<WorkPort, 'finish'>
  readonly #answered: (unwritten: Unwritten, ended: Ended | undefined) => void
  readonly #afterCall: (batch: readonly Unwritten[]) => void
  readonly #log: WorkerLog | undefined
  #plain: Unwritten[] = []
  #detailed: Unwritten[] = []
  #detailedNext = false
  readonly #flights = new Set<readonly Unwritten[]>()
  #sentAt = 0
  #scheduled = false
  #stopped = false
  #late: NodeJS.Timeout | undefined
  /** Endings whose row another transaction has locked. */
  #locked: Unwritten[] = []
  #lockedTimer: NodeJS.Timeout | undefined
  readonly #pause = new Pause(() => this.#flush())
  readonly #written = new Waiting()

  constructor(parts: {
    port: Pick<WorkPort, 'finish'>
    /** The database's word on one ending; undefined when it could not be written at all. */
    answered: (unwritten: Unwritten, ended: Ended | undefined) => void
    afterCall: (batch: readonly Unwritten[]) => void
    log: WorkerLog | undefined
  }) {
    this.#port = parts.port
    this.#answered = parts.answered
    this.#afterCall = parts.afterCall
    this.#log = parts.log
  }

  add(unwritten: Unwritten): void {
    if (unwritten.outcome === 'succeeded' && unwritten.details === null) this.#plain.push(unwritten)
    else this.#detailed.push(unwritten)
    if (this.#scheduled) return
    this.#scheduled = true
    // All that ends in this turn of the loop goes together.
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

  /** Whether such an ending waits to be written. */
  some(which: (unwritten: Unwritten) => boolean): boolean {
    return this.#all().some(which)
  }

  /** Resolves when everything is written. */
  empty(): Promise<void> {
    return this.#written.until(() => this.backlog === 0)
  }

  /** Resolves when no such ending waits to be written. */
  none(which: (unwritten: Unwritten) => boolean): Promise<void> {
    return this.#written.until(() => !this.some(which))
  }

  /** Gives up on what is not written; the leases run out. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#late)
    clearTimeout(this.#lockedTimer)
    this.#pause.end()
  }

  #all(): Unwritten[] {
    return [...this.#plain, ...this.#detailed, ...this.#locked, ...[...this.#flights].flat()]
  }

  #flush(): void {
    while (!this.#stopped && !this.#pause.active && this.#flights.size < IN_FLIGHT) {
      const waiting = this.#plain.length + this.#detailed.length
      if (waiting === 0) return
      if (this.#flights.size > 0 && waiting < ENOUGH && performance.now() - this.#sentAt < LONG_MS) {
        this.#late ??= setTimeout(() => {
          this.#late = undefined
          this.#flush()
        }, LONG_MS)
        return
      }
      void this.#call(this.#take())
    }
  }

  #take(): Unwritten[] {
    const detailed = this.#plain.length === 0 || (this.#detailedNext && this.#detailed.length > 0)
    this.#detailedNext = !detailed
    const list = detailed ? this.#detailed : this.#plain
    if (list.length > BATCH) return list.splice(0, BATCH)
    if (detailed) this.#detailed = []
    else this.#plain = []
    return list
  }

  async #call(batch: Unwritten[]): Promise<void> {
    this.#flights.add(batch)
    this.#sentAt = performance.now()
    const locked: Unwritten[] = []
    try {
      await this.#send(batch, locked)
      this.#pause.reset()
    } catch (error) {
      // The database is away: the same again, later.
      this.#log?.warn(
        { error: (error as Error).message, endings: batch.length },
        'endings are not yet written',
      )
      for (const unwritten of batch) {
        if (locked.includes(unwritten)) continue
        if (unwritten.details === null && unwritten.outcome === 'succeeded') this.#plain.push(unwritten)
        else this.#detailed.push(unwritten)
      }
      if (!this.#stopped) this.#pause.begin()
    }
    this.#flights.delete(batch)
    if (locked.length > 0) this.#sendLater(locked)
    this.#afterCall(batch)
    this.#flush()
    this.#written.look()
  }

  #sendLater(locked: readonly Unwritten[]): void {
    this.#locked.push(...locked)
    if (this.#stopped) return
    this.#lockedTimer ??= setTimeout(() => {
      this.#lockedTimer = undefined
      void this.#call(this.#locked.splice(0, BATCH))
    }, LOCKED_MS)
  }

  /** Throws only when the database is away, and then nothing of the batch was answered; a refused batch is sent in parts, to find what is wrong with it. */
  async #send(batch: Unwritten[], locked: Unwritten[]): Promise<void> {
    const now = performance.now()
    let ended: Ended[]
    try {
      ended = await this.#port.finish(batch.map((unwritten) => endingOf(unwritten, now)))
    } catch (error) {
      const isLocked = lockedIn(error)
      const free = batch.filter((unwritten) => !isLocked(unwritten))
      if (free.length < batch.length) {
        locked.push(...batch.filter(isLocked))
        // They are written; the same call without the others has their answers.
        if (free.length > 0) await this.#send(free, locked)
      } else if (isRefusal(error)) await this.#sendInParts(batch, error, locked)
      else throw error
      return
    }
    batch.forEach((unwritten, index) => {
      this.#answered(unwritten, ended[index])
    })
  }

  async #sendInParts(batch: Unwritten[], error: HoldfastError, locked: Unwritten[]): Promise<void> {
    const [only] = batch
    if (batch.length === 1 && only !== undefined) return this.#sendSimpler(only, error, locked)
    const half = Math.ceil(batch.length / 2)
    await this.#untilThere(batch.slice(0, half), locked)
    await this.#untilThere(batch.slice(half), locked)
  }

  /** An attempt must not stay open over what its handler said at the end. */
  async #sendSimpler(unwritten: Unwritten, error: HoldfastError, locked: Unwritten[]): Promise<void> {
    const jobId = unwritten.job.jobId
    this.#log?.error({ jobId, error: error.message }, 'an ending was refused')
    const simple = unwritten.outcome === 'failed' && unwritten.details?.error instanceof HoldfastError
    if (simple) {
      // Nobody holds it any more, so what looks for lost claims gives it back.
      this.#answered(unwritten, undefined)
      return
    }
    unwritten.outcome = 'failed'
    unwritten.details = { error }
    await this.#untilThere([unwritten], locked)
  }

  async #untilThere(part: Unwritten[], locked: Unwritten[]): Promise<void> {
    while (!this.#stopped) {
      try {
        return await this.#send(part, locked)
      } catch {
        await this.#pause.once()
      }
    }
  }
}

function endingOf({ job, startedAt, outcome, details }: Unwritten, now: number): Ending {
  const { jobId, attempt, lease } = job
  const startedAgoMs = now - startedAt
  return details === null
    ? { jobId, attempt, lease, outcome, startedAgoMs }
    : { jobId, attempt, lease, outcome, startedAgoMs, ...details }
}

/** The endings whose row another transaction has locked; all others of the call were written. */
function lockedIn(error: unknown): (unwritten: Unwritten) => boolean {
  if (!(error instanceof HoldfastError) || error.code !== 'job_locked') return () => false
  const { locked = [] } = error.details as { locked?: readonly [jobId: number, attempt: number][] }
  const names = new Set(locked.map(([jobId, attempt]) => attemptName({ jobId, attempt })))
  return ({ job }) => names.has(attemptName(job))
}

/** The database is there and says no: the same again would be refused again. */
function isRefusal(error: unknown): error is HoldfastError {
  return error instanceof HoldfastError && error.status < 500 && error.code !== 'conflict'
}
