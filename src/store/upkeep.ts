/** Upkeep of the database: promote, reclaim, age, prune, count. Any number of processes may call these at once; each call is bounded and returns how much it did. */

import { type Database, DEADLINES } from '../database/database.js'
import type { ChoreRun } from '../domain/chores.js'
import type { Notifier } from './notify/notifier.js'
import { selectRows } from './rows.js'

export interface AgeOptions {
  readonly afterMs?: number
  readonly step?: number
  readonly cap?: number
  readonly everyMs?: number
  readonly perLevel?: number
}

export interface PruneRecordsOptions {
  /** Deletes older events; a reader of the feed must return sooner. */
  readonly eventsMs?: number
  /** Deletes older answers of repeatable requests. */
  readonly requestsMs?: number
  readonly limit?: number
}

export interface StaleSubjectsOptions {
  /** After this time a subject is stale, unless it has its own interval. */
  readonly staleMs?: number
  /** A subject is enqueued at most once in this time. */
  readonly everyMs?: number
  readonly limit?: number
}

/** What a node reports of a chore since its last report. */
export interface ChoreRecord {
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
  /** When a pass last changed something; null: never. */
  readonly lastChangeAgoMs: number | null
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Reading a million rows to keep a few may take long on a slow disk. */
export const PRUNE_MS = 600_000

export class Upkeep {
  readonly #database: Database
  readonly #notifier: Notifier

  constructor(database: Database, notifier: Notifier) {
    this.#database = database
    this.#notifier = notifier
  }

  /** Makes due jobs claimable. */
  promote(limit = 1_000): Promise<number> {
    return this.#bring('select holdfast.promote($1) as n', limit)
  }

  /** Reclaims jobs whose lease has expired. */
  reclaim(limit = 1_000): Promise<number> {
    return this.#bring('select holdfast.reclaim($1) as n', limit)
  }

  /** Puts new jobs of targets in line, and continues lanes that were locked when their head ended. */
  settleTargets(limit = 1_000): Promise<number> {
    return this.#bring('select holdfast.settle_targets($1) as n', limit)
  }

  /** All three in one round trip, for a process that has nothing else to do. Targets before leases; promote_due_work has the reason. */
  promoteDueWork(limit = 1_000): Promise<number> {
    return this.#bring(
      'select holdfast.promote($1) + holdfast.settle_targets($1) + holdfast.reclaim($1) as n',
      limit,
    )
  }

  /** Raises the priority of jobs that have waited long. */
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

  /** Creates partitions for jobs to come, by default one more than enqueue requires, so that enqueue never has to. */
  makePartitions(ahead = 4): Promise<number> {
    return this.#count('select holdfast.make_partitions($1) as n', [ahead])
  }

  /**
   * Drops one range of old jobs; returns how many. Returns 0 when another transaction holds a lock; the next call tries again. Alone in its
   * transaction, whose locks must not wait for a commit from this process.
   */
  prune(): Promise<number> {
    return this.#count('select holdfast.prune() as n', [], PRUNE_MS)
  }

  /** Counts the events since the last call into the minutes of each queue, and updates the subjects. */
  countMinutes(limit = 200): Promise<number> {
    return this.#count('select holdfast.count_minutes($1) as n', [limit])
  }

  /** Enqueues jobs for subjects that have not succeeded for too long. */
  enqueueStaleSubjects({
    staleMs = 30 * DAY_MS,
    everyMs = 6 * HOUR_MS,
    limit = 1_000,
  }: StaleSubjectsOptions = {}): Promise<number> {
    return this.#bring(
      "select holdfast.enqueue_stale_subjects($2 * interval '1 ms', $3 * interval '1 ms', $1) as n",
      limit,
      staleMs,
      everyMs,
    )
  }

  /** Releases crawl jobs without a report for too long. */
  resetAfter(ms: number): Promise<number> {
    return this.#count("select holdfast.reset_after($1 * interval '1 ms') as n", [ms])
  }

  /** Records events for expired API keys, and deletes old ones. */
  expireKeys(limit = 1_000): Promise<number> {
    return this.#count('select holdfast.expire_keys($1) as n', [limit])
  }

  /** Saves how the chores of a node went. */
  async recordChores(node: string, runs: readonly ChoreRecord[]): Promise<void> {
    const records = runs.map((run) => ({
      name: run.name,
      every_ms: Math.round(run.everyMs),
      ago_ms: Math.round(run.agoMs),
      duration_ms: Math.round(run.durationMs),
      rows: run.rows,
      runs: run.runs,
      rows_total: run.rowsTotal,
      last_change_ago_ms: run.lastChangeAgoMs === null ? null : Math.round(run.lastChangeAgoMs),
      failures: run.failures,
      error: run.error,
    }))
    await this.#database.query('select holdfast.record_chores($1, $2::text::jsonb)', [
      node,
      JSON.stringify(records),
    ])
  }

  /** The last report of each chore, from any node. */
  async chores(): Promise<ChoreRun[]> {
    return selectRows<ChoreRun>(
      this.#database,
      `select name, node, every_ms, last_run_at, next_due_at, duration_ms, rows, runs, rows_total, last_change_at, failures, error, failed_at
       from holdfast.chores order by name`,
      [],
    )
  }

  /** Deletes old events and old answers of repeatable requests. */
  pruneRecords({
    eventsMs = 7 * DAY_MS,
    requestsMs = DAY_MS,
    limit = 10_000,
  }: PruneRecordsOptions = {}): Promise<number> {
    return this.#count("select holdfast.prune_records($1 * interval '1 ms', $2 * interval '1 ms', $3) as n", [
      eventsMs,
      requestsMs,
      limit,
    ])
  }

  /** Wakes waiting workers when a call made jobs claimable. */
  async #bring(text: string, limit: number, ...more: number[]): Promise<number> {
    const moved = await this.#count(text, [limit, ...more])
    if (moved > 0) this.#notifier.wakeAll()
    return moved
  }

  async #count(text: string, values: unknown[], deadlineMs: number = DEADLINES.call): Promise<number> {
    const [row] = await this.#database.query<{ n: number }>(text, values, { repeatable: true, deadlineMs })
    return row?.n ?? 0
  }
}
