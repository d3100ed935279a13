/**
 * Lists and counts of jobs, targets and kinds. Every list is bounded and continues from a cursor, never from an offset; every count stops at
 * a bound. All of it reads views, so it works for every role that may read.
 */

import type { Database } from '../../database/database.js'
import type { State } from '../../domain/states/states.js'
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
  /** Jobs that wait behind it, counted up to COUNT_MAX. */
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
  /** The counts that stopped before their end: there may be more. */
  readonly capped: readonly CountedPlace[]
}

export type CountedPlace = 'queued' | 'running' | 'delayed' | 'waiting' | 'blocked'

/** The bound of every count. */
export const COUNT_MAX = 1000

export class Listing {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Jobs, newest first; failed and canceled jobs by when they ended, latest first. */
  jobs(filter: JobFilter = {}): Promise<Page<ListedJob>> {
    return listJobs((text, values) => this.#rows(text, values), filter)
  }

  /**
   * How many jobs of a tenant, or of one of its queues, are in each state, each count up to COUNT_MAX. `capped` has the states of which
   * there may be more.
   */
  async stateCounts({
    tenant = 'default',
    queue,
  }: {
    tenant?: string
    queue?: string
  } = {}): Promise<{ counts: Record<State, number>; capped: State[] }> {
    if (queue !== undefined) await queueIdOf((...q) => this.#rows(...q), tenant, queue)
    const [row] = await this.#rows(`select counts, capped from holdfast.state_counts($1, $2, ${COUNT_MAX})`, [
      tenant,
      queue ?? null,
    ])
    return row as { counts: Record<State, number>; capped: State[] }
  }

  /** Kind, queue and state of jobs by id; unknown jobs are omitted. */
  async named(jobIds: readonly number[]): Promise<NamedJob[]> {
    const ids = [...new Set(jobIds)].slice(0, COUNT_MAX)
    if (ids.length === 0) return []
    return selectRows<NamedJob>(
      this.#database,
      'select id, queue_id, kind, state, status from holdfast.found_jobs($1, 0)',
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
      `select job_id, queue, target, kind, state, status, reason, last_error, since,
         (extract(epoch from holdfast.now() - since) * 1000)::bigint as blocked_ms, behind
       from holdfast.find_targets($1, $2, ${limit}, ${COUNT_MAX})`,
      [filter.tenant ?? 'default', filter.queue ?? null],
    )
  }

  /** Job counts of each queue of a tenant, each up to COUNT_MAX; of large tables, among the rows that are examined. */
  async queueCounts(tenant = 'default'): Promise<QueueCounts[]> {
    return selectRows<QueueCounts>(
      this.#database,
      `select queue_id, queued, running, delayed, waiting, blocked, capped
       from holdfast.queue_counts(array[$1::text], p_max => ${COUNT_MAX}) order by queue`,
      [tenant],
    )
  }

  /** Kinds of live jobs with counts, sampled from at most COUNT_MAX jobs of each place. */
  async liveKinds(tenant = 'default'): Promise<{ kind: string; jobs: number; parked: number }[]> {
    const rows = await this.#rows(`select kind, jobs, parked from holdfast.live_kinds($1, ${COUNT_MAX})`, [
      tenant,
    ])
    return rows.map((row) => fromRow(row))
  }

  #rows(text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    return this.#database.query<Record<string, unknown>>(text, values, { repeatable: true })
  }
}
