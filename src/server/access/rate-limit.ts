/** Token buckets for limits per second: calls of a key, enqueues of a tenant, at this server. */
import { HoldfastError, holdfastError } from '../../domain/errors/errors.js'

interface Bucket {
  tokens: number
  filledAt: number
}

/** Above this many names all buckets are dropped; a new one begins full. */
const BUCKETS_MAX = 10_000

export class Buckets {
  readonly #buckets = new Map<string, Bucket>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /**
   * Takes `count` tokens and returns 0, or takes none and returns the milliseconds until it could. A count above the size of the bucket
   * passes when the bucket is full and leaves it negative: a batch may be larger than the limit per second.
   */
  take(name: string, perSecond: number, count = 1): number {
    const now = this.#now()
    const bucket = this.#buckets.get(name) ?? { tokens: perSecond, filledAt: now }
    bucket.tokens = Math.min(perSecond, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond)
    bucket.filledAt = now
    if (this.#buckets.size >= BUCKETS_MAX) this.#buckets.clear()
    this.#buckets.set(name, bucket)
    const needed = Math.min(count, perSecond)
    if (bucket.tokens < needed) return ((needed - bucket.tokens) / perSecond) * 1000
    bucket.tokens -= count
    return 0
  }

  left(name: string): number {
    return Math.max(0, Math.floor(this.#buckets.get(name)?.tokens ?? 0))
  }
}

/** Counts one call of a key; returns the rate limit headers of the response. */
export function takeCall(buckets: Buckets, keyId: number, perSecond: number): Record<string, string> {
  const retryAfterMs = buckets.take(String(keyId), perSecond)
  if (retryAfterMs > 0)
    throw holdfastError('limit_exceeded', { limit: KEY_RATE, max: perSecond, retryAfterMs })
  return rateHeaders(KEY_RATE, perSecond, buckets.left(String(keyId)), 1)
}

const KEY_RATE = 'rate_limit of the key'

/** The same headers for a call that exceeded a limit per second, of a key or of a tenant. */
export function rateHeadersOf(error: unknown, afterSeconds = 1): Record<string, string> {
  const { limit, max, retryAfterMs } = error instanceof HoldfastError ? error.details : {}
  if (typeof retryAfterMs !== 'number' || typeof limit !== 'string') return {}
  return rateHeaders(limit, Number(max), 0, afterSeconds)
}

function rateHeaders(
  limit: string,
  perSecond: number,
  left: number,
  seconds: number,
): Record<string, string> {
  const name = limit === KEY_RATE ? 'key' : limit
  return { 'ratelimit-policy': `"${name}";q=${perSecond};w=1`, ratelimit: `"${name}";r=${left};t=${seconds}` }
}
