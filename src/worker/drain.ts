/**
 * Going away in order: claim no more, let what runs finish within the grace, tell the rest to stop, give back what has not ended by
 * then, and say good-bye. Asked a second time, everything is given back at once.
 */
import { within } from './within.js'
import type { Drained } from './worker-options.js'

export interface DrainParts {
  /** Resolves when claims under way have come back. */
  stopClaiming(): Promise<void>
  /** Resolves when nothing runs and nothing waits to. */
  quiet(): Promise<void>
  abort(): void
  /** Gives back what has not begun, and what has not settled. */
  release(): void
  /** Resolves when the database knows of every ending. */
  written(): Promise<void>
  /** Ends within `ms`, with or without the database. */
  close(ms: number): Promise<Omit<Drained, 'clean'>>
}

/**
 * After the grace a worker is gone within ten seconds, also when the database is away and leases will run out: the time to settle,
 * which is part of these six seconds, what is left of them to write endings, one second to say good-bye, and the rest for the connections.
 */
const WRITE_MS = 6_000
/** At least, however long handlers took to settle. */
const WRITE_LEAST_MS = 1_500
const CLOSE_MS = 1_000

export class Drain {
  readonly #parts: DrainParts
  readonly #abortMs: number
  #hurry: () => void = () => {}
  readonly #hurried = new Promise<void>((resolve) => {
    this.#hurry = resolve
  })
  #drained: Promise<Drained> | null = null

  constructor(parts: DrainParts, abortMs: number) {
    this.#parts = parts
    this.#abortMs = abortMs
  }

  get begun(): boolean {
    return this.#drained !== null
  }

  begin(graceMs: number): Promise<Drained> {
    if (this.#drained !== null) this.#hurry()
    this.#drained ??= this.#run(graceMs)
    return this.#drained
  }

  async #run(graceMs: number): Promise<Drained> {
    const { stopClaiming, quiet, abort, release, written, close } = this.#parts
    const quietSoon = stopClaiming().then(quiet)
    const clean = graceMs > 0 && (await this.#within(graceMs, quietSoon))
    const until = performance.now() + WRITE_MS
    const left = () => Math.max(until - performance.now(), 0)
    if (!clean) {
      abort()
      // Without grace there is none for settling either, but a handler that listens may do so at once.
      await this.#within(graceMs > 0 ? this.#abortMs : 0, quietSoon)
      release()
    }
    await within(Math.max(left(), WRITE_LEAST_MS), written())
    return { clean, ...(await close(left() + CLOSE_MS)) }
  }

  #within(ms: number, settled: Promise<void>): Promise<boolean> {
    return within(ms, settled, this.#hurried)
  }
}
