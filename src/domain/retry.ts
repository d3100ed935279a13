/** Exponential backoff, with one formula for jobs that failed and for calls of this package that did. */
import { LIMITS } from './limits.js'

export interface BackoffPolicy {
  /** Earlier failures of the job. The first retry has 0 and waits the base. */
  readonly failures: number
  readonly baseMs: number
  readonly factor: number
  readonly capMs: number
  /** Fractions of the delay, for example -0.2 and 0.2, or 0 and 0.2. */
  readonly jitterLow: number
  readonly jitterHigh: number
  /** 0…1; a parameter so that tests can set both ends. */
  readonly random?: number
}

/**
 * How long a failed job waits: min(cap, base · factor^failures), then the jitter.
 * The jitter is applied after the cap: the other way round, all jobs at the cap would return at the same moment.
 * The result is a whole number within [0, cap · (1 + jitterHigh)] for any input; a NaN due time would hide a job for ever.
 */
export function backoffMs(policy: BackoffPolicy): number {
  const base = notNegative(policy.baseMs)
  // Past this a due time would not fit the database's calendar arithmetic.
  const cap = Math.min(notNegative(policy.capMs), LIMITS.delayMs.hardMax)
  // No job has more retries than the limit, and an unbounded exponent overflows numeric in the database.
  const exponent = Math.min(notNegative(policy.failures), LIMITS.maxRetries.hardMax)
  // base 0 first: 0 · Infinity is NaN.
  const delay = base === 0 ? 0 : Math.min(cap, base * Math.max(1, policy.factor || 1) ** exponent)
  const random = Math.min(1, notNegative(policy.random ?? Math.random()))
  const low = withinOne(policy.jitterLow)
  const high = Math.max(low, withinOne(policy.jitterHigh))
  const jitter = Math.min(high, low + (high - low) * random)
  return Math.floor(delay * (1 + jitter))
}

function notNegative(value: number): number {
  return value > 0 ? value : 0
}

function withinOne(fraction: number): number {
  return Math.min(1, Math.max(-1, fraction || 0))
}

export interface BackoffOptions {
  readonly firstMs: number
  readonly maxMs: number
  /** The random share of a delay that is left out: 0 for none, 0.5 for delays between half and all of it. 0 if omitted. */
  readonly jitter?: number
}

/** Delays between tries of one call: each twice the last, up to `maxMs`. Jitter keeps a fleet from retrying in step. */
export class Backoff {
  readonly #options: BackoffOptions
  #failures = 0

  constructor(options: BackoffOptions) {
    this.#options = options
  }

  /** The delay after so many earlier failures; 0 gives `firstMs`. */
  delayMs(failures: number): number {
    const { firstMs, maxMs, jitter = 0 } = this.#options
    return backoffMs({
      failures,
      baseMs: firstMs,
      factor: 2,
      capMs: maxMs,
      jitterLow: -jitter,
      jitterHigh: 0,
    })
  }

  /** Counts a failure and returns the delay before the next try. */
  nextMs(): number {
    return this.delayMs(this.#failures++)
  }

  /** After a success: the next delay is the first again. */
  reset(): void {
    this.#failures = 0
  }

  /** Counts a failure and waits. Resolves to false as soon as the signal aborts. */
  wait(signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const end = (elapsed: boolean) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        resolve(elapsed)
      }
      const onAbort = () => end(false)
      const timer = setTimeout(() => end(true), this.nextMs())
      signal?.addEventListener('abort', onAbort)
    })
  }
}
