// The owner's watch over its server. One that dies under a living owner is started again on the same data and the same port, so that
// every address stays good and everybody connects again by themselves. Nothing is made anew here: data that is gone stays gone.

import type { Postmaster } from './postmaster.js'
import { isAlive } from './process.js'

const LOOK_MS = 500
const LONGEST_WAIT_MS = 30_000

export interface KeeperParts {
  /** Starts the server again, or answers with one that runs already. */
  again(): Promise<Postmaster>
  tell(news: string): void
}

export class Keeper {
  readonly #parts: KeeperParts
  readonly #timer: NodeJS.Timeout
  #server: Postmaster
  #reviving: Promise<void> | undefined
  #failures = 0
  #notBefore = 0
  #stopped = false

  constructor(server: Postmaster, parts: KeeperParts) {
    this.#server = server
    this.#parts = parts
    this.#timer = setInterval(() => this.#look(), LOOK_MS)
    // A program that has nothing else to do may end.
    this.#timer.unref()
  }

  /** As it is now. */
  get server(): Postmaster {
    return this.#server
  }

  /** It is not started again any more; resolves when no start is under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    await this.#reviving
  }

  #look(): void {
    if (this.#stopped || this.#reviving !== undefined || performance.now() < this.#notBefore) return
    if (isAlive(this.#server)) return
    this.#reviving = this.#revive().finally(() => {
      this.#reviving = undefined
    })
  }

  async #revive(): Promise<void> {
    const { again, tell } = this.#parts
    const { pid } = this.#server
    try {
      this.#server = await again()
      this.#failures = 0
      tell(`Postgres (pid ${pid}) had ended and was started again as pid ${this.#server.pid}`)
    } catch (error) {
      const waitMs = Math.min(LONGEST_WAIT_MS, LOOK_MS * 2 ** this.#failures)
      this.#failures += 1
      this.#notBefore = performance.now() + waitMs
      tell(`Postgres (pid ${pid}) has ended and cannot be started again yet: ${(error as Error).message}`)
    }
  }
}
