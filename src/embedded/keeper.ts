// Restarts a server that dies while its owner lives, on the same data and the same port, so that every address stays valid and clients
// reconnect by themselves. It never creates a data folder: data that is gone stays gone.

import type { Postmaster } from './postmaster.js'
import { isAlive } from './process.js'

const LOOK_MS = 500
const LONGEST_WAIT_MS = 30_000

export interface KeeperParts {
  /** Starts the server again, or returns one that already runs. */
  again(): Promise<Postmaster>
  report(news: string): void
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
    // Does not keep an otherwise finished program alive.
    this.#timer.unref()
  }

  /** The current server. */
  get server(): Postmaster {
    return this.#server
  }

  /** Stops restarting; resolves when no start is in progress. */
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
    const { again, report } = this.#parts
    const { pid } = this.#server
    try {
      this.#server = await again()
      this.#failures = 0
      report(`Postgres (pid ${pid}) ended and was restarted as pid ${this.#server.pid}`)
    } catch (error) {
      const waitMs = Math.min(LONGEST_WAIT_MS, LOOK_MS * 2 ** this.#failures)
      this.#failures += 1
      this.#notBefore = performance.now() + waitMs
      report(`Postgres (pid ${pid}) ended and could not be restarted yet: ${(error as Error).message}`)
    }
  }
}
