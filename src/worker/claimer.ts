/**
 * Fetches work: as many jobs as there is room for, in one call. Asked for more whenever room appears, it gathers what appears while a
 * call is under way. When nothing is found it sleeps until it is woken, until the poll interval is over, or until something of ours
 * was finished, which may have let another job of the same target or limit come up.
 */
import type { ClaimAsk, ClaimedJob, Wakeups, WorkPort } from '../domain/port.js'
import { Pause } from './pause.js'

const BATCH = 1000
/** After so many looks in vain, finished jobs are no reason to look again. */
const PATIENCE = 8

export interface ClaimerParts {
  readonly port: Pick<WorkPort, 'claim'>
  readonly wakeups: Wakeups | undefined
  readonly pollMs: number
  /** With wake-ups the poll is only a safety net, and becomes rarer, up to this. */
  readonly longestPollMs: number
  /** What to ask for; null while there is no lease. */
  ask(): Omit<ClaimAsk, 'limit' | 'begins' | 'found'> | null
  /** How many jobs could be taken now, how many of them could begin at once, and whether to ask for few. */
  room(): { most: number; free: number; hungry: boolean; enough: number }
  deliver(jobs: ClaimedJob[]): void
  /** A claim failed: it may have taken effect all the same. */
  failed(error: unknown, lease: number): void
}

export class Claimer {
  readonly #parts: ClaimerParts
  #asked = 0
  #inFlight = 0
  #asleep = false
  #woken = false
  #wokenByFinish = false
  #luck = PATIENCE
  #lastFull = false
  #stopped = false
  #pollMs: number
  #poll: NodeJS.Timeout | undefined
  #scheduled = false
  readonly #pause = new Pause(() => this.nudge())
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

  /** There is room, perhaps. */
  nudge(): void {
    if (this.#scheduled || this.#asleep || this.#stopped) return
    this.#scheduled = true
    // Slots that become free in one turn of the loop are filled together.
    setImmediate(() => {
      this.#scheduled = false
      this.#claimWhatFits()
    })
  }

  /** There is work, perhaps. */
  wake(): void {
    this.#woken = true
    this.#pollMs = this.#parts.pollMs
    if (this.#asleep) {
      clearTimeout(this.#poll)
      this.#asleep = false
      // Who slept has nothing to gather, and a turn of the loop is a tenth of a millisecond that the job waits.
      this.#claimWhatFits()
    } else this.nudge()
  }

  /** Something of ours was finished. */
  finished(hadTarget: boolean): void {
    if (!this.#asleep || (!hadTarget && this.#luck <= 0)) return
    this.#wokenByFinish = true
    this.#getUp()
  }

  /** One look for work, now; answers how many were found. */
  async look(): Promise<number> {
    const { most } = this.#parts.room()
    if (this.#stopped || most < 1) return 0
    return this.#claim(Math.min(most, BATCH))
  }

  /** No claims any more; resolves when those under way have come back. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#off?.()
    clearTimeout(this.#poll)
    this.#pause.end()
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#settling.push(resolve))
  }

  /** Claims under way. */
  get inFlight(): number {
    return this.#inFlight
  }

  #claimWhatFits(): void {
    if (this.#stopped || this.#asleep || this.#pause.active) return
    const { most, hungry, enough } = this.#parts.room()
    const room = Math.min(most - this.#asked, BATCH)
    if (room < 1) return
    // A second claim only when the last came back full and there is much room: then the queue is deep.
    if (this.#inFlight >= 2 || (this.#inFlight === 1 && !(this.#lastFull && room >= enough))) return
    if (!hungry && room < enough) return
    void this.#claim(room)
  }

  async #claim(limit: number): Promise<number> {
    const ask = this.#parts.ask()
    if (ask === null) return 0
    const begins = Math.max(0, this.#parts.room().free - this.#asked)
    this.#inFlight += 1
    this.#asked += limit
    this.#woken = false
    this.claims += 1
    let found = 0
    try {
      const jobs = await this.#parts.port.claim({ ...ask, limit, begins, found: () => this.wake() })
      found = jobs.length
      this.claimed += found
      this.#pause.reset()
      this.#learn(found, limit)
      this.#leave(limit)
      if (found > 0) this.#parts.deliver(jobs)
    } catch (error) {
      this.#leave(limit)
      this.#lastFull = false
      if (!this.#stopped) this.#pause.begin()
      this.#parts.failed(error, ask.lease)
    }
    if (this.#stopped && this.#inFlight === 0) for (const resolve of this.#settling.splice(0)) resolve()
    this.nudge()
    return found
  }

  #leave(limit: number): void {
    this.#inFlight -= 1
    this.#asked -= limit
  }

  #learn(found: number, limit: number): void {
    this.#lastFull = found === limit
    if (this.#wokenByFinish) this.#luck = found > 0 ? PATIENCE : this.#luck - 1
    this.#wokenByFinish = false
    if (found > 0) {
      this.#pollMs = this.#parts.pollMs
      if (this.#asleep) this.#getUp()
      // Woken while we looked: what woke us may have come after.
    } else if (!this.#woken && this.#inFlight === 1) this.#sleep()
  }

  #sleep(): void {
    if (this.#stopped) return
    this.#asleep = true
    clearTimeout(this.#poll)
    this.#poll = setTimeout(() => {
      this.#luck = Math.max(this.#luck, 1)
      this.#getUp()
    }, this.#pollMs)
    const { wakeups, pollMs, longestPollMs } = this.#parts
    const longest = wakeups?.active === true ? longestPollMs : pollMs
    this.#pollMs = Math.max(pollMs, Math.min(this.#pollMs * 2, longest))
  }

  #getUp(): void {
    clearTimeout(this.#poll)
    this.#asleep = false
    this.nudge()
  }
}
