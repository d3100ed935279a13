/**
 * Lists and counts of jobs, targets and kinds. Every list is bounded and continues from a cursor, never from an offset; every count stops at
 * a bound. All of it reads views, so it works for every role that may read.
 */

import type { Database } from '../../database/database.js'
import { LIVE_STATES, STATES, type State } from '../../domain/states/states.js'
import { checkPageSize } from '../../domain/validate.js'
import { fromRow, selectRows } from '../rows.js'
import { type JobFilter, type ListedJob, listJobs, type Page, queueIdOf } from './jobs.js'

export { type JobFilter, type ListedJob, type Page, WINDOW } from './jobs.js'

export interface NamedJob {
  readonly id: number
  readonly queueId: number
  readonly kind: string
  readonly state: State
  /** The state word of the queue's preset. */
  readonly status: string
}

export interface BlockedTarget {
  readonly queue: string
  readonly target: string
  /** The first job, which an operator must resume, skip or cancel. */
  readonly jobId: number
  readonly kind: string
  readonly state: State
  readonly status: string
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
  /** Paused, errored or parked: an operator has to act. */
  readonly blocked: number
}

/** The bound of every count. */
export const COUNTED_AT_MOST = 1000

/** The states of each place; a place is one table. */
export const PLACES: readonly (readonly State[])[] = [
  ['queued'],
  ['scheduled', 'retrying'],
  ['pending', 'waiting', 'paused', 'errored', 'parked'],
  ['assigned', 'running'],
  ['succeeded', 'failed', 'canceled'],
]
/** Counts of a queue `q` by place. */
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

  /** Jobs, newest first; failed and canceled jobs by when they ended, latest first. */
  jobs(filter: JobFilter = {}): Promise<Page<ListedJob>> {
    return listJobs((text, values) => this.#rows(text, values), filter)
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

  /** Kind, queue and state of jobs by id; unknown jobs are omitted. */
  async named(jobIds: readonly number[]): Promise<NamedJob[]> {
    const ids = [...new Set(jobIds)].slice(0, COUNTED_AT_MOST)
    if (ids.length === 0) return []
    return selectRows<NamedJob>(
      this.#database,
      `select j.id, j.queue_id, j.kind, j.state, j.status from unnest($1::bigint[]) i (id)
       cross join lateral (select j.id, j.queue_id, j.kind, j.state, j.status from holdfast.jobs j
         where j.id = i.id and j.queue_id = (select holdfast.queue_of(i.id))) j`,
      [ids],
    )
  }

  /** Targets blocked by a paused, errored or parked job, the longest blocked first. */
  async blockedTargets(
    filter: { readonly tenant?: string; readonly queue?: string; readonly limit?: number } = {},
  ): Promise<BlockedTarget[]> {
    const limit = checkPageSize(filter.limit ?? 100, '/limit')
    return selectRows<BlockedTarget>(
      this.#database,
      `with blocked as (
         select j.id as job_id, j.queue_id, j.queue, j.target, j.kind, j.state, j.status, j.reason, j.last_error, j.held_since as since
         from holdfast.jobs j join holdfast.queues q on q.id = j.queue_id
         where j.state in ('paused', 'errored', 'parked') and j.target is not null and q.serialize_targets
           and q.tenant = $1 and ($2::text is null or q.name = $2)
         order by j.held_since, j.id limit ${limit}),
       behind as (
         select w.queue_id, w.target, count(*) as n
         from (select w.queue_id, w.target from holdfast.jobs w join blocked b on b.queue_id = w.queue_id and b.target = w.target
               where w.state = 'waiting' limit ${COUNTED_AT_MOST}) w
         group by w.queue_id, w.target)
       select b.job_id, b.queue, b.target, b.kind, b.state, b.status, b.reason, b.last_error, b.since,
         (extract(epoch from holdfast.now() - b.since) * 1000)::bigint as blocked_ms, coalesce(w.n, 0) as behind
       from blocked b left join behind w on w.queue_id = b.queue_id and w.target = b.target order by b.since, b.job_id`,
      [filter.tenant ?? 'default', filter.queue ?? null],
    )
  }

  /** Job counts of each queue of a tenant, each up to COUNTED_AT_MOST. */
  async queueCounts(tenant = 'default'): Promise<QueueCounts[]> {
    return selectRows<QueueCounts>(
      this.#database,
      `select q.id as queue_id, ${COUNT_COLUMNS} from holdfast.queues q where q.tenant = $1 order by q.name limit 1000`,
      [tenant],
    )
  }

  /** Kinds of live jobs with counts, sampled from at most COUNTED_AT_MOST jobs of each place. */
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
