/**
 * Claims with hints, and the full passes beside them. A pass may walk over a million dead entries, so the claims go on meanwhile;
 * what it finds is handed out by the next claim. The very first claim of a claimer goes alone: several that look through everything
 * at once would each pay for what the first can tell the others.
 */
import { type HintColumns, Hints, noHints } from './hints.js'
import type { ClaimedJob } from './rows.js'

const PASS_LIMIT = 100
/**
 * What nobody fetched for this long goes back, so that it is never run by somebody who had given it up, and does not wait behind a
 * worker whose slots are all taken. However rarely an idle worker looks, it is told of what a pass has found. Shorter than what `keep` takes
 * for a claim whose reply was lost.
 */
const UNFETCHED_MS = 5_000

export interface Door {
  ask(queueIds: readonly number[], columns: HintColumns, limit: number): Promise<ClaimedJob[]>
  giveBack(jobs: readonly ClaimedJob[]): Promise<unknown>
  /** A pass has found jobs, which the next claim will hand out. */
  found?: (() => void) | undefined
}

export class HintedClaims {
  readonly #hints: Hints
  readonly #now: () => number
  readonly #unfetchedMs: number
  #first: Promise<void> | undefined
  #passing = false
  #waiting: { jobs: readonly ClaimedJob[]; at: number } | undefined
  #stale: unknown

  constructor({
    now = () => performance.now(),
    unfetchedMs = UNFETCHED_MS,
  }: { now?: () => number; unfetchedMs?: number } = {}) {
    this.#hints = new Hints(now)
    this.#now = now
    this.#unfetchedMs = unfetchedMs
  }

  async claim(queueIds: readonly number[], limit: number, door: Door): Promise<ClaimedJob[]> {
    if (this.#stale !== undefined) {
      const error = this.#stale
      this.#stale = undefined
      throw error
    }
    const found = this.#fetch(limit, door)
    if (found.length >= limit) return found
    if (this.#first === undefined) {
      const first = this.#ask(queueIds, limit - found.length, door)
      this.#first = first.then(noted, noted)
      return [...found, ...(await first)]
    }
    await this.#first
    this.#lookBehind(queueIds, limit, door)
    return [...found, ...(await this.#ask(queueIds, limit - found.length, door))]
  }

  async #ask(queueIds: readonly number[], limit: number, door: Door, hinted = true): Promise<ClaimedJob[]> {
    const columns = hinted ? this.#hints.columns(queueIds) : noHints(queueIds)
    const began = performance.now()
    const claimed = await door.ask(queueIds, columns, limit)
    this.#hints.learn(queueIds, columns, claimed, performance.now() - began)
    return claimed
  }

  #lookBehind(queueIds: readonly number[], limit: number, door: Door): void {
    if (this.#passing || this.#waiting !== undefined) return
    const due = this.#hints.due(queueIds)
    if (due.length === 0) return
    this.#passing = true
    const pass = this.#ask(due, Math.min(limit, PASS_LIMIT), door, false).then((jobs) => {
      if (jobs.length === 0) return
      const at = this.#now()
      this.#waiting = { jobs, at }
      setTimeout(() => this.#giveBack(at, door), this.#unfetchedMs).unref()
      door.found?.()
    })
    // A pass that failed is tried again at the next claim; whatever is wrong, the claims themselves will say. All but one thing, which
    // only a claim that finds something is told: that its lease serves no more.
    const failed = (error: { code?: string }) => {
      if (error.code === 'lease_stale') this.#stale = error
    }
    pass.catch(failed).finally(() => {
      this.#passing = false
    })
  }

  #fetch(limit: number, door: Door): ClaimedJob[] {
    const waiting = this.#waiting
    if (waiting === undefined) return []
    const { jobs, at } = waiting
    // The timer may be late where the thread is busy.
    if (this.#now() - at > this.#unfetchedMs) {
      this.#giveBack(at, door)
      return []
    }
    this.#waiting = jobs.length > limit ? { jobs: jobs.slice(limit), at } : undefined
    return jobs.slice(0, limit)
  }

  /** What is left of a pass; its lease brings it back if this does not. */
  #giveBack(at: number, door: Door): void {
    const waiting = this.#waiting
    if (waiting?.at !== at) return
    this.#waiting = undefined
    door.giveBack(waiting.jobs).catch(noted)
  }
}

function noted(): void {}
