/**
 * Whether roles are installed in the database. If they are, calls of a key that acts for one tenant are narrowed to it there: a route that
 * asked for the wrong rows would see none. Roles may come while a server runs, so it looks again now and then; without them calls cost
 * nothing more.
 */
import type { Store } from '../store/store.js'

const LOOK_EVERY_MS = 60_000

export class Seal {
  readonly #store: Store
  #isSealed = false
  #until = Number.NEGATIVE_INFINITY
  #asking: Promise<boolean> | undefined

  constructor(store: Store) {
    this.#store = store
  }

  isSealed(): boolean | Promise<boolean> {
    if (performance.now() < this.#until) return this.#isSealed
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #ask(): Promise<boolean> {
    const until = performance.now() + LOOK_EVERY_MS
    this.#isSealed = await this.#store.isSealed()
    this.#until = until
    return this.#isSealed
  }
}
