/**
 * Jobs claimed but not started, first in first out, and the call that marks them as started. Jobs that have lost two leases in a row are
 * kept apart: one of them may be what kills its workers, so they run one at a time (poison-quarantine.ts).
 */
import type { Log } from '../domain/log.js'
import type { ClaimedJob, ClaimPort } from '../domain/port.js'

const QUARANTINE_LOSSES = 2

export class ClaimedBuffer {
  #jobs: ClaimedJob[] = []
  #head = 0
  #quarantined: ClaimedJob[] = []
  /** Jobs for which a start call is in flight. */
  #marking: ClaimedJob[] = []

  get size(): number {
    return this.plain + this.#quarantined.length + this.#marking.length
  }

  /** Each of them has a slot already. */
  get marking(): number {
    return this.#marking.length
  }

  /** Jobs that may start at any time. */
  get plain(): number {
    return this.#jobs.length - this.#head
  }

  get quarantined(): number {
    return this.#quarantined.length
  }

  add(jobs: ClaimedJob[]): void {
    const plain = jobs.some(isSuspectedPoison) ? jobs.filter((job) => !isSuspectedPoison(job)) : jobs
    if (plain !== jobs) this.#quarantined.push(...jobs.filter(isSuspectedPoison))
    if (this.plain === 0) {
      this.#jobs = plain
      this.#head = 0
    } else this.#jobs.push(...plain)
  }

  /** The next job. One that must be marked as started first stays in the buffer until it is. */
  take(): ClaimedJob | undefined {
    const job = this.#jobs[this.#head]
    if (job === undefined) return undefined
    this.#head += 1
    if (this.#head === this.#jobs.length) {
      this.#jobs = []
      this.#head = 0
    }
    if (job.unstarted === true) this.#marking.push(job)
    return job
  }

  /** The start call failed: these jobs are next again. */
  putBack(jobs: readonly ClaimedJob[]): void {
    const back = this.#marking.filter((job) => jobs.includes(job))
    this.#marking = this.#marking.filter((job) => !jobs.includes(job))
    this.#jobs = [...back, ...this.#jobs.slice(this.#head)]
    this.#head = 0
  }

  /** The next suspected poison job; it stays in the buffer until it starts. */
  get nextQuarantined(): ClaimedJob | undefined {
    return this.#quarantined[0]
  }

  /** Removes and returns the suspected poison jobs that match. */
  dropQuarantined(which: (job: ClaimedJob) => boolean): ClaimedJob[] {
    const dropped = this.#quarantined.filter(which)
    if (dropped.length > 0) this.#quarantined = this.#quarantined.filter((job) => !which(job))
    return dropped
  }

  /** Removes and returns the jobs that match. */
  drop(which: (job: ClaimedJob) => boolean): ClaimedJob[] {
    const dropped = this.list().filter(which)
    this.#jobs = this.#jobs.slice(this.#head).filter((job) => !which(job))
    this.#head = 0
    this.#quarantined = this.#quarantined.filter((job) => !which(job))
    this.#marking = this.#marking.filter((job) => !which(job))
    return dropped
  }

  list(): ClaimedJob[] {
    return [...this.#marking, ...this.#jobs.slice(this.#head), ...this.#quarantined]
  }
}

function isSuspectedPoison({ losses }: ClaimedJob): boolean {
  return losses >= QUARANTINE_LOSSES
}

export interface StartMarksParts {
  readonly port: Pick<ClaimPort, 'start'>
  readonly buffer: ClaimedBuffer
  readonly log: Log | undefined
  begin(job: ClaimedJob): void
}

/** Marks buffered jobs as started, a batch in one call, before they run: an unmarked job that returns is not charged with an attempt. */
export class StartMarks {
  readonly #parts: StartMarksParts

  constructor(parts: StartMarksParts) {
    this.#parts = parts
  }

  /** A failed call puts the jobs back; the next pass over the buffer retries it. */
  mark(jobs: readonly ClaimedJob[]): void {
    const { port, buffer, log, begin } = this.#parts
    port.start(jobs.map(({ jobId, attempt, lease }) => ({ jobId, attempt, lease }))).then(
      () => {
        // Released, canceled or lost meanwhile: no longer in the buffer.
        const marked = new Set(jobs)
        for (const job of buffer.drop((each) => marked.has(each))) begin(job)
      },
      (error: Error) => {
        log?.warn(
          { event: 'start_failed', jobs: jobs.length, error: error.message },
          'could not mark jobs as started; will retry',
        )
        buffer.putBack(jobs)
      },
    )
  }
}
