/** What let a client in, while its stream is open: a key can be revoked, rotated or run out meanwhile, and then the stream has to end. */
import { HoldfastError } from '../../domain/errors.js'
import type { Principal } from '../principal.js'

export class Pass {
  #who: Principal
  #isDoubted = false
  readonly #again: () => Promise<Principal>

  /** `again` asks the database who it is now, and refuses whoever may not follow any more. */
  constructor(who: Principal, again: () => Promise<Principal>) {
    this.#who = who
    this.#again = again
  }

  get keyId(): number | null {
    return this.#who.keyId
  }

  /** Something has happened to the key. */
  doubt(): void {
    this.#isDoubted = true
  }

  /** Costs a question only where there is reason to ask. */
  async isGood(): Promise<boolean> {
    const { expiresAt } = this.#who
    if (!this.#isDoubted && (expiresAt === null || Date.now() < expiresAt.getTime())) return true
    try {
      this.#who = await this.#again()
      this.#isDoubted = false
      return true
    } catch (error) {
      // A database that is away says nothing about a key; it is asked again.
      return !(error instanceof HoldfastError && error.status < 500)
    }
  }
}
