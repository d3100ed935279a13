/**
 * Jobs that have lost two leases in a row begin one at a time, and the database is told before they do. If one of them takes this
 * process with it, the database knows which, and the others that were held here are not blamed.
 */
import type { ClaimedJob, WorkPort } from '../domain/port.js'
import type { Buffer } from './buffer.js'
import type { WorkerLog } from './worker-options.js'

/** One that has lived this long is no longer waited for. */
const TRIAL_MS = 10_000

export interface TrialParts {
  readonly port: Pick<WorkPort, 'start'>
  readonly buffer: Buffer
  readonly log: WorkerLog | undefined
  begin(job: ClaimedJob): void
}

export class Trial {
  readonly #parts: TrialParts
  #on: ClaimedJob | null = null
  #since = 0

  constructor(parts: TrialParts) {
    this.#parts = parts
  }

  /** Begins the next, unless one is on trial. Looked at often; a call that fails is made again by the next look. */
  look(): void {
    const { port, buffer, log } = this.#parts
    const job = buffer.suspect
    if (job === undefined || (this.#on !== null && performance.now() - this.#since < TRIAL_MS)) return
    this.#on = job
    this.#since = performance.now()
    const { jobId, attempt, lease } = job
    port.start([{ jobId, attempt, lease }]).then(
      (begun) => {
        // Not noted: its row is locked just now, and the next look tries again, or it is not ours any more. Dropped meanwhile (given back,
        // canceled or lost): not ours to begin.
        if (begun.length > 0 && buffer.drop((one) => one === job).length > 0) this.#parts.begin(job)
        else this.over(job)
      },
      (error: Error) => {
        log?.warn({ jobId, error: error.message }, 'a job that lost its workers cannot be tried yet')
        this.over(job)
      },
    )
  }

  over(job: ClaimedJob): void {
    if (this.#on === job) this.#on = null
  }
}
