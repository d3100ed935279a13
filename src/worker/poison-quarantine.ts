/**
 * Runs suspected poison jobs, which have lost two leases in a row, one at a time, each marked as started before it runs. If one of them
 * kills this process, the database knows which, and the loss is not charged to the others.
 */
import type { Log } from '../domain/log.js'
import type { ClaimedJob, ClaimPort } from '../domain/port.js'
import type { ClaimedBuffer } from './claimed-buffer.js'

/** After a suspected poison job has run this long, the next one may start. */
const QUARANTINE_MS = 10_000
/** A job that the database does not mark as started is dropped after this many calls: its claim is gone. */
const UNMARKED_MAX = 3

export interface PoisonQuarantineParts {
  readonly port: Pick<ClaimPort, 'start'>
  readonly buffer: ClaimedBuffer
  readonly log: Log | undefined
  /** False once the job's lease has expired. */
  mayBegin(job: ClaimedJob): boolean
  begin(job: ClaimedJob): void
  /** Ends a job whose lease has expired before it started. */
  expire(job: ClaimedJob): void
}

export class PoisonQuarantine {
  readonly #parts: PoisonQuarantineParts
  #current: ClaimedJob | null = null
  #since = 0
  /** Calls that did not mark a job as started. */
  readonly #unmarked = new WeakMap<ClaimedJob, number>()

  constructor(parts: PoisonQuarantineParts) {
    this.#parts = parts
  }

  /** Starts the next suspected poison job, unless one runs. Called often, so a failed call is retried by the next one. */
  startNext(): void {
    if (this.#current !== null && performance.now() - this.#since < QUARANTINE_MS) return
    const { port, buffer, log, mayBegin, begin, expire } = this.#parts
    // Jobs whose own lease has expired while they waited: another worker may have them.
    for (const expired of buffer.dropQuarantined((each) => !mayBegin(each))) expire(expired)
    const job = buffer.nextQuarantined
    if (job === undefined) return
    this.#current = job
    this.#since = performance.now()
    const { jobId, attempt, lease } = job
    port.start([{ jobId, attempt, lease }]).then(
      (started) => {
        if (started.length === 0) this.#notMarked(job)
        // Not in the buffer: it was released, canceled or lost meanwhile.
        else if (buffer.drop((each) => each === job).length > 0) begin(job)
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

  /**
   * Its row is locked, or the job is no longer held: a failover may have lost its claim. The others go first, and after several calls it is
   * dropped. A job that was held after all is then released as one of a lost claim.
   */
  #notMarked(job: ClaimedJob): void {
    const { buffer, log } = this.#parts
    const times = (this.#unmarked.get(job) ?? 0) + 1
    this.#unmarked.set(job, times)
    const dropped = buffer.dropQuarantined((each) => each === job)
    if (times < UNMARKED_MAX) buffer.add(dropped)
    else if (dropped.length > 0)
      log?.warn(
        { event: 'poison_claim_missing', jobId: job.jobId, attempt: job.attempt },
        'suspected poison job is no longer held; dropped',
      )
    this.clear(job)
  }

  clear(job: ClaimedJob): void {
    if (this.#current === job) this.#current = null
  }
}
