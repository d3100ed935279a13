/**
 * How a handler may end beside returning and failing, and why it may be told to stop. Known by a brand and not by their class, so
 * that two copies of this package in one process understand each other.
 */
const BRAND = Symbol.for('holdfast.outcome')

/**
 * Why a signal was aborted: somebody canceled the job, its time is up, its lease is lost (nothing it writes counts any more), the
 * worker is going away, or the job has used more tokens than it may.
 */
export type AbortCode = 'cancel' | 'timeout' | 'lease_lost' | 'shutdown' | 'token_limit'

const SENTENCES: Record<AbortCode, string> = {
  cancel: 'The job was canceled.',
  timeout: 'The attempt took longer than it may.',
  lease_lost: 'The lease on this job is lost: it belongs to another worker, or has ended.',
  shutdown: 'The worker is shutting down.',
  token_limit: 'The job has used more tokens than it may.',
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

/** Thrown by a handler: not now, again in `ms`. Not a failure. */
export class Snooze extends Error {
  override readonly name = 'Snooze'
  readonly [BRAND] = 'snooze'
  readonly ms: number

  constructor(ms: number, reason = 'snoozed by its handler') {
    super(reason)
    this.ms = ms
  }
}

/** Thrown by a handler: this will never work, do not try again. */
export class GiveUp extends Error {
  override readonly name = 'GiveUp'
  readonly [BRAND] = 'give_up'
}

/** Thrown by a handler: the job is not wanted any more. */
export class Cancel extends Error {
  override readonly name = 'Cancel'
  readonly [BRAND] = 'cancel'

  constructor(reason = 'canceled by its handler') {
    super(reason)
  }
}

/** Which of the words above was thrown, if any. */
export function saidBy(thrown: unknown): 'snooze' | 'give_up' | 'cancel' | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined
  return (thrown as { [BRAND]?: 'snooze' | 'give_up' | 'cancel' })[BRAND]
}
