/** The end of a job as `handle.result()` reports it: the result, or a `JobFailed` or `JobCanceled`. */
import type { EndState } from '../domain/states/states.js'

export interface JobFailure {
  readonly jobId: number
  readonly attempt: number
  /** Why it was given up: `exhausted`, `not_retryable`, `crashed`, or the reason of an operator or the handler. */
  readonly reason: string | null
  /** What the handler of the last attempt threw. */
  readonly errorClass: string | null
  readonly errorMessage: string | null
  readonly errorStack: string | null
}

export interface JobEnd extends JobFailure {
  readonly state: EndState
  readonly finishedAt: Date
  readonly result: unknown
  readonly errorFingerprint: string | null
}

/** What the handler returned, if the job ended well; otherwise throws how it did. */
export function resultOf(end: JobEnd): unknown {
  if (end.state === 'failed') throw new JobFailed(end)
  if (end.state === 'canceled') throw new JobCanceled(end)
  return end.result
}

/** The job has failed and will not be tried again by itself. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed'
  readonly details: JobFailure

  constructor(details: JobFailure) {
    super(`Job ${details.jobId} failed: ${details.errorMessage ?? details.reason ?? 'no reason given'}`)
    this.details = details
  }
}

export class JobCanceled extends Error {
  override readonly name = 'JobCanceled'
  readonly jobId: number
  readonly reason: string | null

  constructor({ jobId, reason }: { readonly jobId: number; readonly reason: string | null }) {
    super(`Job ${jobId} was canceled${reason === null || reason === 'canceled' ? '' : `: ${reason}`}`)
    this.jobId = jobId
    this.reason = reason
  }
}
