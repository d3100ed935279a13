/**
 * Pages of what there is, for people and programs that look around. Every list is bounded and goes on from a cursor, never from
 * an offset; every count stops at a bound and says so. All of it reads views, so it works for every role that may look.
 */
import { holdfastError } from '../domain/errors.js'
import { LIVE_STATES, STATES, type State } from '../domain/states.js'
import { checkPageSize } from '../domain/validate.js'
import type { Database } from './database.js'
import { fromRow } from './rows.js'

export interface JobFilter {
  readonly tenant?: string
  readonly queue?: string
  readonly state?: State
  readonly kind?: string
  readonly target?: string
  readonly limit?: number
  /** `next` of the page before. */
  readonly after?: string
}

export interface ListedJob {
  readonly id: number
  readonly queue: string
  readonly kind: string
  readonly state: State
  readonly priority: number
  readonly attempt: number
  readonly maxAttempts: number
  readonly key: string | null
  readonly target: string | null
  readonly leaseOwner: string | null
  readonly createdAt: Date
  readonly visibleAt: Date
  readonly finishedAt: Date | null
  readonly reason: string | null
}

export interface NamedJob {
  readonly id: number
  readonly queueId: number
  readonly kind: string
  readonly state: State
}

export interface Page<T> {
  readonly rows: T[]
  /** Null on the last page. */
  readonly next: string | null
}

export interface BlockedTarget {
  readonly queue: string
  readonly target: string
  /** The job in front, which somebody must resume, skip or cancel. */
  readonly jobId: number
  readonly kind: string
  readonly state: State
  readonly reason: string | null
  readonly lastError: string | null
  readonly since: Date
  readonly blockedMs: number
  /** Jobs that wait behind it, counted up to COUNTED_AT_MOST over all targets of the page. */
  readonly behind: number
}

export interface QueueCounts {
  readonly queueId: number
  readonly queued: number
  readonly running: number
  /** Scheduled or retrying. */
  readonly delayed: number
  readonly waiting: number
  /** Paused, errored or parked: somebody has to do something. */
  readonly blocked: number
}

/** Counts stop here. */
export const COUNTED_AT_MOST = 1000

/** Each is one table, read by its own index, so that a page costs a page wherever the jobs are. */
const PLACES: readonly (readonly State[])[] = [
  ['queued'],
  ['scheduled', 'retrying'],
  ['pending', 'waiting', 'paused', 'errored', 'parked'],
  ['assigned', 'running'],
  ['succeeded', 'failed', 'canceled'],
]

const COLUMNS = `id, queue, kind, state, priority, attempt, max_attempts, key, target, lease_owner, created_at, visible_at,
  finished_at, reason`

