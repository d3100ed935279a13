/** Charts from the roll-up: throughput and times as points, and the sizes of worker groups. Nothing here reads jobs or attempts. */

import type { Database } from '../../database/database.js'
import { type Histogram, type Percentiles, percentilesOf, sumOf } from '../../domain/stats/histogram.js'
import { SPANS, type SpanName } from '../../domain/stats/spans.js'
import { queueIdOf } from '../list/jobs.js'
import { fromRow } from '../rows.js'

export interface EventCounts {
  readonly enqueued: number
  readonly started: number
  readonly succeeded: number
  readonly failed: number
  readonly canceled: number
  /** Attempts that ended, however they did. */
  readonly attempts: number
  readonly attemptsFailed: number
  readonly attemptsLost: number
}

export interface Totals extends EventCounts {
  /** Failed and lost attempts among all; null if there were none. */
  readonly failedRate: number | null
  readonly wait: Percentiles
  readonly run: Percentiles
}

export interface SeriesPoint extends Totals {
  readonly at: Date
}

export interface SeriesOptions {
  readonly tenant?: string
  readonly span?: SpanName
  readonly queue?: string
  readonly kind?: string
}

export interface StatsSeries {
  readonly span: SpanName
  readonly stepMs: number
  readonly from: Date
  readonly to: Date
  /** When the roll-up last ran; null: never. */
  readonly countedTo: Date | null
  readonly points: readonly SeriesPoint[]
  readonly total: Totals
}

export interface ScaleEvent {
  readonly at: Date
  readonly group: string
  readonly from: number
  readonly to: number
  readonly depth: number | null
  readonly reason: string | null
  readonly worker: string | null
}

/** Counts with their histograms, as rows of the roll-up have them. */
export interface CountedTimes extends EventCounts {
  readonly waitTimes: Histogram
  readonly runTimes: Histogram
}

const MINUTE_MS = 60_000
const SCALE_EVENTS_MAX = 1_000

const COUNTED = [
  'enqueued',
  'started',
  'succeeded',
  'failed',
  'canceled',
  'attempts',
  'attemptsFailed',
  'attemptsLost',
] as const satisfies readonly (keyof EventCounts)[]

const COLUMNS =
  'enqueued, started, succeeded, failed, canceled, attempts, attempts_failed, attempts_lost, wait_times, run_times'

/** One of the three parts returns rows: of the tenant, of a queue, of a kind in all queues. */
const SERIES = `with step as (
    select n.now, date_bin(interval '1 minute' * $4::int, n.now, '2000-01-01 00:00:00+00')
      - interval '1 minute' * $4::int * ($5::int - 1) as begins from (select holdfast.now() as now) n),
  chosen as materialized (
    select s.at, ${COLUMNS} from holdfast.stats s where $2::int is null and $3::text is null
      and s.tenant = $1 and s.minutes = $4 and s.queue_id = 0 and s.at >= (select begins from step)
    union all
    select s.at, ${COLUMNS} from holdfast.stats s where $2::int is not null and s.tenant = $1 and s.minutes = $4
      and s.queue_id = $2 and s.at >= (select begins from step) and ($3::text is null or s.kind = $3)
    union all
    select s.at, ${COLUMNS} from holdfast.stats s where $2::int is null and $3::text is not null and s.tenant = $1 and s.minutes = $4
      and s.queue_id > 0 and s.kind = $3 and s.at >= (select begins from step)),
  summed as (
    select c.at, sum(c.enqueued)::int as enqueued, sum(c.started)::int as started, sum(c.succeeded)::int as succeeded,
      sum(c.failed)::int as failed, sum(c.canceled)::int as canceled, sum(c.attempts)::int as attempts,
      sum(c.attempts_failed)::int as attempts_failed, sum(c.attempts_lost)::int as attempts_lost
    from chosen c group by c.at),
  timed as (
    select t.at, array_agg(t.waits order by t.bucket) as wait_times, array_agg(t.runs order by t.bucket) as run_times
    from (select c.at, u.bucket, coalesce(sum(u.waits), 0)::int as waits, coalesce(sum(u.runs), 0)::int as runs
      from chosen c cross join lateral unnest(c.wait_times, c.run_times) with ordinality u (waits, runs, bucket)
      group by c.at, u.bucket) t group by t.at)
  select step.now, step.begins, holdfast.counted_to() as counted_to,
    coalesce((select json_agg(json_build_object('at', s.at, 'enqueued', s.enqueued, 'started', s.started, 'succeeded', s.succeeded,
      'failed', s.failed, 'canceled', s.canceled, 'attempts', s.attempts, 'attempts_failed', s.attempts_failed,
      'attempts_lost', s.attempts_lost, 'wait_times', coalesce(t.wait_times, '{}'), 'run_times', coalesce(t.run_times, '{}')))
      from summed s left join timed t on t.at = s.at), '[]') as points
  from step limit 1`

