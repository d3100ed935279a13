/**
 * Long polls for jobs of the same queues. However many callers wait, only one of them claims at a time: after a wake-up the first in line
 * claims, and the next only if that claim returned jobs. Wake-ups come from notifications of new jobs and from the work scout
 * (work-scout.ts), which polls for all waiters together. Without a wake-up, waiting costs no query.
 *
 * Workers that claim by themselves only need the wake-up (`wait`). A few of them are woken at once, and more while there are still
 * jobs to claim, so that one job does not make a thousand workers claim.
 */
import { randomBytes } from 'node:crypto'
import type { ClaimedJob, Wakeups } from '../../domain/port.js'

export interface ClaimWaitersDeps {
  readonly wakeups: Wakeups
  readonly queues: readonly string[]
  /** Whether there is a job to claim now. */
  isWork(): Promise<boolean>
  /** Called when the first caller begins to wait, and when the last has stopped. */
  awaited(waiters: ClaimWaiters, isAwaited: boolean): void
  /** Called when no call has come for a while. */
  unused(): void
}

/** One claim. It calls `found` if another claim would return more. */
export type ClaimAttempt = (found: () => void) => Promise<ClaimedJob[]>

interface ClaimWaiter {
  readonly claim: ClaimAttempt
  readonly resolve: (jobs: ClaimedJob[]) => void
  readonly reject: (error: unknown) => void
  /** A claim for this waiter is running and may return jobs, so the waiter cannot leave before it has ended. */
  claiming: boolean
  /** Its time is over, or its caller has disconnected. */
  over: boolean
}

const UNUSED_MS = 60_000
const WOKEN_FIRST = 4
const WAKE_MORE_MS = 50

export class ClaimWaiters {
  readonly #deps: ClaimWaitersDeps
  readonly #unsubscribe: () => void
  readonly #name = randomBytes(6).toString('hex')
  #wakeups = 0
  #waiters: ClaimWaiter[] = []
  readonly #listeners = new Set<() => void>()
  #serving = false
  #isEntered = false
  #again = false
  #waking = false
  #timer: NodeJS.Timeout | undefined

  constructor(deps: ClaimWaitersDeps) {
    this.#deps = deps
    this.#unsubscribe = deps.wakeups.on(deps.queues, () => this.wakeUp())
    this.#watchIdle()
  }

  /** The wake-ups so far, as a token for `wait`. */
  get seen(): string {
    return `${this.#name}.${this.#wakeups}`
  }

  /** Resolves with jobs as soon as there are some; with none when the time is over or the caller has disconnected. */
  async claim(claim: ClaimAttempt, waitMs: number, signal: AbortSignal): Promise<ClaimedJob[]> {
    const before = this.#wakeups
    // Only a caller that finds no other claims at once: the first of those who wait has found nothing, or is claiming.
    if (this.#waiters.length === 0 && !this.#isEntered) {
      const jobs = await this.#enter(claim)
      if (jobs.length > 0 || signal.aborted) return jobs
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        this.#waiters = this.#waiters.filter((each) => each !== waiter)
        this.#watchIdle()
      }
      const waiter: ClaimWaiter = {
        claim,
        resolve: (jobs) => {
          leave()
          resolve(jobs)
        },
        reject: (error) => {
          leave()
          reject(error)
        },
        claiming: false,
        over: false,
      }
      const end = () => {
        waiter.over = true
        if (!waiter.claiming) waiter.resolve([])
      }
      const timer = setTimeout(end, waitMs)
      signal.addEventListener('abort', end)
      this.#waiters.push(waiter)
      if (signal.aborted) end()
      else if (this.#wakeups !== before) void this.#serve()
      this.#watchIdle()
    })
  }

  async #enter(claim: ClaimAttempt): Promise<ClaimedJob[]> {
    this.#isEntered = true
    try {
      return await claim(() => this.wakeUp())
    } finally {
      this.#isEntered = false
      // It may have claimed some of many jobs, or failed for a reason of its own: the next in line claims.
      if (this.#waiters.length > 0) void this.#serve()
    }
  }

  /** True if there was a wake-up since `seen`; false when the time is over or the caller has disconnected. */
  wait(seen: string | undefined, waitMs: number, signal: AbortSignal): Promise<boolean> {
    if (seen !== this.seen) return Promise.resolve(true)
    if (waitMs === 0 || signal.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const leave = (woken: boolean) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        this.#listeners.delete(wake)
        this.#watchIdle()
        resolve(woken)
      }
      const wake = () => leave(true)
      const end = () => leave(false)
      const timer = setTimeout(end, waitMs)
      signal.addEventListener('abort', end)
      this.#listeners.add(wake)
      this.#watchIdle()
    })
  }

  get queues(): readonly string[] {
    return this.#deps.queues
  }

  /** There may be a job to claim. */
  wakeUp(): void {
    this.#wakeups += 1
    void this.#serve()
    if (!this.#waking) void this.#wakeListeners()
  }

  async #serve(): Promise<void> {
    this.#again = true
    if (this.#serving) return
    this.#serving = true
    while (this.#again) {
      this.#again = false
      while (await this.#serveFirst());
    }
    this.#serving = false
  }

  /** Returns false when there is no more job for any waiter. */
  async #serveFirst(): Promise<boolean> {
    const [waiter] = this.#waiters
    if (waiter === undefined) return false
    waiter.claiming = true
    try {
      const jobs = await waiter.claim(() => this.#moveToFront(waiter))
      waiter.claiming = false
      if (jobs.length > 0 || waiter.over) waiter.resolve(jobs)
      return jobs.length > 0 || waiter.over
    } catch (error) {
      waiter.reject(error)
      return true
    }
  }

  /** The claim of this waiter has buffered jobs that only its own next claim returns. */
  #moveToFront(waiter: ClaimWaiter): void {
    if (!this.#waiters.includes(waiter)) return
    this.#waiters = [waiter, ...this.#waiters.filter((each) => each !== waiter)]
    void this.#serve()
  }

  async #wakeListeners(): Promise<void> {
    this.#waking = true
    for (let countMax = WOKEN_FIRST; this.#listeners.size > 0; countMax *= 2) {
      for (const wake of [...this.#listeners].slice(0, countMax)) wake()
      if (this.#listeners.size === 0) break
      await new Promise((resolve) => setTimeout(resolve, WAKE_MORE_MS))
      if (!(await this.#deps.isWork().catch(() => true))) break
    }
    this.#waking = false
  }

  /** Ends this object a while after its last caller has left. */
  #watchIdle(): void {
    const isEmpty = this.#waiters.length === 0 && this.#listeners.size === 0
    this.#deps.awaited(this, !isEmpty)
    clearTimeout(this.#timer)
    if (!isEmpty) return
    this.#timer = setTimeout(() => this.#end(), UNUSED_MS)
    this.#timer.unref()
  }

  #end(): void {
    this.#unsubscribe()
    this.#deps.unused()
  }
}
