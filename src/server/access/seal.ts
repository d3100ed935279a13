/**
 * Whether roles are installed in the database. If they are, the database restricts the calls of a key to its tenant: a route with a wrong
 * query would see no rows. Roles can be installed while a server runs, so this is checked every minute.
 */
import type { Store } from '../../store/store.js'

const CHECK_EVERY_MS = 60_000

export class Seal {
  readonly #store: Store
  #isSealed = false
  #until = Number.NEGATIVE_INFINITY
  #checking: Promise<boolean> | undefined

  constructor(store: Store) {
    this.#store = store
  }

  isSealed(): boolean | Promise<boolean> {
    if (performance.now() < this.#until) return this.#isSealed
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  async #check(): Promise<boolean> {
    const until = performance.now() + CHECK_EVERY_MS
    this.#isSealed = await this.#store.hasRoles()
    this.#until = until
    return this.#isSealed
  }
}
