/**
 * Waits for the ends of jobs, for all handles of a client together: one long poll asks for up to a thousand of them. Whoever comes while
 * one is under way is taken along by the next, which begins a moment later.
 */
import { HoldfastError, holdfastError } from '../domain/errors.js'
import { type Calls, received } from './calls.js'

export interface WaitOptions {
  /** Stops the waiting, not the job. */
  readonly signal?: AbortSignal
  /** Gives up waiting after this long with `deadline_exceeded`; the job goes on. */
  readonly timeoutMs?: number
}

export interface JobEnd {
  readonly jobId: number
  readonly attempt: number
  readonly state: 'succeeded' | 'failed' | 'canceled'
  readonly finishedAt: Date
  readonly result: unknown
  readonly reason: string | null
  readonly errorClass: string | null
  readonly errorMessage: string | null
  readonly errorStack: string | null
}

interface Waiter {
  resolve(end: JobEnd): void
  reject(error: unknown): void
}

const ASKED_MAX = 1_000
const WAIT_MS = 25_000
/** How long those who come one after the other are gathered. */
const GATHER_MS = 20
const AWAY_MS = 1_000

export class Ends {
  readonly #calls: Calls
  /** In the order they are asked for: those that were asked for and had not ended go to the end. */
  readonly #waiting = new Map<number, Set<Waiter>>()
  #poll: AbortController | undefined
  #asked = new Set<number>()
  #gathering = false
  #running = false

  constructor(calls: Calls) {
    this.#calls = calls
  }

  wait(jobId: number, { signal, timeoutMs }: WaitOptions = {}): Promise<JobEnd> {
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
      this.#gather(jobId)
    })
  }

  #remove(jobId: number, waiter: Waiter): void {
    const company = this.#waiting.get(jobId)
    company?.delete(waiter)
    if (company?.size === 0) this.#waiting.delete(jobId)
    if (this.#waiting.size === 0) this.#poll?.abort()
  }

  #gather(jobId: number): void {
    if (this.#gathering || (this.#running && this.#asked.has(jobId))) return
    this.#gathering = true
    setTimeout(() => {
      this.#gathering = false
      this.#poll?.abort()
      if (!this.#running) void this.#run()
    }, GATHER_MS)
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#waiting.size > 0) {
      const jobIds = [...this.#waiting.keys()].slice(0, ASKED_MAX)
      this.#asked = new Set(jobIds)
      const poll = new AbortController()
      this.#poll = poll
      try {
        await this.#ask(jobIds, poll.signal)
      } catch (error) {
        if (poll.signal.aborted) continue
        if (error instanceof HoldfastError && error.status < 500) this.#refuseAll(error)
        // The server is away. Who waits goes on waiting: the job may well end meanwhile.
        else await new Promise((resolve) => setTimeout(resolve, AWAY_MS))
      }
    }
    this.#running = false
  }

  async #ask(jobIds: number[], signal: AbortSignal): Promise<void> {
    const { ends, unknown } = await this.#calls.call('POST', '/api/v1/jobs/ends', {
      // Those that do not fit in one question must have their turn.
      body: { job_ids: jobIds, wait_ms: jobIds.length < ASKED_MAX ? WAIT_MS : AWAY_MS },
      timeoutMs: WAIT_MS + 10_000,
      repeatable: true,
      signal,
    })
    for (const jobId of unknown) this.#each(jobId, (waiter) => waiter.reject(unknownJob(jobId)))
    for (const end of ends) this.#each(end.job_id, (waiter) => waiter.resolve(received(end)))
    for (const jobId of jobIds) {
      const waiters = this.#waiting.get(jobId)
      if (waiters === undefined || jobIds.length < ASKED_MAX) continue
      this.#waiting.delete(jobId)
      this.#waiting.set(jobId, waiters)
    }
  }

  #each(jobId: number, tell: (waiter: Waiter) => void): void {
    for (const waiter of [...(this.#waiting.get(jobId) ?? [])]) tell(waiter)
  }

  #refuseAll(error: HoldfastError): void {
    for (const jobId of [...this.#waiting.keys()]) this.#each(jobId, (waiter) => waiter.reject(error))
  }
}

function unknownJob(jobId: number): HoldfastError {
  return holdfastError('unknown_job', { job: jobId })
}
