/** Database figures for metrics. Their cost does not grow with the number of jobs; docs/metrics.md lists the bounds. */

import type { Database, PoolGauge } from '../database/database.js'
import type { State } from '../domain/states/states.js'
import { fromRow } from './rows.js'

export interface QueueGauge {
  readonly queueId: number
  readonly tenant: string
  readonly queue: string
  readonly paused: boolean
  /** Only states that have jobs. */
  readonly counts: Readonly<Partial<Record<State, number>>>
  /** The count of `queued` stops here. */
  readonly countedMax: number
  readonly oldestReady: Date | null
  readonly blockedSince: Date | null
}

/** A queue with an external trigger; each count is bounded. */
export interface OutboxGauge {
  readonly queueId: number
  /** Jobs not sent to the trigger yet, and since when the first of them waits. */
  readonly unsent: number
  readonly oldestAt: Date | null
  /** Jobs sent to the trigger that no worker has claimed since. */
  readonly sent: number
}

export interface KindDepth {
  readonly queueId: number
  readonly kind: string
  readonly jobs: number
}

export interface LostAttempts {
  readonly queueId: number
  readonly minute: Date
  readonly lost: number
}

export interface ScheduleGauge {
  readonly tenant: string
  readonly name: string
  readonly lastRunAt: Date | null
}

/** The session that has kept the database from vacuuming for the longest time. */
export interface XminHolder {
  readonly holder: string
  readonly ageSeconds: number
}

/** A scrape needs its answer now: some figures are better than none. */
const DEADLINE = { repeatable: true, deadlineMs: 3_000 }

const XMIN_HOLDER = `select coalesce(nullif(o.holder, ''), 'unnamed') as holder, extract(epoch from clock_timestamp() - o.since)::float8 as age_seconds
  from (
    select a.application_name as holder, a.xact_start as since from pg_catalog.pg_stat_activity a
      where a.datname = current_database() and (a.backend_xmin is not null or a.backend_xid is not null) and a.pid <> pg_backend_pid()
    union all
    select 'prepared transaction', p.prepared from pg_catalog.pg_prepared_xacts p where p.database = current_database()) o
  where o.since is not null order by o.since limit 1`

export class Gauges {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** For the tenants that this connection sees. */
  async queues(): Promise<QueueGauge[]> {
    const rows = await this.#database.query<Record<string, unknown>>(
      `select queue_id, tenant, queue, paused, counts, counted_max, oldest_ready, blocked_since from holdfast.queue_gauges()`,
      [],
      DEADLINE,
    )
    return rows.map((row) => fromRow<QueueGauge>(row))
  }

  async outbox(): Promise<OutboxGauge[]> {
    const rows = await this.#database.query<Record<string, unknown>>(
      'select queue_id, unsent, sent, oldest_at from holdfast.outbox_counts()',
      [],
      DEADLINE,
    )
    return rows.map((row) => fromRow<OutboxGauge>(row))
  }

  /** Attempts whose lease expired, by queue and minute, in the last hour. */
  async lostAttempts(): Promise<LostAttempts[]> {
    const rows = await this.#database.query<Record<string, unknown>>(
      'select queue_id, minute, lost from holdfast.lost_attempts()',
      [],
      DEADLINE,
    )
    return rows.map((row) => fromRow<LostAttempts>(row))
  }

  depthByKind(queueIds: readonly number[], countMax: number): Promise<KindDepth[]> {
    return depthByKind(this.#database, queueIds, countMax)
  }

  /** The first `countMax` schedules, in the order they were created, so that a new one never displaces another. */
  async schedules(countMax: number): Promise<ScheduleGauge[]> {
    const rows = await this.#database.query<Record<string, unknown>>(
      'select tenant, name, last_run_at from holdfast.schedules order by id limit $1',
      [countMax],
      DEADLINE,
    )
    return rows.map((row) => fromRow<ScheduleGauge>(row))
  }

  async xminHolder(): Promise<XminHolder | undefined> {
    const [row] = await this.#database.query<Record<string, unknown>>(XMIN_HOLDER, [], DEADLINE)
    return row === undefined ? undefined : fromRow<XminHolder>(row)
  }

  /** Undefined for a driver without a pool. */
  connections(): PoolGauge | undefined {
    return this.#database.connections?.()
  }
}

export async function hasWork(
  database: Database,
  queueIds: readonly number[],
  worker: string,
  lease: number,
): Promise<boolean> {
  const [row] = await database.query<{ has: boolean }>(
    'select holdfast.has_work($1::int[], $2, $3) as has',
    [queueIds, worker, lease],
    { repeatable: true },
  )
  return row?.has ?? false
}

export async function depthByKind(
  database: Database,
  queueIds: readonly number[],
  countMax: number,
): Promise<KindDepth[]> {
  const rows = await database.query<Record<string, unknown>>(
    'select queue_id, kind, jobs from holdfast.depth_by_kind($1::int[], $2)',
    [queueIds, countMax],
    DEADLINE,
  )
  return rows.map((row) => fromRow<KindDepth>(row))
}
