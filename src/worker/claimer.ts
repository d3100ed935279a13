/**
 * Claims jobs in batches: as many as there is room for, in one call. Room that appears while a call is in flight is claimed by the next.
 * After an empty claim it sleeps until a wake-up, until the poll interval elapses, or until this worker finishes a job, which may have
 * made another job of the same target or limit claimable.
 */
import type { ClaimAsk, ClaimedJob, ClaimPort, Wakeups } from '../domain/port.js'
import { RetryTimer } from './retry-timer.js'

const BATCH = 1000
/** After this many empty claims in a row, finishing a job no longer triggers a claim. */
const FRUITLESS_POLLS_MAX = 8

export interface ClaimerParts {
  readonly port: Pick<ClaimPort, 'claim'>
  readonly wakeups: Wakeups | undefined
  readonly pollMs: number
  /** With wake-ups the poll is only a safety net; its interval grows up to this. */
  readonly longestPollMs: number
  /** The claim to make; null while there is no lease. */
  ask(): Omit<ClaimAsk, 'limit' | 'startNow' | 'found'> | null
  /** How many jobs to claim at most, how many of them could start at once, and below which number to wait for more room. */
  room(): { claimMax: number; free: number; hasIdleSlots: boolean; minBatch: number }
  deliver(jobs: ClaimedJob[]): void
  /** A claim failed, but it may have taken effect. */
  failed(error: unknown, lease: number): void
}

export class Claimer {
  readonly #parts: ClaimerParts
  #requested = 0
  #inFlight = 0
  #asleep = false
  #woken = false
  #wokenByFinish = false
  #fruitlessPollsLeft = FRUITLESS_POLLS_MAX
  #lastFull = false
  #stopped = false
  #pollMs: number
  #poll: NodeJS.Timeout | undefined
  #scheduled = false
  readonly #retry = new RetryTimer(() => this.nudge())
  #off: (() => void) | undefined
  #settling: (() => void)[] = []
  claims = 0
  claimed = 0

  constructor(parts: ClaimerParts) {
    this.#parts = parts
    this.#pollMs = parts.pollMs
  }

  start(queues: readonly string[]): void {
    this.#off = this.#parts.wakeups?.on(queues, () => this.wake())
    this.nudge()
  }

