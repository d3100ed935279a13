/** What a run really did. A model test that never lost a lease or never saw a refusal has proven little. */
export type Counted = 'command' | 'outcome' | 'move' | 'refusal' | 'state' | 'reason'

export class Coverage {
  readonly #counts = new Map<string, number>()

  count(what: Counted, name: string): void {
    const key = `${what} ${name}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  seen(what: Counted): Record<string, number> {
    const entries = [...this.#counts]
      .filter(([key]) => key.startsWith(`${what} `))
      .map(([key, count]): [string, number] => [key.slice(what.length + 1), count])
    return Object.fromEntries(entries.sort(([left], [right]) => left.localeCompare(right)))
  }

  summary(): string {
    return (['command', 'outcome', 'state', 'reason', 'refusal', 'move'] as const)
      .map(
        (what) =>
          `${what}: ${Object.entries(this.seen(what))
            .map(([name, count]) => `${name} ${count}`)
            .join(', ')}`,
      )
      .join('\n')
  }
}
