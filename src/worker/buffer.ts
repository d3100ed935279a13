/** Jobs claimed and not begun, first in first out. */
import type { ClaimedJob } from '../domain/port.js'

export class Buffer {
  #jobs: ClaimedJob[] = []
  #head = 0

  get size(): number {
    return this.#jobs.length - this.#head
  }

  add(jobs: ClaimedJob[]): void {
    if (this.size === 0) {
      this.#jobs = jobs
      this.#head = 0
    } else this.#jobs.push(...jobs)
  }

  take(): ClaimedJob | undefined {
    const job = this.#jobs[this.#head]
    if (job === undefined) return undefined
    this.#head += 1
    if (this.#head === this.#jobs.length) {
      this.#jobs = []
      this.#head = 0
    }
    return job
  }

  /** Takes out those that match. */
  drop(which: (job: ClaimedJob) => boolean): ClaimedJob[] {
    const held = this.list()
    this.#head = 0
    this.#jobs = held.filter((job) => !which(job))
    return held.filter(which)
  }

  list(): ClaimedJob[] {
    return this.#jobs.slice(this.#head)
  }
}
