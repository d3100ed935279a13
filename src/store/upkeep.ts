/** What the system does by itself. Any number of nodes may call these at once; each pass is bounded and says how much it did. */
import type { ChoreRun } from '../domain/chores.js'
import { type Database, DEADLINES } from './database.js'
import { selectRows } from './rows.js'
import type { Waker } from './waker.js'

export interface AgeOptions {
  readonly afterMs?: number
  readonly step?: number
  readonly cap?: number
  readonly everyMs?: number
  readonly perLevel?: number
}

export interface ForgetOptions {
  /** Events older than this go; a follower of the feed must come back sooner. */
  readonly eventsMs?: number
  /** Answers kept for requests that are sent again. */
  readonly requestsMs?: number
  readonly limit?: number
}

export interface StaleOptions {
  /** After this a subject is due again, unless it says otherwise itself. */
  readonly staleMs?: number
  /** A subject is asked for once in this time. */
  readonly everyMs?: number
  readonly limit?: number
}

/** What a node has to say of a chore since it last did. */
export interface ChoreNote {
  readonly name: string
  readonly everyMs: number
  /** Of the last pass. */
  readonly agoMs: number
  readonly durationMs: number
  readonly rows: number
  readonly error: string | null
  readonly runs: number
  readonly rowsTotal: number
  readonly failures: number
  /** Since a pass last did something; null: none did. */
  readonly workedAgoMs: number | null
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Reading a million rows to keep a few may take a while, on a slow disk. */
export const PRUNE_MS = 600_000

export class Upkeep {
  readonly #database: Database
  readonly #waker: Waker

  constructor(database: Database, waker: Waker) {
    this.#database = database
    this.#waker = waker
  }

  /** Makes due jobs claimable. */
  promote(limit = 1_000): Promise<number> {
    return this.#bring('select holdfast.promote($1) as n', limit)
  }

  /** Takes jobs back from workers whose lease has run out. */
  reclaim(limit = 1_000): Promise<number> {
    return this.#bring('select holdfast.reclaim($1) as n', limit)
  }

  /** Puts arrivals at targets in line and lets targets go on that were busy when their head ended. */
  settleTargets(limit = 1_000): Promise<number> {
    return this.#bring('select holdfast.settle_targets($1) as n', limit)
  }

  /** All three in one round trip, for a process that has nothing else to do. Targets before leases, see bring_in_due. */
  bringIn(limit = 1_000): Promise<number> {
    return this.#bring(
      'select holdfast.promote($1) + holdfast.settle_targets($1) + holdfast.reclaim($1) as n',
      limit,
    )
  }

  /** Raises jobs that have waited long. */
  age({
    afterMs = HOUR_MS,
    step = 10,
    cap = 100,
    everyMs = HOUR_MS / 12,
    perLevel = 1_000,
  }: AgeOptions = {}): Promise<number> {
    return this.#count("select holdfast.age($1 * interval '1 ms', $2, $3, $4 * interval '1 ms', $5) as n", [
      afterMs,
      step,
      cap,
      everyMs,
      perLevel,
    ])
  }

  /** Makes room for jobs to come. By default one range more than enqueue insists on, so that enqueue finds it done. */
  makePartitions(ahead = 4): Promise<number> {
    return this.#count('select holdfast.make_partitions($1) as n', [ahead])
  }

  /**
   * Drops one range of old jobs; says how many went. Nothing went when somebody was in the way: it is tried again at the next
   * call. Alone in its transaction, whose locks must not wait for this process to say commit.
   */
  prune(): Promise<number> {
    return this.#count('select holdfast.prune() as n', [], PRUNE_MS)
  }

  /** Counts what happened since the last call into the minutes of each queue, and keeps the registry of subjects. */
  rollUp(limit = 200): Promise<number> {
    return this.#count('select holdfast.roll_up($1) as n', [limit])
  }

  /** Makes jobs for subjects that have not succeeded for too long. */
  askStale({
    staleMs = 30 * DAY_MS,
    everyMs = 6 * HOUR_MS,
    limit = 1_000,
  }: StaleOptions = {}): Promise<number> {
    return this.#bring(
      "select holdfast.ask_stale($2 * interval '1 ms', $3 * interval '1 ms', $1) as n",
      limit,
      staleMs,
      everyMs,
    )
  }

  /** How long a crawl keeps its job without a sign of work. */
  resetAfter(ms: number): Promise<number> {
    return this.#count("select holdfast.reset_after($1 * interval '1 ms') as n", [ms])
  }

  /** Tells of keys that have expired, and lets go of old ones. */
  expireKeys(limit = 1_000): Promise<number> {
    return this.#count('select holdfast.expire_keys($1) as n', [limit])
  }

  /** Keeps how the chores of a node went. */
  async noteChores(node: string, runs: readonly ChoreNote[]): Promise<void> {
    const said = runs.map((run) => ({
      name: run.name,
      every_ms: Math.round(run.everyMs),
      ago_ms: Math.round(run.agoMs),
      duration_ms: Math.round(run.durationMs),
      rows: run.rows,
      runs: run.runs,
      rows_total: run.rowsTotal,
      worked_ago_ms: run.workedAgoMs === null ? null : Math.round(run.workedAgoMs),
      failures: run.failures,
      error: run.error,
    }))
    await this.#database.query('select holdfast.note_chores($1, $2::text::jsonb)', [
      node,
      JSON.stringify(said),
    ])
  }

  /** How each chore went last, on whichever node. */
  async chores(): Promise<ChoreRun[]> {
    return selectRows<ChoreRun>(
      this.#database,
      `select name, node, every_ms, last_run_at, next_due_at, duration_ms, rows, runs, rows_total, worked_at, failures, error, failed_at
       from holdfast.chores order by name`,
      [],
    )
  }

  /** Lets go of old events and of answers kept for repeated requests. */
  forget({
    eventsMs = 7 * DAY_MS,
    requestsMs = DAY_MS,
    limit = 10_000,
  }: ForgetOptions = {}): Promise<number> {
    return this.#count("select holdfast.forget($1 * interval '1 ms', $2 * interval '1 ms', $3) as n", [
      eventsMs,
      requestsMs,
      limit,
    ])
  }

  /** What brings work wakes those who wait for it. */
  async #bring(text: string, limit: number, ...more: number[]): Promise<number> {
    const moved = await this.#count(text, [limit, ...more])
    if (moved > 0) this.#waker.wakeAll()
    return moved
  }

  async #count(text: string, values: unknown[], deadlineMs: number = DEADLINES.call): Promise<number> {
    const [row] = await this.#database.query<{ n: number }>(text, values, { repeatable: true, deadlineMs })
    return row?.n ?? 0
  }
}
