/** Calls a second of one key at this server: a bucket that holds one second's worth and fills with time. */
import { holdfastError } from '../domain/errors.js'

interface Bucket {
  tokens: number
  filledAt: number
}

export class RateLimiter {
  readonly #buckets = new Map<number, Bucket>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Takes one call, or refuses it; answers the headers that tell the caller where it stands. */
  take(keyId: number, perSecond: number): Record<string, string> {
    const now = this.#now()
    const bucket = this.#buckets.get(keyId) ?? { tokens: perSecond, filledAt: now }
    bucket.tokens = Math.min(perSecond, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond)
    bucket.filledAt = now
    this.#buckets.set(keyId, bucket)
    if (bucket.tokens < 1) {
      const retryAfterMs = ((1 - bucket.tokens) / perSecond) * 1000
      throw holdfastError('limit_exceeded', { limit: 'rate_limit of the key', most: perSecond, retryAfterMs })
    }
    bucket.tokens -= 1
    return {
      'ratelimit-policy': `"key";q=${perSecond};w=1`,
      ratelimit: `"key";r=${Math.floor(bucket.tokens)};t=1`,
    }
  }
}
