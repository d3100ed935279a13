/** Schedules one retry after a failed call, with exponential backoff. Starting it again while it runs changes nothing. */
import { Backoff } from '../domain/retry.js'

const DELAYS = { firstMs: 50, maxMs: 5_000, jitter: 0.5 }

export class RetryTimer {
  readonly #retry: () => void
  readonly #backoff = new Backoff(DELAYS)
  #timer: NodeJS.Timeout | undefined

  constructor(retry: () => void) {
    this.#retry = retry
  }

  get active(): boolean {
    return this.#timer !== undefined
  }

  start(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#retry()
    }, this.#backoff.nextMs())
  }

  /** For a caller that retries by itself. */
  async wait(): Promise<void> {
    await this.#backoff.wait()
  }

  /** After a success. */
  reset(): void {
    this.#backoff.reset()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