export class Listing {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Jobs, the newest first; failed and canceled ones by when they ended, the last first. */
  async jobs(filter: JobFilter = {}): Promise<Page<ListedJob>> {
    const limit = checkPageSize(filter.limit ?? 50, '/limit')
    const byEnd = filter.state === 'failed' || filter.state === 'canceled'
    const values: unknown[] = []
    const where = await this.#conditions(filter, values)
    if (filter.after !== undefined) where.push(afterCursor(filter.after, byEnd, values))
    const order = byEnd ? 'finished_at desc, id desc' : 'id desc'
    const places = filter.state === undefined ? PLACES : [[filter.state]]
    const pages = places.map(
      (states) => `(select ${COLUMNS}, to_jsonb(finished_at) #>> '{}' as ended from holdfast.jobs
        where ${[`state in (${states.map((state) => `'${state}'`).join(', ')})`, ...where].join(' and ')}
        order by ${order} limit ${limit + 1})`,
    )
    const found = await this.#rows(
      `select * from (${pages.join(' union all ')}) p order by ${order} limit ${limit + 1}`,
      values,
    )
    const rows = found.slice(0, limit)
    const last = found.length > limit ? rows.at(-1) : undefined
    const cursor = last && (byEnd ? [last.ended, last.id] : [last.id])
    return {
      rows: rows.map(({ ended: _ended, ...row }) => fromRow<ListedJob>(row)),
      next: cursor === undefined ? null : Buffer.from(JSON.stringify(cursor)).toString('base64url'),
    }
  }

  /** A few facts about jobs known by id; what is gone is left out. */
  async named(jobIds: readonly number[]): Promise<NamedJob[]> {
    const ids = [...new Set(jobIds)].slice(0, COUNTED_AT_MOST)
    if (ids.length === 0) return []
    const rows = await this.#rows(
      `select j.id, j.queue_id, j.kind, j.state from unnest($1::bigint[]) i (id)
       cross join lateral (select j.id, j.queue_id, j.kind, j.state from holdfast.jobs j
         where j.id = i.id and j.queue_id = (select holdfast.queue_of(i.id))) j`,
      [ids],
    )
    return rows.map((row) => fromRow<NamedJob>(row))
  }

  /** Targets that stand still because the job in front is paused, errored or parked; the longest blocked first. */
  async blockedTargets(
    filter: { readonly tenant?: string; readonly queue?: string; readonly limit?: number } = {},
  ): Promise<BlockedTarget[]> {
    const limit = checkPageSize(filter.limit ?? 100, '/limit')
    const rows = await this.#rows(
      `with blocked as (
         select j.id as job_id, j.queue_id, j.queue, j.target, j.kind, j.state, j.reason, j.last_error, j.updated_at as since
         from holdfast.jobs j join holdfast.queues q on q.id = j.queue_id
         where j.state in ('paused', 'errored', 'parked') and j.target is not null and q.serialize_targets
           and q.tenant = $1 and ($2::text is null or q.name = $2)
         order by j.updated_at, j.id limit ${limit}),
       behind as (
         select w.queue_id, w.target, count(*) as n
         from (select w.queue_id, w.target from holdfast.jobs w join blocked b on b.queue_id = w.queue_id and b.target = w.target
               where w.state = 'waiting' limit ${COUNTED_AT_MOST}) w
         group by w.queue_id, w.target)
       select b.job_id, b.queue, b.target, b.kind, b.state, b.reason, b.last_error, b.since,
         (extract(epoch from clock_timestamp() - b.since) * 1000)::bigint as blocked_ms, coalesce(w.n, 0) as behind
       from blocked b left join behind w on w.queue_id = b.queue_id and w.target = b.target order by b.since, b.job_id`,
      [filter.tenant ?? 'default', filter.queue ?? null],
    )
    return rows.map((row) => fromRow<BlockedTarget>(row))
  }

  /** How many jobs the queues of a tenant have, each count up to COUNTED_AT_MOST. */
  async queueCounts(tenant = 'default'): Promise<QueueCounts[]> {
    const count = (name: string, states: string) =>
      `(select count(*) from (select from holdfast.jobs j where j.queue_id = q.id and j.state in (${states})
        limit ${COUNTED_AT_MOST}) x) as ${name}`
    const rows = await this.#rows(
      `select q.id as queue_id, ${[
        count('queued', "'queued'"),
        count('running', "'assigned', 'running'"),
        count('delayed', "'scheduled', 'retrying'"),
        count('waiting', "'pending', 'waiting'"),
        count('blocked', "'paused', 'errored', 'parked'"),
      ].join(', ')} from holdfast.queues q where q.tenant = $1 order by q.name limit 1000`,
      [tenant],
    )
    return rows.map((row) => fromRow<QueueCounts>(row))
  }

  /** Kinds of live jobs with how many there are, seen in COUNTED_AT_MOST jobs of each place at most. */
  async liveKinds(tenant = 'default'): Promise<{ kind: string; jobs: number; parked: number }[]> {
    const live = PLACES.filter((states) => states.some((state) => LIVE_STATES.includes(state as never)))
    const looks = live.map(
      (states) => `(select kind, state from holdfast.jobs where tenant = $1
        and state in (${states.map((state) => `'${state}'`).join(', ')}) limit ${COUNTED_AT_MOST})`,
    )
    const rows = await this.#rows(
      `select kind, count(*) as jobs, count(*) filter (where state = 'parked') as parked
       from (${looks.join(' union all ')}) l group by kind order by kind`,
      [tenant],
    )
    return rows.map((row) => fromRow(row))
  }

  async #conditions(filter: JobFilter, values: unknown[]): Promise<string[]> {
    const where: string[] = []
    const is = (column: string, value: unknown) => {
      values.push(value)
      where.push(`${column} = $${values.length}`)
    }
    if (filter.state !== undefined && !STATES.includes(filter.state))
      throw holdfastError('invalid_input', { path: '/state', problem: `must be one of ${STATES.join(', ')}` })
    const tenant = filter.tenant ?? 'default'
    if (filter.queue === undefined) is('tenant', tenant)
    else {
      const [queue] = await this.#rows('select id from holdfast.queues where tenant = $1 and name = $2', [
        tenant,
        filter.queue,
      ])
      if (queue === undefined) throw holdfastError('unknown_queue', { queue: filter.queue })
      is('queue_id', queue.id)
    }
    if (filter.kind !== undefined) is('kind', filter.kind)
    if (filter.target !== undefined) is('target', filter.target)
    return where
  }

  #rows(text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    return this.#database.query<Record<string, unknown>>(text, values, { repeatable: true })
  }
}

function afterCursor(cursor: string, byEnd: boolean, values: unknown[]): string {
  const parts = cursorParts(cursor)
  const [first, second] = parts
  if (
    byEnd &&
    typeof first === 'string' &&
    Number.isSafeInteger(second) &&
    !Number.isNaN(Date.parse(first))
  ) {
    values.push(first, second)
    return `(finished_at, id) < ($${values.length - 1}::timestamptz, $${values.length}::bigint)`
  }
  if (!byEnd && parts.length === 1 && Number.isSafeInteger(first)) {
    values.push(first)
    return `id < $${values.length}::bigint`
  }
  throw holdfastError('invalid_input', { path: '/after', problem: 'is not the cursor of such a list' })
}

function cursorParts(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}
