/** Reads the feed all the while, page by page, whatever becomes of the server: it must see every event once, and no other. */
import type pg from 'pg'

const PAGE = 40
const LOOK_MS = 40

export interface Followed {
  /** How often each event was shown, by its id. */
  readonly seen: ReadonlyMap<number, number>
  readonly pages: number
  /** How often the feed started over. */
  readonly restarts: number
  /** Looks that ended with an error, as while the server was away. */
  readonly failed: number
}

export class FeedReader implements Followed {
  readonly seen = new Map<number, number>()
  pages = 0
  restarts = 0
  failed = 0
  #cursor = 'all'
  #stopped = false
  #looks = 0
  #held = false
  #running: Promise<void> | undefined
  readonly #connect: () => Promise<pg.Client>
  #client: pg.Client | undefined

  constructor(connect: () => Promise<pg.Client>) {
    this.#connect = connect
  }

  start(): void {
    this.#running = this.#run()
  }

  /** Resolves after a look that began after now. */
  async looked(withinMs = 2_000): Promise<void> {
    const from = this.#looks
    const until = performance.now() + withinMs
    while (this.#looks < from + 2 && performance.now() < until) await pass(5)
  }

  /** It does not look until it is let go: a reader that looked at once would find the server where it was before. */
  hold(): void {
    this.#held = true
  }

  letGo(): void {
    this.#held = false
  }

  /** Reads to the end and leaves. */
  async finish(): Promise<void> {
    this.letGo()
    await this.looked(10_000)
    this.#stopped = true
    await this.#running
    while ((await this.#page().catch(() => 1)) > 0);
    await this.#client?.end().catch(() => {})
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      if (this.#held) {
        await pass(LOOK_MS)
        continue
      }
      const found = await this.#page().catch(async () => {
        this.failed += 1
        const old = this.#client
        this.#client = undefined
        old?.end().catch(() => {})
        return 0
      })
      this.#looks += 1
      if (found < PAGE) await pass(LOOK_MS)
    }
  }

  /** What the answer says counts when it is whole: an answer that did not come is asked for again. */
  async #page(): Promise<number> {
    this.#client ??= await this.#connect()
    const { rows } = await this.#client.query('select cursor, events from holdfast.feed($1, $2)', [
      this.#cursor,
      PAGE,
    ])
    const { cursor, events } = rows[0] as { cursor: string; events: { id: number; type: string }[] }
    this.#cursor = cursor
    this.pages += 1
    for (const { id, type } of events) {
      if (type === 'feed_restarted') this.restarts += 1
      else this.seen.set(id, (this.seen.get(id) ?? 0) + 1)
    }
    return events.length
  }
}

const pass = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
