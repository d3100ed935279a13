/**
 * How far a claimer has drained a queue, so that its next claim need not walk over index entries of rows that are gone but not
 * vacuumed. Normally Postgres skips them cheaply; while somewhere a long transaction pins the past it cannot, and a dead entry
 * costs 0.14 µs in every claim: a million of them, 140 ms.
 *
 * A hint lags: a transaction that commits late brings jobs with lower ids, and a claimer that starts right behind its last job
 * would not see them. What is later still is found by a full pass now and then, whose share of the time stays small because the
 * pause until the next one grows with its own duration, up to ten seconds. If it finds something far behind, there may be more: the hint starts over
 * from there. The pass runs beside the hinted claims (see full-pass.ts), so nobody waits for it.
 */
const LAG_MS = 300
const WORTH_IT = 20_000
const FULL_PASS_MS = 1_500
const FULL_PASS_SHARE = 30
/** However long a pass took: it may have waited for a lock or a server that was starting, and what is behind the hint waits for the next. */
const FULL_PASS_MOST_MS = 10_000
/** A level where no work was found for this long starts over: its dead entries have been vacuumed, or it does not matter. */
const FORGET_MS = 60_000
/** A claim that takes this much longer than handing out its jobs should has walked over something. */
const COSTLY_MS = 10
const MS_PER_JOB = 0.03
/** After a costly pass we need not wait for the lag: this many ids before its first job is as good, and costs 0.7 ms to walk. */
const MARGIN_JOBS = 5_000

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
  /** The last full pass had to walk. */
  costly: boolean
}

export interface HintColumns {
  readonly levels: (number | null)[]
  readonly jobs: (number | null)[]
}

export interface Handed {
  readonly queueId: number
  readonly jobId: number
  readonly level?: number
  readonly fresh?: boolean
}

export class Hints {
  /** By queue, then by level. */
  readonly #queues = new Map<number, Map<number, Drained>>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** What to send along for these queues; null where there is no hint, and everything is looked through. */
  columns(queueIds: readonly number[]): HintColumns {
    const now = this.#now()
    const hints = queueIds.map((id) => this.#hint(id, now))
    return {
      levels: hints.map((hint) => hint?.level ?? null),
      jobs: hints.map((hint) => hint?.jobId ?? null),
    }
  }

  /** Those of the queues that have been asked with hints for long enough: it is time to look behind them. */
  due(queueIds: readonly number[]): number[] {
    const now = this.#now()
    return queueIds.filter((id) => {
      const drained = this.#busiest(id, now)
      if (drained === undefined || this.#hint(id, now) === null) return false
      const pauseMs = Math.min(FULL_PASS_MOST_MS, FULL_PASS_SHARE * drained.fullPassMs)
      return now - drained.fullPassAt >= Math.max(FULL_PASS_MS, pauseMs)
    })
  }

  /** What a claim with these hints brought, and how long it took. */
  learn(queueIds: readonly number[], sent: HintColumns, claimed: readonly Handed[], tookMs: number): void {
    const now = this.#now()
    for (const { queueId, level, fresh, jobId } of claimed) {
      if (fresh === true && level !== undefined) this.#note({ queueId, level, jobId }, now)
    }
    const costly = tookMs - claimed.length * MS_PER_JOB >= COSTLY_MS
    queueIds.forEach((id, index) => {
      const drained = this.#busiest(id, now)
      if (drained === undefined || sent.jobs[index] !== null) return
      drained.fullPassAt = now
      drained.fullPassMs = tookMs
      drained.costly = costly
      if (costly) skipTheDead(drained, claimed, id)
    })
  }

  #hint(id: number, now: number): { level: number; jobId: number } | null {
    const drained = this.#busiest(id, now)
    if (drained === undefined || (drained.count < WORTH_IT && !drained.costly)) return null
    follow(drained, now)
    return drained.lagged === null ? null : { level: drained.level, jobId: drained.lagged }
  }

  /** One hint per queue is enough: a flood is at one level, and the few urgent jobs above it are read in full. */
  #busiest(id: number, now: number): Drained | undefined {
    const levels = this.#queues.get(id)
    let busiest: Drained | undefined
    for (const drained of levels?.values() ?? []) {
      if (isPast(drained, now)) levels?.delete(drained.level)
      else if (busiest === undefined || drained.count > busiest.count) busiest = drained
    }
    return busiest
  }

  #note({ queueId, level, jobId }: { queueId: number; level: number; jobId: number }, now: number): void {
    const levels = this.#queues.get(queueId) ?? new Map<number, Drained>()
    this.#queues.set(queueId, levels)
    let drained = levels.get(level)
    if (drained === undefined || isPast(drained, now)) {
      drained = newDrained(level, now)
      levels.set(level, drained)
    }
    drained.count += 1
    drained.seenAt = now
    follow(drained, now)
    if (drained.lagged !== null && jobId < drained.lagged) {
      drained.lagged = drained.costly ? before(jobId) : null
      drained.trail = []
    }
    const last = drained.trail.at(-1)
    if (last !== undefined && last.at === now) last.jobId = Math.max(last.jobId, jobId)
    else drained.trail.push({ at: now, jobId: Math.max(jobId, last?.jobId ?? 0) })
  }
}

/** Everything is looked through. */
export function noHints(queueIds: readonly number[]): HintColumns {
  const none = queueIds.map(() => null)
  return { levels: none, jobs: none }
}

function newDrained(level: number, now: number): Drained {
  return {
    level,
    count: 0,
    trail: [],
    lagged: null,
    seenAt: now,
    fullPassAt: now,
    fullPassMs: 0,
    costly: false,
  }
}

/** While passes are costly the dead are still there, work or no work. */
function isPast({ seenAt, costly }: Drained, now: number): boolean {
  return now - seenAt > FORGET_MS && !costly
}

function before(jobId: number): number {
  return Math.max(0, jobId - 1 - MARGIN_JOBS)
}

/** What a costly pass walked over lies before the first job it found. */
function skipTheDead(drained: Drained, claimed: readonly Handed[], queueId: number): void {
  if (drained.lagged !== null) return
  let first: number | undefined
  for (const { queueId: queue, level, fresh, jobId } of claimed) {
    if (queue !== queueId || level !== drained.level || fresh !== true) continue
    if (first === undefined || jobId < first) first = jobId
  }
  if (first !== undefined) drained.lagged = before(first)
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
