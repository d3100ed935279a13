/** How a job can end other than well, as `handle.result()` throws it. */
export interface FailureFacts {
  readonly jobId: number
  readonly attempt: number
  /** Why it was given up: `exhausted`, `not_retryable`, `crashed`, or what a person or the handler said. */
  readonly reason: string | null
  /** What the handler of the last attempt threw. */
  readonly errorClass: string | null
  readonly errorMessage: string | null
  readonly errorStack: string | null
}

/** The job has failed and will not be tried again by itself. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed'
  readonly facts: FailureFacts

  constructor(facts: FailureFacts) {
    super(`Job ${facts.jobId} failed: ${facts.errorMessage ?? facts.reason ?? 'nobody said why'}`)
    this.facts = facts
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
