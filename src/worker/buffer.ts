/**
 * Jobs claimed and not begun, first in first out. Those that have lost two leases in a row stand apart: one of them may be what kills
 * its workers, and they are tried one at a time (trial.ts).
 */
import type { ClaimedJob } from '../domain/port.js'

const SUSPECT_LOSSES = 2

export class Buffer {
  #jobs: ClaimedJob[] = []
  #head = 0
  #suspects: ClaimedJob[] = []
  /** Those of which the database is being told that they begin. */
  #saying: ClaimedJob[] = []

  get size(): number {
    return this.plain + this.#suspects.length + this.#saying.length
  }

  /** Each has a slot already. */
  get saying(): number {
    return this.#saying.length
  }

  /** Those that may begin at any time. */
  get plain(): number {
    return this.#jobs.length - this.#head
  }

  get suspects(): number {
    return this.#suspects.length
  }

  add(jobs: ClaimedJob[]): void {
    const plain = jobs.some(isSuspect) ? jobs.filter((job) => !isSuspect(job)) : jobs
    if (plain !== jobs) this.#suspects.push(...jobs.filter(isSuspect))
    if (this.plain === 0) {
      this.#jobs = plain
      this.#head = 0
    } else this.#jobs.push(...plain)
  }

  /** The next; one whose beginning has to be told first stays here until it begins. */
  take(): ClaimedJob | undefined {
    const job = this.#jobs[this.#head]
    if (job === undefined) return undefined
    this.#head += 1
    if (this.#head === this.#jobs.length) {
      this.#jobs = []
      this.#head = 0
    }
    if (job.unbegun === true) this.#saying.push(job)
    return job
  }

  /** They could not be told of: next again. */
  putBack(jobs: readonly ClaimedJob[]): void {
    const back = this.#saying.filter((job) => jobs.includes(job))
    this.#saying = this.#saying.filter((job) => !jobs.includes(job))
    this.#jobs = [...back, ...this.#jobs.slice(this.#head)]
    this.#head = 0
  }

  /** The next to be tried; it stays here until it begins. */
  get suspect(): ClaimedJob | undefined {
    return this.#suspects[0]
  }

  /** Takes out those that match. */
  drop(which: (job: ClaimedJob) => boolean): ClaimedJob[] {
    const dropped = this.list().filter(which)
    this.#jobs = this.#jobs.slice(this.#head).filter((job) => !which(job))
    this.#head = 0
    this.#suspects = this.#suspects.filter((job) => !which(job))
    this.#saying = this.#saying.filter((job) => !which(job))
    return dropped
  }

  list(): ClaimedJob[] {
    return [...this.#saying, ...this.#jobs.slice(this.#head), ...this.#suspects]
  }
}

function isSuspect({ losses }: ClaimedJob): boolean {
  return losses >= SUSPECT_LOSSES
}
