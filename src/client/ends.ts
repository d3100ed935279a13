/**
 * Waits for the ends of jobs, for all handles of a client by one long poll. A job added while a poll is running is included in the next
 * one, which begins a moment later.
 */

import { HoldfastError, holdfastError } from '../domain/errors/errors.js'
import { AwaitedEnds, type WaitOptions } from '../handles/awaited-ends.js'
import type { JobEnd } from '../handles/job-ended.js'
import { type Calls, received } from './calls.js'

const WAIT_MS = 25_000
/** If not all jobs fit in one call: shorter polls, so that all jobs get a turn. */
const SHORT_WAIT_MS = 1_000
/** How long new waits are collected before the next poll. */
const BATCH_DELAY_MS = 20
const AWAY_MS = 1_000

export class EndsPoll {
  readonly #calls: Calls
  readonly #awaited = new AwaitedEnds(() => this.#poll?.abort())
  #poll: AbortController | undefined
  #asked = new Set<number>()
  #pollScheduled = false
  #running = false

  constructor(calls: Calls) {
    this.#calls = calls
  }

  wait(jobId: number, options: WaitOptions = {}): Promise<JobEnd> {
    const end = this.#awaited.wait(jobId, options)
    if (this.#awaited.has(jobId)) this.#schedulePoll(jobId)
    return end
  }

  #schedulePoll(jobId: number): void {
    if (this.#pollScheduled || (this.#running && this.#asked.has(jobId))) return
    this.#pollScheduled = true
    setTimeout(() => {
      this.#pollScheduled = false
      this.#poll?.abort()
      if (!this.#running) void this.#run()
    }, BATCH_DELAY_MS)
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#awaited.size > 0) {
      const { jobIds, all } = this.#awaited.next()
      this.#asked = new Set(jobIds)
      const poll = new AbortController()
      this.#poll = poll
      try {
        await this.#ask(jobIds, all ? WAIT_MS : SHORT_WAIT_MS, poll.signal)
      } catch (error) {
        if (poll.signal.aborted) continue
        if (error instanceof HoldfastError && error.status < 500) this.#awaited.refuseAll(error)
        // The server cannot be reached. The waits continue: the jobs may end meanwhile.
        else await new Promise((resolve) => setTimeout(resolve, AWAY_MS))
      }
    }
    this.#running = false
  }

  async #ask(jobIds: number[], waitMs: number, signal: AbortSignal): Promise<void> {
    const { ends, unknown } = await this.#calls.call('POST', '/api/v1/jobs/ends', {
      body: { job_ids: jobIds, wait_ms: waitMs },
      timeoutMs: WAIT_MS + 10_000,
      repeatable: true,
      signal,
    })
    for (const jobId of unknown) this.#awaited.refuse(jobId, holdfastError('unknown_job', { job: jobId }))
    for (const end of ends) this.#awaited.deliver(received(end))
  }
}
