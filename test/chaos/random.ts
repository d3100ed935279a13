/** Numbers that look random and are the same again for the same seed. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to, not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('nothing to pick from')
    return list[this.whole(0, list.length - 1)] as T
  }

  shuffled<T>(list: readonly T[]): T[] {
    const all = [...list]
    for (let last = all.length - 1; last > 0; last--) {
      const other = this.whole(0, last)
      const held = all[last] as T
      all[last] = all[other] as T
      all[other] = held
    }
    return all
  }

  /** Another stream, so that one part using more numbers does not change what another gets. */
  fork(part: number): Random {
    return new Random(Math.imul(this.#state ^ Math.imul(part + 1, 0x9e3779b1), 0x85ebca6b))
  }
}
