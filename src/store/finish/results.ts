/**
 * Awaits the ends of jobs, for all handles of a process with one query. It polls often while jobs end, rarely while nothing happens, and at
 * once when a worker of this process has ended a job.
 */

import { holdfastError } from '../../domain/errors/errors.js'
import { AwaitedEnds, type WaitOptions } from '../../handles/awaited-ends.js'
import type { JobEnd } from '../../handles/job-ended.js'

/** Where the results come from. */
interface ResultSource {
  ends(jobIds: readonly number[]): Promise<readonly JobEnd[]>
  /** By the ids of the jobs that exist. */
  tenantsOf(jobIds: readonly number[]): Promise<ReadonlyMap<number, unknown>>
}

const SOONEST_MS = 15
const LATEST_MS = 1_000

export class Results {
  readonly #source: ResultSource
  readonly #awaited = new AwaitedEnds(() => this.#cancelTimer())
  #pauseMs = SOONEST_MS
  #timer: NodeJS.Timeout | undefined
  #asking = false
  #nudged = false
  #closed = false

  constructor(source: ResultSource) {
    this.#source = source
  }

  wait(jobId: number, options: WaitOptions = {}): Promise<JobEnd> {
    if (this.#closed) return Promise.reject(stopped())
    const end = this.#awaited.wait(jobId, options)
    if (this.#awaited.has(jobId)) this.#soon()
    return end
  }

  /** A job has ended in this process; the next query shows whether a handle waits for it. */
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
      const ends = await this.#source.ends(jobIds)
      for (const end of ends) this.#awaited.deliver(end)
      const busy = ends.length > 0 || this.#nudged
      if (!busy && this.#pauseMs === LATEST_MS) await this.#refuseGone(jobIds)
      this.#pauseMs = busy ? SOONEST_MS : Math.min(LATEST_MS, this.#pauseMs * 1.5)
    } catch {
      // The database is away. Handles keep waiting: the job may end meanwhile.
      this.#pauseMs = LATEST_MS
    } finally {
      this.#asking = false
      this.#schedule()
    }
  }

  /** A job that was pruned after its end will never be seen to end. Checked only while nothing happens, once a second. */
  async #refuseGone(jobIds: readonly number[]): Promise<void> {
    const there = await this.#source.tenantsOf(jobIds)
    for (const jobId of jobIds)
      if (!there.has(jobId)) this.#awaited.refuse(jobId, holdfastError('unknown_job', { job: jobId }))
  }
}

function stopped() {
  return holdfastError('unavailable', { problem: 'the app has been stopped' })
}
