/** Checks the key of an open event stream: it can be revoked, rotated or expire meanwhile, and then the stream ends. */
import { HoldfastError } from '../../domain/errors/errors.js'
import type { Principal } from '../access/principal.js'

export class KeyCheck {
  #who: Principal
  #mustCheck = false
  readonly #again: () => Promise<Principal>

  /** `again` authenticates without the cache, and throws if the key may not read events any more. */
  constructor(who: Principal, again: () => Promise<Principal>) {
    this.#who = who
    this.#again = again
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
    const { expiresAt } = this.#who
    if (!this.#mustCheck && (expiresAt === null || Date.now() < expiresAt.getTime())) return true
    try {
      this.#who = await this.#again()
      this.#mustCheck = false
      return true
    } catch (error) {
      // If the database cannot be reached, the key stays valid and is checked again.
      return !(error instanceof HoldfastError && error.status < 500)
    }
  }
}
