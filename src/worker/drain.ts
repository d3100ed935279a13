/**
 * Going away in order: claim no more, let what runs finish within the grace, tell the rest to stop, give back what has not ended by
 * then, and say good-bye. Asked a second time, everything is given back at once.
 */
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
  close(): Promise<Omit<Drained, 'clean'>>
}

/** As long as a call may take: then the database is away, and leases will run out. */
const WRITE_MS = 10_000

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
    if (!clean) {
      abort()
      // Without grace there is none for settling either, but a handler that listens may do so at once.
      await this.#within(graceMs > 0 ? this.#abortMs : 0, quietSoon)
      release()
    }
    await within(WRITE_MS, written())
    return { clean, ...(await close()) }
  }

  #within(ms: number, settled: Promise<void>): Promise<boolean> {
    return within(ms, settled, this.#hurried)
  }
}

/** Whether it settled in time. Whatever ends the wait, no timer is left that would keep the process alive. */
async function within(ms: number, settled: Promise<void>, hurried: Promise<void> = NEVER): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([settled.then(() => true), hurried.then(() => false), late])
  } finally {
    clearTimeout(timer)
  }
}

const NEVER = new Promise<void>(() => {})
