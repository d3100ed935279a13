/**
 * Counts attempts whose lease ran out, since this server began. The database keeps them by minute, and adds to a minute as long as
 * transactions of it commit. So what was seen of each minute is remembered, and what has come to it since is added: a counter that never
 * falls, whatever the database forgets.
 */
import type { LostAttempts } from '../store/gauges.js'

export class ExpiredLeases {
  readonly #ask: () => Promise<LostAttempts[]>
  #seen: Map<string, number> | undefined
  readonly #totals = new Map<number, number>()

  /** `ask` answers the minutes of the last hour or so. */
  constructor(ask: () => Promise<LostAttempts[]>) {
    this.#ask = ask
  }

  /** By queue. */
  async read(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#ask()
    const before = this.#seen
    // Only minutes that are still asked for can be added to.
    this.#seen = new Map(rows.map((row) => [keyOf(row), row.lost]))
    for (const row of rows) {
      // What happened before the first look is somebody else's to tell; the queue is there all the same.
      const more = before === undefined ? 0 : row.lost - (before.get(keyOf(row)) ?? 0)
      this.#totals.set(row.queueId, (this.#totals.get(row.queueId) ?? 0) + Math.max(0, more))
    }
    return this.#totals
  }
}

function keyOf({ queueId, minute }: LostAttempts): string {
  return `${queueId} ${minute.getTime()}`
}
