/** The pause after a failure: longer after each, with jitter, so that a fleet does not come back in step. */
const FIRST_MS = 50
const LONGEST_MS = 5_000

export class Pause {
  readonly #over: () => void
  #failures = 0
  #timer: NodeJS.Timeout | undefined

  constructor(over: () => void) {
    this.#over = over
  }

  get active(): boolean {
    return this.#timer !== undefined
  }

  begin(): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#over()
    }, this.#nextMs())
  }

  /** One pause, for whoever waits in line. */
  once(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, this.#nextMs()))
  }

  /** It went well again. */
  reset(): void {
    this.#failures = 0
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #nextMs(): number {
    const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#failures)
    this.#failures += 1
    return most * (0.5 + Math.random() / 2)
  }
}
