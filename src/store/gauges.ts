/** What metrics tell of the database, at a cost that does not grow with what is in it. The bounds are in docs/metrics.md. */
import type { State } from '../domain/states.js'
import type { Connections, Database } from './database.js'
import { fromRow } from './rows.js'

export interface QueueGauge {
  readonly queueId: number
  readonly tenant: string
  readonly queue: string
  readonly paused: boolean
  /** Of those states it has jobs in. */
  readonly counts: Readonly<Partial<Record<State, number>>>
  /** Where the count of `queued` stops. */
  readonly countedMax: number
  readonly oldestReady: Date | null
  readonly blockedSince: Date | null
}

/** Of a queue with an external trigger; each count stops somewhere. */
export interface OutboxGauge {
  readonly queueId: number
  /** Jobs the trigger was not told of yet, and since when the first of them waits for it. */
  readonly unsent: number
  readonly oldestAt: Date | null
  /** Jobs it was told of that have not been seen since. */
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

/** Who has kept the database from cleaning up for the longest time. */
export interface XminHolder {
  readonly holder: string
  readonly ageSeconds: number
}

/** Whoever asks for metrics wants them now; better some of them than none. */
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

  /** Of the tenants this connection sees. */
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
      'select queue_id, unsent, sent, oldest_at from holdfast.outbox_gauges()',
      [],
      DEADLINE,
    )
    return rows.map((row) => fromRow<OutboxGauge>(row))
  }

  /** Attempts whose lease ran out, by queue and minute, in the last hour. */
  async lostAttempts(): Promise<LostAttempts[]> {
    const rows = await this.#database.query<Record<string, unknown>>(
      'select queue_id, minute, lost from holdfast.lost_attempts()',
      [],
      DEADLINE,
    )
    return rows.map((row) => fromRow<LostAttempts>(row))
  }

  depthByKind(queueIds: readonly number[], most: number): Promise<KindDepth[]> {
    return depthByKind(this.#database, queueIds, most)
  }

  /** The first so many, in the order they were made, so that a new one takes no other's place. */
  async schedules(most: number): Promise<ScheduleGauge[]> {
    const rows = await this.#database.query<Record<string, unknown>>(
      'select tenant, name, last_run_at from holdfast.schedules order by id limit $1',
      [most],
      DEADLINE,
    )
    return rows.map((row) => fromRow<ScheduleGauge>(row))
  }

  async xminHolder(): Promise<XminHolder | undefined> {
    const [row] = await this.#database.query<Record<string, unknown>>(XMIN_HOLDER, [], DEADLINE)
    return row === undefined ? undefined : fromRow<XminHolder>(row)
  }

  /** Undefined where there is only one. */
  connections(): Connections | undefined {
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
  most: number,
): Promise<KindDepth[]> {
  const rows = await database.query<Record<string, unknown>>(
    'select queue_id, kind, jobs from holdfast.depth_by_kind($1::int[], $2)',
    [queueIds, most],
    DEADLINE,
  )
  return rows.map((row) => fromRow<KindDepth>(row))
}
