/**
 * Waits for the ends of jobs, for all handles of a process together: one question asks for up to a thousand of them, so ten
 * thousand callers that wait cost what one costs. Asked often while jobs end, rarely while nothing happens, and at once when a
 * worker of this very process has ended something.
 */
import { holdfastError } from '../domain/errors.js'
import type { JobEnd } from './read.js'

export interface WaitOptions {
  /** Stops the waiting, not the job. */
  readonly signal?: AbortSignal
  /** Gives up waiting after this long with `deadline_exceeded`; the job goes on. */
  readonly timeoutMs?: number
}

type Ask = (jobIds: readonly number[]) => Promise<readonly JobEnd[]>

interface Waiter {
  resolve(end: JobEnd): void
  reject(error: unknown): void
}

const ASKED_MAX = 1_000
const SOONEST_MS = 15
const LATEST_MS = 1_000

export class Results {
  readonly #ask: Ask
  /** In the order they are asked for: those that were asked for and had not ended go to the end. */
  readonly #waiting = new Map<number, Set<Waiter>>()
  #pauseMs = SOONEST_MS
  #timer: NodeJS.Timeout | undefined
  #asking = false
  #nudged = false
  #closed = false

  constructor(ask: Ask) {
    this.#ask = ask
  }

  wait(jobId: number, { signal, timeoutMs }: WaitOptions = {}): Promise<JobEnd> {
    if (this.#closed) return Promise.reject(stopped())
    if (signal?.aborted) return Promise.reject(signal.reason)
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        this.#remove(jobId, waiter)
      }
      const waiter: Waiter = {
        resolve: (end) => {
          leave()
          resolve(end)
        },
        reject: (error) => {
          leave()
          reject(error)
        },
      }
      const onAbort = () => waiter.reject(signal?.reason)
      signal?.addEventListener('abort', onAbort)
      if (timeoutMs !== undefined) {
        const late = () =>
          waiter.reject(holdfastError('deadline_exceeded', { call: 'result', ms: timeoutMs }))
        timer = setTimeout(late, timeoutMs)
      }
      const company = this.#waiting.get(jobId)
      if (company) company.add(waiter)
      else this.#waiting.set(jobId, new Set([waiter]))
      this.#soon()
    })
  }

  /** Something has ended in this process; whether anybody waits for it, the next question shows. */
  nudge(): void {
    this.#nudged = true
    if (this.#waiting.size > 0) this.#soon()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const waiters of [...this.#waiting.values()])
      for (const waiter of [...waiters]) waiter.reject(stopped())
  }

  #remove(jobId: number, waiter: Waiter): void {
    const company = this.#waiting.get(jobId)
    company?.delete(waiter)
    if (company?.size === 0) this.#waiting.delete(jobId)
    if (this.#waiting.size === 0) {
      clearTimeout(this.#timer)
      this.#timer = undefined
    }
  }

  #soon(): void {
    if (this.#pauseMs > SOONEST_MS) {
      clearTimeout(this.#timer)
      this.#timer = undefined
    }
    this.#pauseMs = SOONEST_MS
    this.#schedule()
  }

  #schedule(): void {
    if (this.#asking || this.#closed || this.#timer !== undefined || this.#waiting.size === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#look()
    }, this.#pauseMs)
  }

  async #look(): Promise<void> {
    this.#asking = true
    this.#nudged = false
    try {
      const asked = [...this.#waiting.keys()].slice(0, ASKED_MAX)
      const ends = await this.#ask(asked)
      for (const end of ends) this.#tell(end)
      this.#toTheEnd(asked)
      const busy = ends.length > 0 || this.#nudged
      this.#pauseMs = busy ? SOONEST_MS : Math.min(LATEST_MS, this.#pauseMs * 1.5)
    } catch {
      // The database is away. Who waits goes on waiting: the job may well end meanwhile.
      this.#pauseMs = LATEST_MS
    } finally {
      this.#asking = false
      this.#schedule()
    }
  }

  #tell(end: JobEnd): void {
    for (const waiter of [...(this.#waiting.get(end.jobId) ?? [])]) waiter.resolve(end)
  }

  #toTheEnd(asked: readonly number[]): void {
    if (asked.length < ASKED_MAX) return
    for (const jobId of asked) {
      const waiters = this.#waiting.get(jobId)
      if (waiters === undefined) continue
      this.#waiting.delete(jobId)
      this.#waiting.set(jobId, waiters)
    }
  }
}

function stopped() {
  return holdfastError('unavailable', { problem: 'the app has been stopped' })
}
