/**
 * Whose turn it is. A claim goes through its queues in the order listed and gives each at most its share (an eighth of the claim)
 * before it gives anybody more, so whoever is listed first is served first. This turns the list from claim to claim.
 *
 * What it guarantees: while all claims come back full (of at least five jobs), a queue with work among n listed ones is served within
 * ceil(n / 64) + ceil(b / 5) claims, b being how many of them have work, whatever floods the others: a claim passes 64 queues, or is
 * filled by five or more. Each claim asks at most 64 queues in turn, and again those that had a whole share to give last time, so that a
 * flood is not looked for anew. When a claim comes back with less than it might have, there is time, and the next asks all of them.
 */
const WINDOW = 64
/** As holdfast.claim has it. */
const SHARES = 8

export class Turns {
  #start = 0
  #flooded = false
  /** Those that had a whole share to give last time; eight at most, as a rule. */
  #haveMore: readonly number[] = []

  /** The queues to ask now, in turn. */
  list(queueIds: readonly number[]): number[] {
    const start = this.#start % Math.max(1, queueIds.length)
    const turned = [...queueIds.slice(start), ...queueIds.slice(0, start)]
    if (!this.#flooded || turned.length <= WINDOW) return turned
    const window = turned.slice(0, WINDOW)
    const others = new Set(turned.slice(WINDOW))
    return [...window, ...this.#haveMore.filter((id) => others.has(id))]
  }

  /** What the claim from these brought. */
  learn(
    queueIds: readonly number[],
    listed: readonly number[],
    claimed: readonly { queueId: number }[],
    limit: number,
  ): void {
    const given = new Map<number, number>()
    for (const { queueId } of claimed) given.set(queueId, (given.get(queueId) ?? 0) + 1)
    const share = Math.ceil(limit / Math.min(listed.length, SHARES))
    this.#haveMore = listed.filter((id) => (given.get(id) ?? 0) >= share)
    this.#flooded = claimed.length >= limit
    const passed = this.#flooded ? reached(listed, given, share) : 1
    const start = this.#start % Math.max(1, queueIds.length)
    this.#start = start + Math.min(passed, WINDOW, queueIds.length)
  }
}

/** How many of the listed queues a full claim got to: all, if somebody got more than a share; else as far as the last that gave. */
function reached(listed: readonly number[], given: ReadonlyMap<number, number>, share: number): number {
  for (const count of given.values()) if (count > share) return listed.length
  return listed.findLastIndex((id) => given.has(id)) + 1
}
