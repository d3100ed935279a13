/** Whoever waits for a condition, looked at again by whoever changes what it depends on. Costs nothing while nobody waits. */
export class Waiting {
  #waiting: { is: () => boolean; resolve: () => void }[] = []

  until(is: () => boolean): Promise<void> {
    if (is()) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ is, resolve }))
  }

  look(): void {
    if (this.#waiting.length === 0) return
    const met = this.#waiting.filter(({ is }) => is())
    this.#waiting = this.#waiting.filter((one) => !met.includes(one))
    for (const { resolve } of met) resolve()
  }
}