  /** Call it when there may be room. */
  nudge(): void {
    if (this.#scheduled || this.#asleep || this.#stopped) return
    this.#scheduled = true
    // Slots that become free in one turn of the loop are filled together.
    setImmediate(() => {
      this.#scheduled = false
      this.#claimWhatFits()
    })
  }

  /** Call it when there may be work. */
  wake(): void {
    this.#woken = true
    this.#pollMs = this.#parts.pollMs
    if (this.#asleep) {
      clearTimeout(this.#poll)
      this.#asleep = false
      // After a sleep there is nothing to batch, and a turn of the loop would delay the job by a tenth of a millisecond.
      this.#claimWhatFits()
    } else this.nudge()
  }

  /** Call it when this worker has finished a job. */
  finished(hadTarget: boolean): void {
    if (!this.#asleep || (!hadTarget && this.#fruitlessPollsLeft <= 0)) return
    this.#wokenByFinish = true
    this.#resume()
  }

  /** Claims once, now; returns how many jobs were found. */
  async claimNow(): Promise<number> {
    const { claimMax } = this.#parts.room()
    if (this.#stopped || claimMax < 1) return 0
    return this.#claim(Math.min(claimMax, BATCH))
  }

  /** Stops claiming; resolves when the claims in flight are answered. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#off?.()
    clearTimeout(this.#poll)
    this.#retry.stop()
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#settling.push(resolve))
  }

  /** Claims in flight. */
  get inFlight(): number {
    return this.#inFlight
  }

  #claimWhatFits(): void {
    if (this.#stopped || this.#asleep || this.#retry.active) return
    const { claimMax, hasIdleSlots, minBatch } = this.#parts.room()
    const room = Math.min(claimMax - this.#requested, BATCH)
    if (room < 1) return
    // A second claim only when the last batch was full and there is much room: then the queue is deep.
    if (this.#inFlight >= 2 || (this.#inFlight === 1 && !(this.#lastFull && room >= minBatch))) return
    if (!hasIdleSlots && room < minBatch) return
    void this.#claim(room)
  }

  async #claim(limit: number): Promise<number> {
    const ask = this.#parts.ask()
    if (ask === null) return 0
    const startNow = Math.max(0, this.#parts.room().free - this.#requested)
    this.#inFlight += 1
    this.#requested += limit
    this.#woken = false
    this.claims += 1
    let found = 0
    try {
      const jobs = await this.#parts.port.claim({ ...ask, limit, startNow, found: () => this.wake() })
      found = jobs.length
      this.claimed += found
      this.#retry.reset()
      this.#adapt(found, limit)
      this.#settle(limit)
      if (found > 0) this.#parts.deliver(jobs)
    } catch (error) {
      this.#settle(limit)
      this.#lastFull = false
      if (!this.#stopped) this.#retry.start()
      this.#parts.failed(error, ask.lease)
    }
    if (this.#stopped && this.#inFlight === 0) for (const resolve of this.#settling.splice(0)) resolve()
    this.nudge()
    return found
  }

  #settle(limit: number): void {
    this.#inFlight -= 1
    this.#requested -= limit
  }

  #adapt(found: number, limit: number): void {
    this.#lastFull = found === limit
    if (this.#wokenByFinish)
      this.#fruitlessPollsLeft = found > 0 ? FRUITLESS_POLLS_MAX : this.#fruitlessPollsLeft - 1
    this.#wokenByFinish = false
    if (found > 0) {
      this.#pollMs = this.#parts.pollMs
      if (this.#asleep) this.#resume()
      // Woken during the claim: the job may have arrived after it looked.
    } else if (!this.#woken && this.#inFlight === 1) this.#sleep()
  }

  #sleep(): void {
    if (this.#stopped) return
    this.#asleep = true
    clearTimeout(this.#poll)
    this.#poll = setTimeout(() => {
      this.#fruitlessPollsLeft = Math.max(this.#fruitlessPollsLeft, 1)
      this.#resume()
    }, this.#pollMs)
    const { wakeups, pollMs, longestPollMs } = this.#parts
    const longest = wakeups?.active === true ? longestPollMs : pollMs
    this.#pollMs = Math.max(pollMs, Math.min(this.#pollMs * 2, longest))
  }

  #resume(): void {
    clearTimeout(this.#poll)
    this.#asleep = false
    this.nudge()
  }
}

const WINDOW_MS = 50
/** Prefetch what the worker finishes in a tenth of a second: a more urgent job waits no longer than that. */
const PREFETCH_MS = 100
const SMOOTH = 0.3
/** Jobs faster than this start right after their claim: marking them as started would cost more than running them. */
const FAST_MS = 50

/** Measures how fast this worker finishes jobs, to decide how many to claim ahead. */
export class Throughput {
  #ended = 0
  #since = performance.now()
  #perMs = 0
  #meanRunMs = 0

  ended(ranMs: number): void {
    this.#ended += 1
    this.#meanRunMs += (ranMs - this.#meanRunMs) * (this.#meanRunMs === 0 ? 1 : 0.05)
  }

  get meanRunMs(): number {
    return this.#meanRunMs
  }

  get isFast(): boolean {
    return this.#meanRunMs > 0 && this.#meanRunMs < FAST_MS
  }

  /** How many jobs to claim beyond the free slots. */
  prefetch(slots: number): number {
    const now = performance.now()
    const elapsed = now - this.#since
    if (elapsed >= WINDOW_MS) {
      this.#perMs += (this.#ended / elapsed - this.#perMs) * SMOOTH
      this.#ended = 0
      this.#since = now
    }
    return Math.min(Math.max(1, slots), Math.floor(this.#perMs * PREFETCH_MS))
  }
}
