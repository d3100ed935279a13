/**
 * Looks for work on behalf of all who wait. A job that is made is announced; a delay that ends, a lease that runs out, a limit that has room again
 * are not. So while anybody waits, one question a second asks for all lines of a tenant which of their queues have something, and
 * only those lines look. However many wait, and for however many queues, the database is asked once.
 */
export interface Waiters {
  readonly queues: readonly string[]
  /** There may be work for them. */
  sign(): void
}

export interface ScoutParts {
  /** Those of these queues that have something to claim. */
  ask(queues: readonly string[]): Promise<readonly string[]>
  /** Whether new jobs are announced. */
  isTold(): boolean
}

const LOOK_EVERY_MS = 1_000
/** While announcements cannot be heard. */
const LOOK_OFTEN_MS = 250

export class Scout {
  readonly #parts: ScoutParts
  readonly #waiters = new Set<Waiters>()
  #timer: NodeJS.Timeout | undefined
  #isAsking = false

  constructor(parts: ScoutParts) {
    this.#parts = parts
  }

  join(waiters: Waiters): void {
    this.#waiters.add(waiters)
    this.#rest()
  }

  leave(waiters: Waiters): void {
    this.#waiters.delete(waiters)
    if (this.#waiters.size > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #rest(): void {
    if (this.#timer !== undefined || this.#isAsking || this.#waiters.size === 0) return
    this.#timer = setTimeout(() => void this.#look(), this.#parts.isTold() ? LOOK_EVERY_MS : LOOK_OFTEN_MS)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    this.#timer = undefined
    this.#isAsking = true
    const queues = new Set([...this.#waiters].flatMap((each) => each.queues))
    // While the database is away nobody is called; the next look asks again.
    const found = new Set(queues.size === 0 ? [] : await this.#parts.ask([...queues]).catch(() => []))
    this.#isAsking = false
    if (found.size > 0)
      for (const each of [...this.#waiters]) if (each.queues.some((queue) => found.has(queue))) each.sign()
    this.#rest()
  }
}
