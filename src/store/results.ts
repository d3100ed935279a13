/**
 * Waits for the ends of jobs, for all handles of a process together, by one question to the database. Asked often while jobs end, rarely
 * while nothing happens, and at once when a worker of this very process has ended something.
 */
import { AwaitedEnds, type WaitOptions } from '../domain/awaited-ends.js'
import { holdfastError } from '../domain/errors.js'
import type { JobEnd } from '../domain/job-ended.js'

/** Whom it asks. */
interface Asked {
  ends(jobIds: readonly number[]): Promise<readonly JobEnd[]>
  /** By the ids of those that are there. */
  tenantsOf(jobIds: readonly number[]): Promise<ReadonlyMap<number, unknown>>
}

const SOONEST_MS = 15
const LATEST_MS = 1_000

export class Results {
  readonly #asked: Asked
  readonly #awaited = new AwaitedEnds(() => this.#cancelTimer())
  #pauseMs = SOONEST_MS
  #timer: NodeJS.Timeout | undefined
  #asking = false
  #nudged = false
  #closed = false

  constructor(asked: Asked) {
    this.#asked = asked
  }

  wait(jobId: number, options: WaitOptions = {}): Promise<JobEnd> {
    if (this.#closed) return Promise.reject(stopped())
    const end = this.#awaited.wait(jobId, options)
    if (this.#awaited.has(jobId)) this.#soon()
    return end
  }

  /** Something has ended in this process; whether anybody waits for it, the next question shows. */
  nudge(): void {
    this.#nudged = true
    if (this.#awaited.size > 0) this.#soon()
  }

  close(): void {
    this.#closed = true
    this.#cancelTimer()
    this.#awaited.refuseAll(stopped())
  }

  #cancelTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #soon(): void {
    if (this.#pauseMs > SOONEST_MS) this.#cancelTimer()
    this.#pauseMs = SOONEST_MS
    this.#schedule()
  }

  #schedule(): void {
    if (this.#asking || this.#closed || this.#timer !== undefined || this.#awaited.size === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#look()
    }, this.#pauseMs)
  }

  async #look(): Promise<void> {
    this.#asking = true
    this.#nudged = false
    try {
      const { jobIds } = this.#awaited.next()
      const ends = await this.#asked.ends(jobIds)
      for (const end of ends) this.#awaited.tell(end)
      const busy = ends.length > 0 || this.#nudged
      if (!busy && this.#pauseMs === LATEST_MS) await this.#refuseGone(jobIds)
      this.#pauseMs = busy ? SOONEST_MS : Math.min(LATEST_MS, this.#pauseMs * 1.5)
    } catch {
      // The database is away. Who waits goes on waiting: the job may well end meanwhile.
      this.#pauseMs = LATEST_MS
    } finally {
      this.#asking = false
      this.#schedule()
    }
  }

  /** A job that ended and was pruned meanwhile will never be seen to end. Looked for only when nothing happens, once a second. */
  async #refuseGone(jobIds: readonly number[]): Promise<void> {
    const there = await this.#asked.tenantsOf(jobIds)
    for (const jobId of jobIds)
      if (!there.has(jobId)) this.#awaited.refuse(jobId, holdfastError('unknown_job', { job: jobId }))
  }
}

function stopped() {
  return holdfastError('unavailable', { problem: 'the app has been stopped' })
}
