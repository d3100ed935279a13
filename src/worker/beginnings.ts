/**
 * Jobs that waited here and are to begin: the database is told first, all of one turn in one call. What it has not been told of has not
 * begun, however it comes back.
 */
import type { ClaimedJob, WorkPort } from '../domain/port.js'
import type { Buffer } from './buffer.js'
import type { WorkerLog } from './worker-options.js'

export interface BeginningsParts {
  readonly port: Pick<WorkPort, 'start'>
  readonly buffer: Buffer
  readonly log: WorkerLog | undefined
  begin(job: ClaimedJob): void
}

export class Beginnings {
  readonly #parts: BeginningsParts

  constructor(parts: BeginningsParts) {
    this.#parts = parts
  }

  /** A call that fails is made again by the next look at the buffer. */
  say(jobs: readonly ClaimedJob[]): void {
    const { port, buffer, log, begin } = this.#parts
    port.start(jobs.map(({ jobId, attempt, lease }) => ({ jobId, attempt, lease }))).then(
      () => {
        // Given back, canceled or lost meanwhile: not ours to begin.
        const ours = new Set(jobs)
        for (const job of buffer.drop((one) => ours.has(one))) begin(job)
      },
      (error: Error) => {
        log?.warn({ jobs: jobs.length, error: error.message }, 'jobs cannot begin yet')
        buffer.putBack(jobs)
      },
    )
  }
}
