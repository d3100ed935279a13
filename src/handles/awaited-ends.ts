/**
 * Callers that wait for the ends of jobs. A poller, of the database or of a server, takes the next thousand job ids and passes on the ends
 * it found; so ten thousand waiting callers cost what one costs.
 */
import { holdfastError } from '../domain/errors/errors.js'
import { LIMITS } from '../domain/limits.js'
import type { JobEnd } from './job-ended.js'

export interface WaitOptions {
  /** Stops the waiting, not the job. */
  readonly signal?: AbortSignal
  /** Gives up waiting after this long with `deadline_exceeded`; the job goes on. */
  readonly timeoutMs?: number
}

interface Waiter {
  resolve(end: JobEnd): void
  reject(error: unknown): void
}

export class AwaitedEnds {
  /** In the order they are asked for. */
  readonly #waiting = new Map<number, Set<Waiter>>()
  readonly #deserted: () => void

  /** `deserted` is called when no caller waits any more. */
  constructor(deserted: () => void) {
    this.#deserted = deserted
  }

  get size(): number {
    return this.#waiting.size
  }

  has(jobId: number): boolean {
    return this.#waiting.has(jobId)
  }

  wait(jobId: number, { signal, timeoutMs }: WaitOptions): Promise<JobEnd> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    return new Promise((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined
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
      const late = () => waiter.reject(holdfastError('deadline_exceeded', { call: 'result', ms: timeoutMs }))
      if (timeoutMs !== undefined) timer = setTimeout(late, timeoutMs)
      const company = this.#waiting.get(jobId)
      if (company) company.add(waiter)
      else this.#waiting.set(jobId, new Set([waiter]))
    })
  }

  /** The next to be asked for, as many as fit in one question. Where some did not fit, these go to the end, so that all have their turn. */
  next(): { readonly jobIds: number[]; readonly all: boolean } {
    const jobIds = [...this.#waiting.keys()].slice(0, LIMITS.bulkIdsMax.default)
    const all = jobIds.length === this.#waiting.size
    if (!all) {
      for (const jobId of jobIds) {
        const waiters = this.#waiting.get(jobId) ?? new Set()
        this.#waiting.delete(jobId)
        this.#waiting.set(jobId, waiters)
      }
    }
    return { jobIds, all }
  }

  deliver(end: JobEnd): void {
    this.#each(end.jobId, (waiter) => waiter.resolve(end))
  }

  refuse(jobId: number, error: unknown): void {
    this.#each(jobId, (waiter) => waiter.reject(error))
  }

  refuseAll(error: unknown): void {
    for (const jobId of [...this.#waiting.keys()]) this.refuse(jobId, error)
  }

  #each(jobId: number, deliver: (waiter: Waiter) => void): void {
    for (const waiter of [...(this.#waiting.get(jobId) ?? [])]) deliver(waiter)
  }

  #remove(jobId: number, waiter: Waiter): void {
    const company = this.#waiting.get(jobId)
    company?.delete(waiter)
    if (company?.size === 0) this.#waiting.delete(jobId)
    if (this.#waiting.size === 0) this.#deserted()
  }
}
