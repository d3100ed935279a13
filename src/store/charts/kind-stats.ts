/**
 * Statistics of kinds of jobs, from the roll-up: rates, percentiles, the last error, and the versions that
 * ran them.
 */

import type { Database } from '../../database/database.js'
import { failsSince, type KindVersion } from '../../domain/stats/versions.js'
import { fromRow, selectRows } from '../rows.js'
import { type CountedTimes, type Totals, totalsOf } from './series.js'

export interface KindStats {
  readonly kind: string
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
  readonly lastHour: Totals
  readonly lastDay: Totals
  /** Each of the last 24 hours, oldest first; the last is the current. */
  readonly trend: readonly { readonly at: Date; readonly attempts: number; readonly failed: number }[]
  readonly lastError: {
    readonly fingerprint: string | null
    readonly message: string
    readonly at: Date
    readonly jobId: number
  } | null
  /** The version that ran it last. */
  readonly version: string | null
  readonly failsSinceVersion: string | null
  readonly versions: readonly KindVersion[]
  readonly queueIds: readonly number[]
}

interface KindStatsRow {
  readonly kind: string
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
  readonly errorAt: Date | null
  readonly errorFingerprint: string | null
  readonly errorMessage: string | null
  readonly errorJobId: number | null
  readonly now: Date
  readonly lastHour: Record<string, unknown> | null
  readonly lastDay: Record<string, unknown> | null
  readonly trend: readonly { at: string; attempts: number; failed: number }[]
  readonly queueIds: readonly number[]
  readonly versions: readonly Record<string, unknown>[]
}

const HOUR_MS = 3_600_000
const TREND_HOURS = 24

/** The sum of the rows of a kind `k` of a width since a time, as JSON. */
const summed = (minutes: number, since: string) => `(
  select json_build_object('enqueued', sum(s.enqueued), 'started', sum(s.started), 'succeeded', sum(s.succeeded), 'failed', sum(s.failed),
      'canceled', sum(s.canceled), 'attempts', sum(s.attempts), 'attempts_failed', sum(s.attempts_failed),
      'attempts_lost', sum(s.attempts_lost), 'wait_times', (${histogram('wait_times', minutes, since)}),
      'run_times', (${histogram('run_times', minutes, since)}))
  from holdfast.stats s where ${ofKind(minutes, since)} having count(*) > 0)`

const ofKind = (minutes: number, since: string) =>
  `s.tenant = $1 and s.minutes = ${minutes} and s.kind = k.kind and s.queue_id > 0 and s.at >= ${since}`

const histogram = (column: string, minutes: number, since: string) =>
  `select coalesce(array_agg(b.n order by b.bucket), '{}') from (
     select u.bucket, sum(u.n)::int as n from holdfast.stats s cross join lateral unnest(s.${column}) with ordinality u (n, bucket)
     where ${ofKind(minutes, since)} group by u.bucket) b`

/**
 * Quarters that began in the last hour; hours that began in the last 24. Subqueries, evaluated once: the clock is volatile, and a comparison
 * with it would be no condition of an index.
 */
const QUARTERS = "(select holdfast.now() - interval '1 hour' + interval '1 us')"
const HOURS = `(select date_trunc('hour', holdfast.now(), 'UTC') - interval '${TREND_HOURS - 1} hours')`

const KINDS = `select k.kind, k.first_seen_at, k.last_seen_at, k.error_at, k.error_fingerprint, k.error_message, k.error_job_id,
    holdfast.now() as now, ${summed(15, QUARTERS)} as last_hour, ${summed(60, HOURS)} as last_day,
    coalesce((select json_agg(json_build_object('at', t.at, 'attempts', t.attempts, 'failed', t.failed)) from (
      select s.at, sum(s.attempts) as attempts, sum(s.attempts_failed + s.attempts_lost) as failed from holdfast.stats s
      where ${ofKind(60, HOURS)} group by s.at) t), '[]') as trend,
    array(select distinct s.queue_id from holdfast.stats s where ${ofKind(60, HOURS)}) as queue_ids,
    coalesce((select json_agg(json_build_object('version', v.version, 'first_seen_at', v.first_seen_at, 'last_seen_at', v.last_seen_at,
      'attempts', v.attempts, 'failed', v.failed) order by v.first_seen_at desc, v.version desc)
      from holdfast.kind_versions v where v.tenant = $1 and v.kind = k.kind), '[]') as versions
  from holdfast.counted_kinds k where k.tenant = $1 and ($2::text is null or k.kind = $2) order by k.kind limit 200`

export class KindReads {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Every counted kind of a tenant, or one. */
  async stats({
    tenant = 'default',
    kind,
  }: {
    readonly tenant?: string
    readonly kind?: string
  } = {}): Promise<KindStats[]> {
    const rows = await selectRows<KindStatsRow>(this.#database, KINDS, [tenant, kind ?? null])
    return rows.map(statsOf)
  }
}

function statsOf(row: KindStatsRow): KindStats {
  const versions = row.versions.map((each) => {
    const version = fromRow<KindVersion & { firstSeenAt: string; lastSeenAt: string }>(each)
    return {
      ...version,
      firstSeenAt: new Date(version.firstSeenAt),
      lastSeenAt: new Date(version.lastSeenAt),
    }
  })
  const last = versions.reduce<KindVersion | undefined>(
    (latest, each) => (latest === undefined || each.lastSeenAt > latest.lastSeenAt ? each : latest),
    undefined,
  )
  return {
    kind: row.kind,
    firstSeenAt: row.firstSeenAt,
    lastSeenAt: row.lastSeenAt,
    lastHour: totalsOf(timesOf(row.lastHour)),
    lastDay: totalsOf(timesOf(row.lastDay)),
    trend: trendOf(row),
    lastError:
      row.errorAt === null
        ? null
        : {
            fingerprint: row.errorFingerprint,
            message: row.errorMessage ?? '',
            at: row.errorAt,
            jobId: row.errorJobId as number,
          },
    version: last === undefined || last.version === '' ? null : last.version,
    failsSinceVersion: failsSince(versions),
    versions,
    queueIds: row.queueIds,
  }
}

function timesOf(json: Record<string, unknown> | null): CountedTimes | undefined {
  return json === null ? undefined : fromRow<CountedTimes>(json)
}

function trendOf({ now, trend }: KindStatsRow): KindStats['trend'] {
  const counted = new Map(trend.map(({ at, ...counts }) => [Date.parse(at), counts]))
  const current = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS
  return Array.from({ length: TREND_HOURS }, (_, n) => {
    const at = current - (TREND_HOURS - 1 - n) * HOUR_MS
    return { at: new Date(at), ...(counted.get(at) ?? { attempts: 0, failed: 0 }) }
  })
}
