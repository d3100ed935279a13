/** One timer for the deadlines of all runs, set to the earliest: most jobs end long before theirs, and cost nothing here. */
import type { Run } from './run.js'

export class Deadlines {
  readonly #runs: Iterable<Run>
  readonly #due: (run: Run) => void
  #timer: NodeJS.Timeout | undefined
  #at = Number.POSITIVE_INFINITY

  constructor(runs: Iterable<Run>, due: (run: Run) => void) {
    this.#runs = runs
    this.#due = due
  }

  /** Something happens at `at`, on performance's clock. */
  watch(at: number): void {
    if (at >= this.#at) return
    clearTimeout(this.#timer)
    this.#at = at
    this.#timer = setTimeout(() => this.#look(), Math.max(0, Math.ceil(at - performance.now())))
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#at = Number.POSITIVE_INFINITY
  }

  #look(): void {
    this.#at = Number.POSITIVE_INFINITY
    const now = performance.now()
    let next = Number.POSITIVE_INFINITY
    // A list of its own: what is due may leave the set while we look.
    for (const run of [...this.#runs]) {
      if (run.dueAt <= now) this.#due(run)
      if (!run.settled && run.dueAt < next) next = run.dueAt
    }
    this.watch(next)
  }
}
