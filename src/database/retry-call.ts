/** Retries a call where that is safe and may help, until its deadline: after a deadlock, a restart, a failover. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Backoff } from '../domain/retry.js'
import { DEADLINES } from './database.js'
import { asHoldfastError, isAway, isLateWithoutEffect, isRolledBack } from './database-errors.js'

/** Full jitter: after a restart a fleet must not reconnect in step. */
const DELAYS = { firstMs: 20, maxMs: 1_000, jitter: 1 }

export interface RetryCallOptions {
  readonly deadlineMs: number
  readonly repeatable: boolean
  /** Never run again once anything was sent, not even after a rollback: it may have effects elsewhere. */
  readonly once?: boolean
  /** Waits between two attempts; rejects when there will be no other. */
  readonly pause?: (ms: number) => Promise<void>
}

/** A failure before anything reached the server, such as no connection: always safe to repeat. */
export class Unsent extends Error {
  constructor(override readonly cause: unknown) {
    super('no connection')
  }
}

/** `call` gets the time that is left, so that all attempts together meet one deadline. */
export async function retryCall<T>(
  call: (leftMs: number) => Promise<T>,
  { deadlineMs, repeatable, once = false, pause = sleep }: RetryCallOptions,
): Promise<T> {
  const until = performance.now() + deadlineMs
  // A call may take long once it is sent, but an unreachable server is given up sooner.
  const reachedUntil = performance.now() + Math.min(deadlineMs, DEADLINES.call)
  const backoff = new Backoff(DELAYS)
  let away: unknown
  for (;;) {
    try {
      return await call(until - performance.now())
    } catch (thrown) {
      const unsent = thrown instanceof Unsent
      const error = unsent ? thrown.cause : thrown
      // The deadline ended the last attempt; why those before it failed says more, such as a full disk.
      if (away !== undefined && isLateWithoutEffect(error)) throw asHoldfastError(away)
      if (isAway(error)) away = error
      const again = unsent ? isAway(error) : !once && (isRolledBack(error) || (isAway(error) && repeatable))
      const waitMs = backoff.nextMs()
      if (!again || performance.now() + waitMs >= (unsent ? reachedUntil : until))
        throw asHoldfastError(error)
      await pause(waitMs)
    }
  }
}
