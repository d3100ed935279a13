/** What the system does by itself. Any number of nodes may call these at once; each pass is bounded and says how much it did. */
import type { Database } from './database.js'

export interface AgeOptions {
  readonly afterMs?: number
  readonly step?: number
  readonly cap?: number
  readonly everyMs?: number
  readonly perLevel?: number
}

const HOUR_MS = 3_600_000

export class Upkeep {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Makes due jobs claimable. */
  promote(limit = 1_000): Promise<number> {
    return this.#count('select holdfast.promote($1) as n', [limit])
  }

  /** Takes jobs back from workers whose lease has run out. */
  reclaim(limit = 1_000): Promise<number> {
    return this.#count('select holdfast.reclaim($1) as n', [limit])
  }

  /** Puts arrivals at targets in line and lets targets go on that were busy when their head ended. */
  settleTargets(limit = 1_000): Promise<number> {
    return this.#count('select holdfast.settle_targets($1) as n', [limit])
  }

  /** Raises jobs that have waited long. */
  age({
    afterMs = HOUR_MS,
    step = 10,
    cap = 100,
    everyMs = HOUR_MS / 12,
    perLevel = 1_000,
  }: AgeOptions = {}): Promise<number> {
    return this.#count("select holdfast.age($1 * interval '1 ms', $2, $3, $4 * interval '1 ms', $5) as n", [
      afterMs,
      step,
      cap,
      everyMs,
      perLevel,
    ])
  }

  async #count(text: string, values: unknown[]): Promise<number> {
    const [row] = await this.#database.query<{ n: number }>(text, values, { repeatable: true })
    return row?.n ?? 0
  }
}
