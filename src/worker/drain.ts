/**
 * Shuts a worker down: stop claiming, let running jobs finish within the grace period, abort the rest, release what has not ended by
 * then, and close the leases. A second request releases everything at once.
 */
import { settlesWithin } from './settles-within.js'
import type { Drained } from './worker-options.js'

export interface DrainParts {
  /** Resolves when the claims in flight are answered. */
  stopClaiming(): Promise<void>
  /** Resolves when no job runs and none is buffered. */
  whenIdle(): Promise<void>
  abort(): void
  /** Releases jobs that have not started or not settled. */
  release(): void
  /** Resolves when every outcome is written. */
  whenWritten(): Promise<void>
  /** Ends within `ms`, even if the database is unreachable. */
  close(ms: number): Promise<Omit<Drained, 'clean'>>
}

/**
 * A worker stops within ten seconds after the grace period, even if the database is unreachable: six seconds for handlers to settle and
 * outcomes to be written, one second to close leases, and the rest for the connections.
 */
const WRITE_MS = 6_000
/** Left for writing outcomes, however long handlers took to settle. */
const WRITE_MIN_MS = 1_500
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
    const { stopClaiming, whenIdle, abort, release, whenWritten, close } = this.#parts
    const idle = stopClaiming().then(whenIdle)
    const clean = graceMs > 0 && (await this.#within(graceMs, idle))
    const until = performance.now() + WRITE_MS
    const left = () => Math.max(until - performance.now(), 0)
    if (!clean) {
      abort()
      // Without a grace period handlers get no time to settle, but one that reacts at once still ends.
      await this.#within(graceMs > 0 ? this.#abortMs : 0, idle)
      release()
    }
    await settlesWithin(Math.max(left(), WRITE_MIN_MS), whenWritten())
    return { clean, ...(await close(left() + CLOSE_MS)) }
  }

  #within(ms: number, settled: Promise<void>): Promise<boolean> {
    return settlesWithin(ms, settled, this.#hurried)
  }
}
