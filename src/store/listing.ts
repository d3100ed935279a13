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
  readonly key?: string
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
/** Rows of each place that a page of a list looks at, at most. */
export const WINDOW = 1000

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

  /**
   * Jobs, the newest first; failed and canceled ones by when they ended, the last first. A page looks at WINDOW rows of each place at most, so
   * that it has its price whatever is asked for: it may have fewer jobs than its limit, even none, and a `next` all the same.
   */
  async jobs(filter: JobFilter = {}): Promise<Page<ListedJob>> {
    checkFilter(filter)
    const queueId = filter.queue === undefined ? null : await this.#queueId(filter.queue, filter.tenant)
    return isByEnd(filter) ? this.#byEnd(filter, queueId) : this.#byId(filter, queueId)
  }

  async #byId(filter: JobFilter, queueId: number | null): Promise<Page<ListedJob>> {
    const limit = checkPageSize(filter.limit ?? 50, '/limit')
    const [page] = await this.#rows(
      `select jobs, next from holdfast.find_jobs($1, $2, $3::text[], $4, $5, $6, $7, $8, ${WINDOW})`,
      [
        filter.tenant ?? 'default',
        queueId,
        filter.state === undefined ? null : [filter.state],
        filter.kind ?? null,
        filter.target ?? null,
        filter.key ?? null,
        filter.after === undefined ? null : (readCursor(filter.after, isIdCursor)[0] as number),
        limit,
      ],
    )
    const { jobs, next } = page as { jobs: Record<string, unknown>[]; next: number | null }
    return { rows: jobs.map(listedFromJson), next: next === null ? null : cursorOf([next]) }
  }

  /** By the index of what did not succeed. */
  async #byEnd(filter: JobFilter, queueId: number | null): Promise<Page<ListedJob>> {
    const limit = checkPageSize(filter.limit ?? 50, '/limit')
    const [at = null, id = null] = filter.after === undefined ? [] : readCursor(filter.after, isEndCursor)
    const looked = await this.#rows(
      `select j.*, w.n, w.ended, w.id as looked_at from (
         select row_number() over (order by e.finished_at desc, e.id desc) as n, e.id, e.ended from (
           select a.job_id as id, a.finished_at, to_jsonb(a.finished_at) #>> '{}' as ended from holdfast.attempts a
           where a.final and a.moved_to <> 'succeeded' and ($1::timestamptz is null or (a.finished_at, a.job_id) < ($1::timestamptz, $2::bigint))
           order by a.finished_at desc, a.job_id desc limit ${WINDOW}) e) w
       left join lateral (select ${COLUMNS} from holdfast.jobs j
         where j.id = w.id and j.queue_id = coalesce($3::int, (select holdfast.queue_of(w.id))) and j.state = $4 and j.tenant = $5
           and ($6::text is null or j.kind = $6) and ($7::text is null or j.target = $7) and ($8::text is null or j.key = $8)) j on true
       where j.id is not null or w.n = ${WINDOW} order by w.n limit ${limit + 1}`,
      [
        at,
        id,
        queueId,
        filter.state,
        filter.tenant ?? 'default',
        filter.kind ?? null,
        filter.target ?? null,
        filter.key ?? null,
      ],
    )
    const fits = looked.filter((row) => row.id !== null)
    const page = fits.slice(0, limit)
    const last = fits.length > limit ? page.at(-1) : looked.find(({ n }) => n === WINDOW)
    return {
      rows: page.map(({ n: _n, ended: _ended, looked_at: _at, ...row }) => fromRow<ListedJob>(row)),
      next: last === undefined ? null : cursorOf([last.ended, last.looked_at]),
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

  async #queueId(queue: string, tenant = 'default'): Promise<number> {
    const [row] = await this.#rows('select id from holdfast.queues where tenant = $1 and name = $2', [
      tenant,
      queue,
    ])
    if (row === undefined) throw holdfastError('unknown_queue', { queue })
    return row.id as number
  }

  #rows(text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    return this.#database.query<Record<string, unknown>>(text, values, { repeatable: true })
  }
}

const isByEnd = ({ state }: JobFilter) => state === 'failed' || state === 'canceled'

/** Times are text in JSON. */
function listedFromJson(row: Record<string, unknown>): ListedJob {
  const listed = fromRow<ListedJob>(row)
  const { createdAt, visibleAt, finishedAt } = listed
  return {
    ...listed,
    createdAt: new Date(createdAt),
    visibleAt: new Date(visibleAt),
    finishedAt: finishedAt === null ? null : new Date(finishedAt),
  }
}

function checkFilter({ state }: JobFilter): void {
  if (state !== undefined && !STATES.includes(state))
    throw holdfastError('invalid_input', { path: '/state', problem: `must be one of ${STATES.join(', ')}` })
}

const isIdCursor = (parts: unknown[]) => parts.length === 1 && Number.isSafeInteger(parts[0])
const isEndCursor = ([at, id]: unknown[]) =>
  typeof at === 'string' && !Number.isNaN(Date.parse(at)) && Number.isSafeInteger(id)

function cursorOf(parts: unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

function readCursor(cursor: string, fits: (parts: unknown[]) => boolean): unknown[] {
  const parts = cursorParts(cursor)
  if (fits(parts)) return parts
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
