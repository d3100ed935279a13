/**
 * Checks the key of an open event stream: it can be revoked, rotated or expire meanwhile, and then the stream ends. A session can also be
 * ended by its user, which writes no event; so a stream with a cookie checks it from time to time, which also counts as its use.
 */
import { HoldfastError } from '../../domain/errors/errors.js'
import type { Principal } from '../access/principal.js'

export class KeyCheck {
  #who: Principal
  #mustCheck = false
  readonly #again: () => Promise<Principal>
  readonly #sessionTrustMs: number
  #checkedAt = performance.now()

  /** `again` authenticates without the cache, and throws if the key may not read events any more. */
  constructor(who: Principal, again: () => Promise<Principal>, sessionTrustMs: number) {
    this.#who = who
    this.#again = again
    this.#sessionTrustMs = sessionTrustMs
  }

  get keyId(): number | null {
    return this.#who.keyId
  }

  /** An event concerned this key. */
  invalidate(): void {
    this.#mustCheck = true
  }

  /** Queries the database only if the key may have changed. */
  async isValid(): Promise<boolean> {
    const { expiresAt, csrfToken } = this.#who
    const isDue = csrfToken !== null && performance.now() - this.#checkedAt >= this.#sessionTrustMs
    if (!this.#mustCheck && !isDue && (expiresAt === null || Date.now() < expiresAt.getTime())) return true
    try {
      this.#who = await this.#again()
      this.#checkedAt = performance.now()
      this.#mustCheck = false
      return true
    } catch (error) {
      // If the database cannot be reached, the key stays valid and is checked again.
      return !(error instanceof HoldfastError && error.status < 500)
    }
  }
}
