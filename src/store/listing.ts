/**
 * Pages of what there is, for people and programs that look around. Every list is bounded and goes on from a cursor, never from
 * an offset; every count stops at a bound and says so. All of it reads views, so it works for every role that may look.
 */
import { LIVE_STATES, STATES, type State } from '../domain/states.js'
import { checkPageSize } from '../domain/validate.js'
import type { Database } from './database.js'
import { type ListedJob, type Page, queueIdOf } from './list-jobs.js'
import { fromRow, selectRows } from './rows.js'
import { type JobFilter, searchJobs } from './search-jobs.js'

export { type ListedJob, type Page, WINDOW } from './list-jobs.js'
export type { JobFilter } from './search-jobs.js'

export interface NamedJob {
  readonly id: number
  readonly queueId: number
  readonly kind: string
  readonly state: State
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

/** Each is one table. */
export const PLACES: readonly (readonly State[])[] = [
  ['queued'],
  ['scheduled', 'retrying'],
  ['pending', 'waiting', 'paused', 'errored', 'parked'],
  ['assigned', 'running'],
  ['succeeded', 'failed', 'canceled'],
]
/** Of a queue `q`. */
export const COUNT_COLUMNS = Object.entries({
  queued: "'queued'",
  running: "'assigned', 'running'",
  delayed: "'scheduled', 'retrying'",
  waiting: "'pending', 'waiting'",
  blocked: "'paused', 'errored', 'parked'",
})
  .map(
    ([name, states]) =>
      `(select count(*) from (select from holdfast.jobs j where j.queue_id = q.id and j.state in (${states})
        limit ${COUNTED_AT_MOST}) x) as ${name}`,
  )
  .join(', ')

export class Listing {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Jobs, the newest first; failed and canceled ones by when they ended, the last first. */
  jobs(filter: JobFilter = {}): Promise<Page<ListedJob>> {
    return searchJobs((text, values) => this.#rows(text, values), filter)
  }

  /** How many jobs of a tenant, or of one of its queues, are in each state, each count up to COUNTED_AT_MOST. */
  async stateCounts({
    tenant = 'default',
    queue,
  }: {
    tenant?: string
    queue?: string
  } = {}): Promise<Record<State, number>> {
    const queueId = queue === undefined ? null : await queueIdOf((...q) => this.#rows(...q), tenant, queue)
    const counts = STATES.map(
      (state) => `(select count(*) from (select from holdfast.jobs where state = '${state}' and
        ${queueId === null ? 'tenant = $1' : 'queue_id = $1'} limit ${COUNTED_AT_MOST}) x) as ${state}`,
    )
    const [row] = await this.#rows(`select ${counts.join(', ')}`, [queueId ?? tenant])
    return row as Record<State, number>
  }

  /** A few facts about jobs known by id; what is gone is left out. */
  async named(jobIds: readonly number[]): Promise<NamedJob[]> {
    const ids = [...new Set(jobIds)].slice(0, COUNTED_AT_MOST)
    if (ids.length === 0) return []
    return selectRows<NamedJob>(
      this.#database,
      `select j.id, j.queue_id, j.kind, j.state from unnest($1::bigint[]) i (id)
       cross join lateral (select j.id, j.queue_id, j.kind, j.state from holdfast.jobs j
         where j.id = i.id and j.queue_id = (select holdfast.queue_of(i.id))) j`,
      [ids],
    )
  }

  /** Targets that stand still because the job in front is paused, errored or parked; the longest blocked first. */
  async blockedTargets(
    filter: { readonly tenant?: string; readonly queue?: string; readonly limit?: number } = {},
  ): Promise<BlockedTarget[]> {
    const limit = checkPageSize(filter.limit ?? 100, '/limit')
    return selectRows<BlockedTarget>(
      this.#database,
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
         (extract(epoch from holdfast.now() - b.since) * 1000)::bigint as blocked_ms, coalesce(w.n, 0) as behind
       from blocked b left join behind w on w.queue_id = b.queue_id and w.target = b.target order by b.since, b.job_id`,
      [filter.tenant ?? 'default', filter.queue ?? null],
    )
  }

  /** How many jobs the queues of a tenant have, each count up to COUNTED_AT_MOST. */
  async queueCounts(tenant = 'default'): Promise<QueueCounts[]> {
    return selectRows<QueueCounts>(
      this.#database,
      `select q.id as queue_id, ${COUNT_COLUMNS} from holdfast.queues q where q.tenant = $1 order by q.name limit 1000`,
      [tenant],
    )
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

  #rows(text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    return this.#database.query<Record<string, unknown>>(text, values, { repeatable: true })
  }
}
