/**
 * Runs suspected poison jobs, which have lost two leases in a row, one at a time, each marked as started before it runs. If one of them
 * kills this process, the database knows which, and the loss is not charged to the others.
 */
import type { Log } from '../domain/log.js'
import type { ClaimedJob, ClaimPort } from '../domain/port.js'
import type { ClaimedBuffer } from './claimed-buffer.js'

/** After a suspect has run this long, the next one may start. */
const QUARANTINE_MS = 10_000

export interface PoisonQuarantineParts {
  readonly port: Pick<ClaimPort, 'start'>
  readonly buffer: ClaimedBuffer
  readonly log: Log | undefined
  begin(job: ClaimedJob): void
}

export class PoisonQuarantine {
  readonly #parts: PoisonQuarantineParts
  #current: ClaimedJob | null = null
  #since = 0

  constructor(parts: PoisonQuarantineParts) {
    this.#parts = parts
  }

  /** Starts the next suspect, unless one runs. Called often, so a failed call is retried by the next one. */
  startNext(): void {
    const { port, buffer, log } = this.#parts
    const job = buffer.suspect
    if (job === undefined || (this.#current !== null && performance.now() - this.#since < QUARANTINE_MS))
      return
    this.#current = job
    this.#since = performance.now()
    const { jobId, attempt, lease } = job
    port.start([{ jobId, attempt, lease }]).then(
      (begun) => {
        // Not marked: its row is locked and the next call retries, or the job is no longer held. Not in the buffer: it was released,
        // canceled or lost meanwhile.
        if (begun.length > 0 && buffer.drop((each) => each === job).length > 0) this.#parts.begin(job)
        else this.clear(job)
      },
      (error: Error) => {
        log?.warn(
          { event: 'poison_start_failed', jobId, error: error.message },
          'could not mark suspected poison job as started',
        )
        this.clear(job)
      },
    )
  }

  clear(job: ClaimedJob): void {
    if (this.#current === job) this.#current = null
  }
}
