/** Tries a call again when that is safe and may help, until its deadline: a deadlock, a restart, a failover. */
import { setTimeout as sleep } from 'node:timers/promises'
import { asHoldfastError, isAway, isRolledBack } from './broken.js'
import { DEADLINES } from './database.js'

const FIRST_WAIT_MS = 20
const LONGEST_WAIT_MS = 1_000

export interface Persistence {
  readonly deadlineMs: number
  readonly repeatable: boolean
  /** Never run again once anything was sent, not even after a rollback: it may have effects elsewhere. */
  readonly once?: boolean
  /** Waits between two tries; rejects when there will be no other. */
  readonly pause?: (ms: number) => Promise<void>
}

/** `unsent` marks a failure before anything reached the server (no connection could be had): always safe to repeat. */
export class Unsent extends Error {
  constructor(override readonly cause: unknown) {
    super('no connection')
  }
}

/** The call is told how much time is left, so that all tries together keep the one deadline. */
export async function persist<T>(
  call: (leftMs: number) => Promise<T>,
  { deadlineMs, repeatable, once = false, pause = sleep }: Persistence,
): Promise<T> {
  const until = performance.now() + deadlineMs
  // However long a call may take once it is sent, a server that cannot be reached is not waited for as long.
  const reachedUntil = performance.now() + Math.min(deadlineMs, DEADLINES.call)
  for (let tries = 0; ; tries += 1) {
    try {
      return await call(until - performance.now())
    } catch (thrown) {
      const unsent = thrown instanceof Unsent
      const error = unsent ? thrown.cause : thrown
      const again = unsent ? isAway(error) : !once && (isRolledBack(error) || (isAway(error) && repeatable))
      // Full jitter: after a restart, a fleet must not come back in step.
      const waitMs = Math.random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries)
      if (!again || performance.now() + waitMs >= (unsent ? reachedUntil : until))
        throw asHoldfastError(error)
      await pause(waitMs)
    }
  }
}
