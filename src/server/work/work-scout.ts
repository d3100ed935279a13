/**
 * Polls for claimable jobs on behalf of all long polls of a tenant. New jobs are notified; a delay that ends, a lease that expires and a
 * limit with room again are not. So while callers wait, one query a second asks which of their queues have a job, and wakes only the
 * waiters of those. The number of callers and queues does not change the number of queries.
 */
export interface WakeableWaiters {
  readonly queues: readonly string[]
  wakeUp(): void
}

export interface WorkScoutDeps {
  /** The queues among these that have a job to claim. */
  queuesWithWork(queues: readonly string[]): Promise<readonly string[]>
  /** Whether notifications of new jobs arrive. */
  isNotified(): boolean
}

const POLL_MS = 1_000
/** While notifications do not arrive. */
const POLL_UNNOTIFIED_MS = 250

export class WorkScout {
  readonly #deps: WorkScoutDeps
  readonly #waiters = new Set<WakeableWaiters>()
  #timer: NodeJS.Timeout | undefined
  #isPolling = false

  constructor(deps: WorkScoutDeps) {
    this.#deps = deps
  }

  join(waiters: WakeableWaiters): void {
    this.#waiters.add(waiters)
    this.#schedule()
  }

  leave(waiters: WakeableWaiters): void {
    this.#waiters.delete(waiters)
    if (this.#waiters.size > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isPolling || this.#waiters.size === 0) return
    this.#timer = setTimeout(() => void this.#poll(), this.#deps.isNotified() ? POLL_MS : POLL_UNNOTIFIED_MS)
    this.#timer.unref()
  }

  async #poll(): Promise<void> {
    this.#timer = undefined
    this.#isPolling = true
    const queues = new Set([...this.#waiters].flatMap((each) => each.queues))
    // While the database cannot be reached no waiter is woken; the next poll asks again.
    const found = new Set(
      queues.size === 0 ? [] : await this.#deps.queuesWithWork([...queues]).catch(() => []),
    )
    this.#isPolling = false
    if (found.size > 0)
      for (const each of [...this.#waiters]) if (each.queues.some((queue) => found.has(queue))) each.wakeUp()
    this.#schedule()
  }
}
