/** Groups of errors, as the roll-up counts them. Lists read the groups; only the samples of one group read attempts, by job id. */

import type { Database } from '../../database/database.js'
import { holdfastError, invalidInput } from '../../domain/errors/errors.js'
import { checkPageSize } from '../../domain/validate.js'
import { type Page, queueIdOf } from '../list/jobs.js'
import { fromRow, selectRows } from '../rows.js'

export interface ErrorGroup {
  /** '' for errors beyond the bound of groups. */
  readonly fingerprint: string
  readonly errorClass: string | null
  /** The last one, shortened. */
  readonly message: string
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
  /** Attempts since it was first seen. */
  readonly count: number
  readonly count24h: number
  /** Attempts in each of the last 24 hours, oldest first; the last is the current. */
  readonly trend: readonly number[]
  readonly kinds: readonly string[]
  readonly queues: readonly string[]
  readonly firstVersion: string | null
  readonly lastVersion: string | null
  readonly lastJobId: number
}

export interface ErrorSample {
  readonly jobId: number
  readonly attempt: number
  readonly at: Date
  readonly queue: string
  readonly kind: string
  /** Of the job now. */
  readonly state: string | null
  readonly worker: string | null
  readonly message: string | null
  readonly stack: string | null
}

export interface ErrorGroupFilter {
  readonly tenant?: string
  readonly queue?: string
  readonly kind?: string
  readonly limit?: number
  /** `next` of the previous page. */
  readonly after?: string
}

const TREND_HOURS = 24

/** As count_errors stores them. */
const NAMED_MAX = 20

/** The first hour of the trend. A subquery: the clock is volatile, and a comparison with it would be no condition of an index. */
const FIRST_HOUR = `(select date_trunc('hour', holdfast.now(), 'UTC') - interval '${TREND_HOURS - 1} hours')`

/** Of groups `g`. The trend is joined by hour, so that an hour without errors is a zero. */
const COLUMNS = `g.fingerprint, g.error_class, g.message, g.first_seen_at, g.last_seen_at, g.attempts as count, t.trend,
  (select sum(n) from unnest(t.trend) n)::int as count24h, g.kinds,
  array(select q.name from holdfast.queues q where q.id = any (g.queue_ids) order by q.name) as queues,
  g.first_version, g.last_version, g.job_ids[1] as last_job_id
  from g cross join lateral (
    select array_agg(coalesce(c.attempts, 0)::int order by h.n) as trend from generate_series(0, ${TREND_HOURS - 1}) h (n)
    left join (select e.at, sum(e.attempts) as attempts from holdfast.error_counts e
      where e.tenant = g.tenant and e.minutes = 60 and e.fingerprint = g.fingerprint and e.at >= ${FIRST_HOUR}
      group by e.at) c on c.at = ${FIRST_HOUR} + interval '1 hour' * h.n) t`

/** A group names its first kinds and queues. Where these are all that it names, the counts of hours know whether there are others. */
const FAILED_BY_KIND = `cardinality(g.kinds) >= ${NAMED_MAX} and exists (select from holdfast.error_counts e
  where e.tenant = g.tenant and e.minutes = 60 and e.fingerprint = g.fingerprint and e.kind = $5)`

/** They have no queue: an hour in which a kind had this error and failed in the queue. */
const FAILED_IN_QUEUE = `cardinality(g.queue_ids) >= ${NAMED_MAX} and exists (select from holdfast.error_counts e
  join holdfast.stats s on s.tenant = g.tenant and s.minutes = 60 and s.queue_id = $4 and s.at = e.at and s.kind = e.kind
  where e.tenant = g.tenant and e.minutes = 60 and e.fingerprint = g.fingerprint and s.attempts_failed > 0)`

export class ErrorGroups {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The last seen first. */
  async list({
    tenant = 'default',
    queue,
    kind,
    limit = 50,
    after,
  }: ErrorGroupFilter = {}): Promise<Page<ErrorGroup>> {
    const size = checkPageSize(limit, '/limit')
    const [at = null, fingerprint = null] = after === undefined ? [] : readCursor(after)
    const queueId =
      queue === undefined ? null : await queueIdOf((...q) => this.#database.query(...q), tenant, queue)
    const rows = await selectRows<ErrorGroup & { cursor: string }>(
      this.#database,
      `with g as (
         select g.* from holdfast.error_groups g
         where g.tenant = $1 and ($2::timestamptz is null or (g.last_seen_at, g.fingerprint) < ($2::timestamptz, $3::text collate "C"))
           and ($4::int is null or $4 = any (g.queue_ids) or ${FAILED_IN_QUEUE})
           and ($5::text is null or $5 = any (g.kinds) or ${FAILED_BY_KIND})
         order by g.last_seen_at desc, g.fingerprint desc limit ${size + 1})
       select ${COLUMNS.replace('last_job_id', "last_job_id, to_jsonb(g.last_seen_at) #>> '{}' as cursor")}
       order by g.last_seen_at desc, g.fingerprint desc`,
      [tenant, at, fingerprint, queueId, kind ?? null],
    )
    const page = rows.slice(0, size)
    const last = rows.length > size ? page.at(-1) : undefined
    return {
      rows: page.map(({ cursor: _cursor, ...group }) => group),
      next: last === undefined ? null : cursorOf(last.cursor, last.fingerprint),
    }
  }

  async get(fingerprint: string, { tenant = 'default' }: { tenant?: string } = {}): Promise<ErrorGroup> {
    const [row] = await selectRows<ErrorGroup>(
      this.#database,
      `with g as (select g.* from holdfast.error_groups g where g.tenant = $1 and g.fingerprint = $2 limit 1) select ${COLUMNS}`,
      [tenant, fingerprint],
    )
    if (row === undefined) throw holdfastError('unknown_error_group', { fingerprint })
    return row
  }

  /** The last attempts with this error among the jobs that are kept as samples, newest first. */
  async samples(
    fingerprint: string,
    { tenant = 'default' }: { tenant?: string } = {},
  ): Promise<ErrorSample[]> {
    const rows = await this.#database.query<Record<string, unknown>>(
      `select a.job_id, a.attempt, a.finished_at as at, j.queue, j.kind, j.state, a.worker, a.error_message as message,
         a.error_stack as stack
       from holdfast.error_groups g cross join lateral unnest(g.job_ids) with ordinality s (id, n)
       cross join lateral (select a.job_id, a.attempt, a.finished_at, a.worker, a.error_message, a.error_stack from holdfast.attempts a
         where a.job_id = s.id and a.error_message is not null and (a.error_fingerprint = $2 or $2 = '')
         order by a.attempt desc limit 1) a
       cross join lateral (select j.queue, j.kind, j.state from holdfast.jobs j
         where j.id = s.id and j.queue_id = (select holdfast.queue_of(s.id)) and j.tenant = $1) j
       where g.tenant = $1 and g.fingerprint = $2 order by s.n`,
      [tenant, fingerprint],
      { repeatable: true },
    )
    return rows.map((row) => fromRow<ErrorSample>(row))
  }
}

function cursorOf(at: string, fingerprint: string): string {
  return Buffer.from(JSON.stringify([at, fingerprint])).toString('base64url')
}

function readCursor(cursor: string): [string, string] {
  try {
    const [at, fingerprint]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (typeof at === 'string' && !Number.isNaN(Date.parse(at)) && typeof fingerprint === 'string')
      return [at, fingerprint]
  } catch {
    // Anything else is no cursor either.
  }
  throw invalidInput('/after', 'is not a cursor of this list')
}
