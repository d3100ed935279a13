/**
 * How far a claimer has drained each queue. Its next claim starts there, so that Postgres does not walk over index entries of rows that are
 * deleted but not vacuumed yet. Normally Postgres skips such entries cheaply. While a long transaction holds an old snapshot it cannot,
 * and each dead entry costs every claim 0.14 µs: 140 ms for a million of them.
 *
 * The position sent to the database, the hint, lags 300 ms behind the last claimed job, because a transaction that commits late adds jobs
 * with lower ids. A full pass (job-claimer.ts) finds the jobs of transactions that commit even later. The pause between two full
 * passes grows with their duration, up to ten seconds, so that they take a small share of the time. When a pass finds a job far behind
 * the hint, there may be more, and the hint restarts there.
 */
const LAG_MS = 300
const HINT_AFTER_JOBS = 20_000
const FULL_PASS_MS = 1_500
const FULL_PASS_SHARE = 30
/** Bounds the pause after a pass that was slow for another reason, such as a lock or a starting server: jobs behind the hint wait for the next. */
const FULL_PASS_PAUSE_MAX_MS = 10_000
/** A level without claimed jobs for this long loses its hint: its dead entries have been vacuumed by then, or it is idle. */
const FORGET_MS = 60_000
/** A claim that takes this much longer than its number of jobs explains has walked over dead entries. */
const COSTLY_MS = 10
const MS_PER_JOB = 0.03
/** After a costly pass the hint starts this many ids before its first job, without waiting for the lag. Walking them costs 0.7 ms. */
const MARGIN_JOBS = 5_000

interface DrainedLevel {
  readonly level: number
  /** Jobs claimed at this level since counting began. */
  count: number
  /** The last claimed job after each call within the lag, oldest first. */
  trail: { at: number; jobId: number }[]
  /** The hint: the last claimed job of one lag ago. */
  lagged: number | null
  seenAt: number
  fullPassAt: number
  fullPassMs: number
  /** The last full pass walked over dead entries. */
  costly: boolean
}

/** Parameters of `claim_batch`, one element a queue; null: no hint, search the whole queue. */
export interface FrontierColumns {
  readonly levels: (number | null)[]
  readonly jobs: (number | null)[]
}

/** What a claimed job shows of its position in its queue. */
export interface ClaimedPosition {
  readonly queueId: number
  readonly jobId: number
  readonly level?: number
  readonly fresh?: boolean
}

export class ClaimFrontier {
  /** By queue, then by level. */
  readonly #queues = new Map<number, Map<number, DrainedLevel>>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  columns(queueIds: readonly number[]): FrontierColumns {
    const now = this.#now()
    const hints = queueIds.map((id) => this.#hint(id, now))
    return {
      levels: hints.map((hint) => hint?.level ?? null),
      jobs: hints.map((hint) => hint?.jobId ?? null),
    }
  }

  /** The queues whose next full pass is due. */
  due(queueIds: readonly number[]): number[] {
    const now = this.#now()
    return queueIds.filter((id) => {
      const drained = this.#busiest(id, now)
      if (drained === undefined || this.#hint(id, now) === null) return false
      const pauseMs = Math.min(FULL_PASS_PAUSE_MAX_MS, FULL_PASS_SHARE * drained.fullPassMs)
      return now - drained.fullPassAt >= Math.max(FULL_PASS_MS, pauseMs)
    })
  }

  /** Records the jobs of a claim that was sent with these hints, and how long it took. */
  learn(
    queueIds: readonly number[],
    sent: FrontierColumns,
    claimed: readonly ClaimedPosition[],
    tookMs: number,
  ): void {
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
      if (costly) skipDeadEntries(drained, claimed, id)
    })
  }

  #hint(id: number, now: number): { level: number; jobId: number } | null {
    const drained = this.#busiest(id, now)
    if (drained === undefined || (drained.count < HINT_AFTER_JOBS && !drained.costly)) return null
    follow(drained, now)
    return drained.lagged === null ? null : { level: drained.level, jobId: drained.lagged }
  }

  /** One hint a queue is enough: a flood is at one level, and the few urgent jobs above it are searched in full. */
  #busiest(id: number, now: number): DrainedLevel | undefined {
    const levels = this.#queues.get(id)
    let busiest: DrainedLevel | undefined
    for (const drained of levels?.values() ?? []) {
      if (isExpired(drained, now)) levels?.delete(drained.level)
      else if (busiest === undefined || drained.count > busiest.count) busiest = drained
    }
    return busiest
  }

  #note({ queueId, level, jobId }: { queueId: number; level: number; jobId: number }, now: number): void {
    const levels = this.#queues.get(queueId) ?? new Map<number, DrainedLevel>()
    this.#queues.set(queueId, levels)
    let drained = levels.get(level)
    if (drained === undefined || isExpired(drained, now)) {
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

/** Searches all of these queues from their beginning. */
export function noFrontier(queueIds: readonly number[]): FrontierColumns {
  const none = queueIds.map(() => null)
  return { levels: none, jobs: none }
}

function newDrained(level: number, now: number): DrainedLevel {
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

/** While passes are costly the dead entries are still there, even in an idle queue. */
function isExpired({ seenAt, costly }: DrainedLevel, now: number): boolean {
  return now - seenAt > FORGET_MS && !costly
}

function before(jobId: number): number {
  return Math.max(0, jobId - 1 - MARGIN_JOBS)
}

/** The dead entries that a costly pass walked over lie before the first job it found. */
function skipDeadEntries(drained: DrainedLevel, claimed: readonly ClaimedPosition[], queueId: number): void {
  if (drained.lagged !== null) return
  let first: number | undefined
  for (const { queueId: queue, level, fresh, jobId } of claimed) {
    if (queue !== queueId || level !== drained.level || fresh !== true) continue
    if (first === undefined || jobId < first) first = jobId
  }
  if (first !== undefined) drained.lagged = before(first)
}

/** Moves the hint to the last job claimed one lag ago. */
function follow(drained: DrainedLevel, now: number): void {
  const recent = drained.trail.findIndex(({ at }) => now - at < LAG_MS)
  const old = recent === -1 ? drained.trail : drained.trail.slice(0, recent)
  const reached = old.at(-1)
  if (reached === undefined) return
  drained.lagged = reached.jobId
  drained.trail = drained.trail.slice(old.length)
}
