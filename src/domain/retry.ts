import { LIMITS } from './limits.js'

export interface Backoff {
  /** Earlier failures of the job. The first retry has 0 and waits the base. */
  readonly failures: number
  readonly baseMs: number
  readonly factor: number
  readonly capMs: number
  /** Fractions of the delay, for example -0.2 and 0.2, or 0 and 0.2. */
  readonly jitterLow: number
  readonly jitterHigh: number
  /** 0…1; a parameter so that tests can stand at both ends. */
  readonly random?: number
}

/**
 * How long a failed job waits: min(cap, base · factor^failures), then the jitter.
 * The jitter comes after the cap: the other way round, every job at the cap would come back at the same moment.
 * The result is a whole number within [0, cap · (1 + jitterHigh)] whatever comes in; a NaN due time would hide a job for ever.
 */
export function backoffMs(backoff: Backoff): number {
  const base = atLeastZero(backoff.baseMs)
  // Past this a due time would not fit the database's calendar arithmetic.
  const cap = Math.min(atLeastZero(backoff.capMs), LIMITS.delayMs.hardMax)
  // No job has more retries than the limit, and an unbounded exponent overflows numeric in the database.
  const exponent = Math.min(atLeastZero(backoff.failures), LIMITS.maxRetries.hardMax)
  // base 0 first: 0 · Infinity is NaN.
  const delay = base === 0 ? 0 : Math.min(cap, base * Math.max(1, backoff.factor || 1) ** exponent)
  const random = Math.min(1, atLeastZero(backoff.random ?? Math.random()))
  const low = withinOne(backoff.jitterLow)
  const high = Math.max(low, withinOne(backoff.jitterHigh))
  const jitter = Math.min(high, low + (high - low) * random)
  return Math.floor(delay * (1 + jitter))
}

function atLeastZero(value: number): number {
  return value > 0 ? value : 0
}

function withinOne(fraction: number): number {
  return Math.min(1, Math.max(-1, fraction || 0))
}
