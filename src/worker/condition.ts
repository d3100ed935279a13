/** A condition variable: `until(test)` resolves once `notify()` finds the test true. Costs nothing while there is no waiter. */
export class Condition {
  #waiting: { is: () => boolean; resolve: () => void }[] = []

  until(is: () => boolean): Promise<void> {
    if (is()) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ is, resolve }))
  }

  notify(): void {
    if (this.#waiting.length === 0) return
    const met = this.#waiting.filter(({ is }) => is())
    this.#waiting = this.#waiting.filter((waiter) => !met.includes(waiter))
    for (const { resolve } of met) resolve()
  }
}