export class SeriesReads {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Evenly spaced points, oldest first; the last is the current one. */
  async read({ tenant = 'default', span = '1h', queue, kind }: SeriesOptions = {}): Promise<StatsSeries> {
    const queueId =
      queue === undefined ? null : await queueIdOf((...q) => this.#database.query(...q), tenant, queue)
    const { stepMinutes, points } = SPANS[span]
    const [row] = await this.#database.query<{
      now: Date
      begins: Date
      counted_to: Date | null
      points: Record<string, unknown>[]
    }>(SERIES, [tenant, queueId, kind ?? null, stepMinutes, points], { repeatable: true })
    if (row === undefined) throw new Error('the series returned no row')
    const stepMs = stepMinutes * MINUTE_MS
    const found = row.points.map((each) => fromRow<CountedTimes & { at: string }>(each))
    const byTime = new Map(found.map((each) => [Date.parse(each.at), each]))
    return {
      span,
      stepMs,
      from: row.begins,
      to: new Date(row.begins.getTime() + points * stepMs),
      countedTo: row.counted_to,
      points: Array.from({ length: points }, (_, n) => {
        const at = new Date(row.begins.getTime() + n * stepMs)
        return { at, ...totalsOf(byTime.get(at.getTime())) }
      }),
      total: totalsOf(addedUp(found)),
    }
  }

  /** Changes of the size of worker groups, newest first, from the events that are stored. */
  async scale({
    tenant = 'default',
    span = '24h',
    group,
  }: {
    readonly tenant?: string
    readonly span?: SpanName
    readonly group?: string
  } = {}): Promise<{ from: Date; to: Date; events: ScaleEvent[]; capped: boolean }> {
    const { stepMinutes, points } = SPANS[span]
    const rows = await this.#database.query<Record<string, unknown>>(
      `select n.now, e.* from (select holdfast.now() as now) n left join lateral (
         select s.id, s.at, s.data ->> 'group' as "group", (s.data ->> 'from')::int as "from", (s.data ->> 'to')::int as "to",
           (s.data ->> 'depth')::int as depth, s.reason, s.actor as worker
         from holdfast.events s where s.tenant = $1 and s.type = 'workers_scaled' and s.at > n.now - interval '1 minute' * $2::int
           and ($3::text is null or s.data ->> 'group' = $3)
         order by s.id desc limit ${SCALE_EVENTS_MAX + 1}) e on true order by e.id desc`,
      [tenant, stepMinutes * points, group ?? null],
      { repeatable: true },
    )
    const to = (rows[0]?.now as Date | undefined) ?? new Date()
    const events = rows
      .filter(({ id }) => id !== null)
      .slice(0, SCALE_EVENTS_MAX)
      .map(({ now: _now, id: _id, ...row }) => fromRow<ScaleEvent>(row))
    return {
      from: new Date(to.getTime() - stepMinutes * points * MINUTE_MS),
      to,
      events,
      capped: rows.length > SCALE_EVENTS_MAX,
    }
  }
}

function addedUp(rows: readonly CountedTimes[]): CountedTimes {
  const counts = Object.fromEntries(
    COUNTED.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)]),
  ) as unknown as EventCounts
  return {
    ...counts,
    waitTimes: sumOf(rows.map((row) => row.waitTimes)),
    runTimes: sumOf(rows.map((row) => row.runTimes)),
  }
}

/** Counts with percentiles in place of the histograms; zeros where nothing was counted. */
export function totalsOf(row: CountedTimes | undefined): Totals {
  const counts = Object.fromEntries(COUNTED.map((name) => [name, row?.[name] ?? 0])) as unknown as EventCounts
  const { attempts, attemptsFailed, attemptsLost } = counts
  return {
    ...counts,
    failedRate: attempts === 0 ? null : (attemptsFailed + attemptsLost) / attempts,
    wait: percentilesOf(row?.waitTimes ?? []),
    run: percentilesOf(row?.runTimes ?? []),
  }
}
