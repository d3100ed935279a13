/**
 * What a handler may throw to end other than by failing, and the reasons of its abort signal. Recognised by a brand instead of their
 * class, so that two copies of this package in one process work together.
 */
const BRAND = Symbol.for('holdfast.outcome')

/**
 * Why a signal was aborted: an operator canceled the job, the attempt timed out, its lease was lost (its writes are refused), the worker
 * shuts down, or the job exceeded its token limit.
 */
export type AbortCode = 'cancel' | 'timeout' | 'lease_lost' | 'shutdown' | 'token_limit'

const SENTENCES: Record<AbortCode, string> = {
  cancel: 'The job was canceled.',
  timeout: 'The attempt timed out.',
  lease_lost: 'The lease on this job was lost: another worker may run it now, or it has ended.',
  shutdown: 'The worker is shutting down.',
  token_limit: 'The job exceeded its token limit.',
}

/** The reason of a handler's AbortSignal. */
export class JobAborted extends Error {
  override readonly name = 'JobAborted'
  readonly code: AbortCode

  constructor(code: AbortCode, message: string = SENTENCES[code]) {
    super(message)
    this.code = code
  }
}

/** Throw it to run the job again in `ms`. Does not count as a failure. */
export class Snooze extends Error {
  override readonly name = 'Snooze'
  readonly [BRAND] = 'snooze'
  readonly ms: number

  constructor(ms: number, reason = 'snoozed by its handler') {
    super(reason)
    this.ms = ms
  }
}

/** Throw it to fail the job without retries. */
export class GiveUp extends Error {
  override readonly name = 'GiveUp'
  readonly [BRAND] = 'give_up'
}

/** Throw it to cancel the job. */
export class Cancel extends Error {
  override readonly name = 'Cancel'
  readonly [BRAND] = 'cancel'

  constructor(reason = 'canceled by its handler') {
    super(reason)
  }
}

/** Which of the classes above was thrown, if any. */
export function outcomeOf(thrown: unknown): 'snooze' | 'give_up' | 'cancel' | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined
  return (thrown as { [BRAND]?: 'snooze' | 'give_up' | 'cancel' })[BRAND]
}
