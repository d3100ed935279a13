/**
 * Those who wait for work of the same queues. However many they are, the database hears one of them at a time: when there is a sign of
 * work the first in line looks, and the next only if that was not in vain. Signs come from announcements of new jobs, and from the scout
 * (scout.ts), which asks for all lines together. While there is none, waiting costs nothing.
 *
 * Some do not want jobs of us but only a word (`wait`): a few of them are told at once, and more while there is still something to
 * take, so that one job does not bring a thousand workers to the door.
 */
import { randomBytes } from 'node:crypto'
import type { ClaimedJob, Wakeups } from '../../domain/port.js'

export interface LineParts {
  readonly wakeups: Wakeups
  readonly queues: readonly string[]
  /** Whether anything could be claimed now. */
  isWork(): Promise<boolean>
  /** Now there are some who wait; or none any more. */
  awaited(line: Line, isAwaited: boolean): void
  /** No call has come for a while. */
  deserted(): void
}

/** One try to take jobs; `found` says that another would bring more. */
export type Look = (found: () => void) => Promise<ClaimedJob[]>

interface Waiter {
  readonly look: Look
  readonly answer: (jobs: ClaimedJob[]) => void
  readonly refuse: (error: unknown) => void
  /** A look for it is under way, and may take jobs: it cannot go before that is back. */
  looking: boolean
  /** Its time is over, or its caller gone. */
  over: boolean
}

const DESERTED_MS = 60_000
const TOLD_FIRST = 4
const TELL_MORE_MS = 50

export class Line {
  readonly #parts: LineParts
  readonly #off: () => void
  readonly #name = randomBytes(6).toString('hex')
  #signs = 0
  #waiters: Waiter[] = []
  readonly #listeners = new Set<() => void>()
  #serving = false
  #isEntered = false
  #again = false
  #telling = false
  #timer: NodeJS.Timeout | undefined

  constructor(parts: LineParts) {
    this.#parts = parts
    this.#off = parts.wakeups.on(parts.queues, () => this.sign())
    this.#rest()
  }

  /** What this line has heard so far, as a word to come back with. */
  get seen(): string {
    return `${this.#name}.${this.#signs}`
  }

  /** Jobs as soon as there are some; none when the time is over or the caller has gone. */
  async claim(look: Look, waitMs: number, signal: AbortSignal): Promise<ClaimedJob[]> {
    const before = this.#signs
    // Behind others: nothing was there when the first of them looked, or it looks for all who come meanwhile.
    if (this.#waiters.length === 0 && !this.#isEntered) {
      const jobs = await this.#enter(look)
      if (jobs.length > 0 || signal.aborted) return jobs
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        this.#waiters = this.#waiters.filter((one) => one !== waiter)
        this.#rest()
      }
      const waiter: Waiter = {
        look,
        answer: (jobs) => {
          leave()
          resolve(jobs)
        },
        refuse: (error) => {
          leave()
          reject(error)
        },
        looking: false,
        over: false,
      }
      const end = () => {
        waiter.over = true
        if (!waiter.looking) waiter.answer([])
      }
      const timer = setTimeout(end, waitMs)
      signal.addEventListener('abort', end)
      this.#waiters.push(waiter)
      if (signal.aborted) end()
      else if (this.#signs !== before) void this.#serve()
      this.#rest()
    })
  }

  async #enter(look: Look): Promise<ClaimedJob[]> {
    this.#isEntered = true
    try {
      return await look(() => this.sign())
    } finally {
      this.#isEntered = false
      // It may have taken some of many, or failed for itself alone: the next in line looks.
      if (this.#waiters.length > 0) void this.#serve()
    }
  }

  /** True when there was a sign since `seen`; false when the time is over or the caller has gone. */
  wait(seen: string | undefined, waitMs: number, signal: AbortSignal): Promise<boolean> {
    if (seen !== this.seen) return Promise.resolve(true)
    if (waitMs === 0 || signal.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const leave = (woken: boolean) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        this.#listeners.delete(tell)
        this.#rest()
        resolve(woken)
      }
      const tell = () => leave(true)
      const end = () => leave(false)
      const timer = setTimeout(end, waitMs)
      signal.addEventListener('abort', end)
      this.#listeners.add(tell)
      this.#rest()
    })
  }

  get queues(): readonly string[] {
    return this.#parts.queues
  }

  /** There may be work. */
  sign(): void {
    this.#signs += 1
    void this.#serve()
    if (!this.#telling) void this.#tell()
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

  /** False: there is nothing more for anybody in this line. */
  async #serveFirst(): Promise<boolean> {
    const [waiter] = this.#waiters
    if (waiter === undefined) return false
    waiter.looking = true
    try {
      const jobs = await waiter.look(() => this.#beFirst(waiter))
      waiter.looking = false
      if (jobs.length > 0 || waiter.over) waiter.answer(jobs)
      return jobs.length > 0 || waiter.over
    } catch (error) {
      waiter.refuse(error)
      return true
    }
  }

  /** Jobs have been taken beside its look, which only its next look can fetch. */
  #beFirst(waiter: Waiter): void {
    if (!this.#waiters.includes(waiter)) return
    this.#waiters = [waiter, ...this.#waiters.filter((one) => one !== waiter)]
    void this.#serve()
  }

  async #tell(): Promise<void> {
    this.#telling = true
    for (let most = TOLD_FIRST; this.#listeners.size > 0; most *= 2) {
      for (const tell of [...this.#listeners].slice(0, most)) tell()
      if (this.#listeners.size === 0) break
      await new Promise((resolve) => setTimeout(resolve, TELL_MORE_MS))
      if (!(await this.#parts.isWork().catch(() => true))) break
    }
    this.#telling = false
  }

  /** A line in which nobody waits goes after a while. */
  #rest(): void {
    const isEmpty = this.#waiters.length === 0 && this.#listeners.size === 0
    this.#parts.awaited(this, !isEmpty)
    clearTimeout(this.#timer)
    if (!isEmpty) return
    this.#timer = setTimeout(() => this.#end(), DESERTED_MS)
    this.#timer.unref()
  }

  #end(): void {
    this.#off()
    this.#parts.deserted()
  }
}
