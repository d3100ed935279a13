/** How fast a worker gets through its jobs, lately. From it follows how much it may fetch ahead. */
const WINDOW_MS = 50
/** What is fetched ahead is what a tenth of a second of finishing takes: a more urgent job waits no longer than that. */
const AHEAD_MS = 100
const SMOOTH = 0.3
/** Jobs that take less lately begin a moment after they are claimed: to tell the database first would cost more than they do. */
const EAGER_MS = 50

export class Load {
  #ended = 0
  #since = performance.now()
  #perMs = 0
  #meanRunMs = 0

  ended(ranMs: number): void {
    this.#ended += 1
    this.#meanRunMs += (ranMs - this.#meanRunMs) * (this.#meanRunMs === 0 ? 1 : 0.05)
  }

  get meanRunMs(): number {
    return this.#meanRunMs
  }

  get isEager(): boolean {
    return this.#meanRunMs > 0 && this.#meanRunMs < EAGER_MS
  }

  /** Jobs to hold ready beside those that run. */
  ahead(slots: number): number {
    const now = performance.now()
    const elapsed = now - this.#since
    if (elapsed >= WINDOW_MS) {
      this.#perMs += (this.#ended / elapsed - this.#perMs) * SMOOTH
      this.#ended = 0
      this.#since = now
    }
    return Math.min(Math.max(1, slots), Math.floor(this.#perMs * AHEAD_MS))
  }
}
