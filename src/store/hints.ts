/**
 * How far a claimer has drained a queue, so that its next claim need not walk over index entries of rows that are gone but not
 * vacuumed. Normally Postgres skips them cheaply; while somewhere a long transaction pins the past it cannot, and a dead entry
 * costs 0.14 µs in every claim: a million of them, 140 ms.
 *
 * A hint lags: a transaction that commits late brings jobs with lower ids, and a claimer that starts right behind its last job
 * would not see them. What is later still is found by a full pass now and then, whose share of the time stays small because the
 * pause until the next one grows with its own duration. If it finds something far behind, there may be more: the hint starts over
 * from there.
 */
const LAG_MS = 300
const WORTH_IT = 20_000
const FULL_PASS_MS = 1_500
const FULL_PASS_SHARE = 30
/** A level where no work was found for this long starts over: its dead entries have been vacuumed, or it does not matter. */
const FORGET_MS = 60_000

interface Drained {
  readonly level: number
  /** Jobs claimed at this level since we began to count. */
  count: number
  /** Where we stood and when, oldest first; one entry per call within the lag. */
  trail: { at: number; jobId: number }[]
  lagged: number | null
  seenAt: number
  fullPassAt: number
  fullPassMs: number
}

export interface HintColumns {
  readonly levels: (number | null)[]
  readonly jobs: (number | null)[]
}

export class Hints {
  /** By queue, then by level. */
  readonly #queues = new Map<number, Map<number, Drained>>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** What to send along for these queues; null entries ask for a full pass. */
  columns(queueIds: readonly number[]): HintColumns {
    const now = this.#now()
    const hints = queueIds.map((id) => this.#hint(id, now))
    return {
      levels: hints.map((hint) => hint?.level ?? null),
      jobs: hints.map((hint) => hint?.jobId ?? null),
    }
  }

  /** What a claim with these hints brought, and how long it took. */
  learn(
    queueIds: readonly number[],
    sent: HintColumns,
    claimed: readonly { queueId: number; level?: number; fresh?: boolean; jobId: number }[],
    tookMs: number,
  ): void {
    const now = this.#now()
    queueIds.forEach((id, index) => {
      const drained = this.#busiest(id, now)
      if (drained !== undefined && sent.jobs[index] === null) {
        drained.fullPassAt = now
        drained.fullPassMs = tookMs
      }
    })
    for (const { queueId, level, fresh, jobId } of claimed) {
      if (fresh === true && level !== undefined) this.#note({ queueId, level, jobId }, now)
    }
  }

  #hint(id: number, now: number): { level: number; jobId: number } | null {
    const drained = this.#busiest(id, now)
    if (drained === undefined || drained.count < WORTH_IT) return null
    const pause = Math.max(FULL_PASS_MS, FULL_PASS_SHARE * drained.fullPassMs)
    if (now - drained.fullPassAt >= pause) return null
    follow(drained, now)
    return drained.lagged === null ? null : { level: drained.level, jobId: drained.lagged }
  }

  /** One hint per queue is enough: a flood is at one level, and the few urgent jobs above it are read in full. */
  #busiest(id: number, now: number): Drained | undefined {
    const levels = this.#queues.get(id)
    let busiest: Drained | undefined
    for (const drained of levels?.values() ?? []) {
      if (now - drained.seenAt > FORGET_MS) levels?.delete(drained.level)
      else if (busiest === undefined || drained.count > busiest.count) busiest = drained
    }
    return busiest
  }

  #note({ queueId, level, jobId }: { queueId: number; level: number; jobId: number }, now: number): void {
    const levels = this.#queues.get(queueId) ?? new Map<number, Drained>()
    this.#queues.set(queueId, levels)
    let drained = levels.get(level)
    if (drained === undefined || now - drained.seenAt > FORGET_MS) {
      drained = { level, count: 0, trail: [], lagged: null, seenAt: now, fullPassAt: now, fullPassMs: 0 }
      levels.set(level, drained)
    }
    drained.count += 1
    drained.seenAt = now
    follow(drained, now)
    if (drained.lagged !== null && jobId < drained.lagged) {
      drained.lagged = null
      drained.trail = []
    }
    const last = drained.trail.at(-1)
    if (last !== undefined && last.at === now) last.jobId = Math.max(last.jobId, jobId)
    else drained.trail.push({ at: now, jobId: Math.max(jobId, last?.jobId ?? 0) })
  }
}

/** Moves the hint up to where we stood one lag ago. */
function follow(drained: Drained, now: number): void {
  const recent = drained.trail.findIndex(({ at }) => now - at < LAG_MS)
  const old = recent === -1 ? drained.trail : drained.trail.slice(0, recent)
  const reached = old.at(-1)
  if (reached === undefined) return
  drained.lagged = reached.jobId
  drained.trail = drained.trail.slice(old.length)
}
