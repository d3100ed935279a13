/**
 * Which of its queues a claimer asks, and in which order. The database takes at most one share (an eighth of the claim) from each queue in
 * the given order before it takes more from any, so the first queues in the list are served first. The rotation moves the start of
 * the list from claim to claim.
 *
 * Guarantee: while all claims return full (with at least five jobs), a queue with work among n listed queues is served within
 * ceil(n / 64) + ceil(b / 5) claims, b being the number of queues with work, however deep the others are: each claim passes 64 queues or
 * takes jobs from at least five. A claim asks 64 queues and those that filled a whole share last time, so that it does not search for
 * a flood again. After a claim that was not full there is time, and the next one asks all queues.
 */
const WINDOW = 64
/** The same number as in `holdfast.claim`. */
const SHARES = 8

export class QueueRotation {
  #start = 0
  #flooded = false
  /** The queues that filled a whole share last time; usually eight at most. */
  #haveMore: readonly number[] = []

  /** The queues of the next claim, in order. */
  list(queueIds: readonly number[]): number[] {
    const start = this.#start % Math.max(1, queueIds.length)
    const turned = [...queueIds.slice(start), ...queueIds.slice(0, start)]
    if (!this.#flooded || turned.length <= WINDOW) return turned
    const window = turned.slice(0, WINDOW)
    const others = new Set(turned.slice(WINDOW))
    return [...window, ...this.#haveMore.filter((id) => others.has(id))]
  }

  /** Records the jobs that a claim from the `listed` queues returned. */
  learn(
    queueIds: readonly number[],
    listed: readonly number[],
    claimed: readonly { queueId: number }[],
    limit: number,
  ): void {
    const taken = new Map<number, number>()
    for (const { queueId } of claimed) taken.set(queueId, (taken.get(queueId) ?? 0) + 1)
    const share = Math.ceil(limit / Math.min(listed.length, SHARES))
    this.#haveMore = listed.filter((id) => (taken.get(id) ?? 0) >= share)
    this.#flooded = claimed.length >= limit
    const passed = this.#flooded ? reached(listed, taken, share) : 1
    const start = this.#start % Math.max(1, queueIds.length)
    this.#start = start + Math.min(passed, WINDOW, queueIds.length)
  }
}

/** How many of the listed queues a full claim reached: all, if it took more than a share from one; else up to the last it took from. */
function reached(listed: readonly number[], taken: ReadonlyMap<number, number>, share: number): number {
  for (const count of taken.values()) if (count > share) return listed.length
  return listed.findLastIndex((id) => taken.has(id)) + 1
}
