/** Reads about single jobs: state, attempts, history, explain, items. Every read is bounded. */

import type { Database } from '../database/database.js'
import { holdfastError } from '../domain/errors/errors.js'
import { JOB_FIELDS } from '../domain/job-fields.js'
import { LIMITS } from '../domain/limits.js'
import type { State } from '../domain/states/states.js'
import { checkBatch, checkPageSize } from '../domain/validate.js'
import type { JobEnd } from '../handles/job-ended.js'
import { snake } from '../json/case.js'
import { exportItems, type ItemFormat } from './export-items.js'
import {
  type Attempt,
  type ExplainReason,
  type FeedEvent,
  feedEventFromRow,
  fromRow,
  type Item,
  selectRows,
} from './rows.js'

/** A job and its current place: JOB_FIELDS, which are columns of the view `holdfast.jobs` too. */
export interface Job {
  readonly id: number
  readonly tenant: string
  readonly queue: string
  readonly preset: string
  readonly kind: string
  readonly state: State
  /** The state word of the queue's preset: `failed_retryable`, `PAUSED`. Under `default` the state itself. */
  readonly status: string
  readonly input: unknown
  readonly key: string | null
  readonly subject: string | null
  readonly target: string | null
  readonly priority: number
  readonly initialPriority: number
  readonly attempt: number
  readonly maxRetries: number
  readonly failures: number
  readonly losses: number | null
  readonly interruptions: number | null
  readonly leaseOwner: string | null
  readonly leaseExpiresAt: Date | null
  readonly heartbeatAt: Date | null
  readonly cancelRequested: boolean
  readonly claimedAt: Date | null
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly visibleAt: Date
  readonly durationMs: number | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly createdBy: string
  readonly reason: string | null
  readonly lastError: string | null
  readonly lastCursor: unknown
  readonly progress: unknown
  readonly progressCount: number
  readonly resultCount: number
  readonly itemGoal: number | null
  readonly lastProgressAt: Date | null
  readonly tokensUsed: number
  readonly tokenLimit: number | null
  readonly result: unknown
  readonly labels: Readonly<Record<string, string>> | null
  readonly trace: string | null
  readonly parentId: number | null
  readonly retryOf: number | null
}

/** Attempts and events of one job that a call returns. A job that snoozes every ten seconds has more after three hours. */
const STORY_MAX = 1_000
/** A job of the family of another one. */
export type RelatedJob = Pick<
  Job,
  'id' | 'queue' | 'kind' | 'state' | 'status' | 'createdAt' | 'finishedAt' | 'trace' | 'parentId' | 'retryOf'
>

export class JobReads {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async job(jobId: number): Promise<Job> {
    const [found] = await selectRows<Job>(this.#database, JOB, [jobId])
    if (found === undefined) throw holdfastError('unknown_job', { job: jobId })
    return found
  }

  /** The tenants of these jobs; unknown jobs are omitted. A job never changes its tenant. */
  async tenantsOf(jobIds: readonly number[]): Promise<Map<number, string>> {
    checkBatch(jobIds, '/jobIds', LIMITS.bulkIdsMax.default)
    const rows = await this.#rows(
      `select i.id, q.tenant from unnest($1::bigint[]) i (id) join holdfast.queues q on q.id = (select holdfast.queue_of(i.id))
       limit ${LIMITS.bulkIdsMax.default}`,
      [jobIds],
    )
    return new Map(rows.map((row) => [row.id as number, row.tenant as string]))
  }

  /** The id of a job's queue; undefined when the job does not exist. */
  async queueOf(jobId: number): Promise<number | undefined> {
    const [row] = await this.#rows('select holdfast.queue_of($1) as id', [jobId])
    return (row?.id as number | null) ?? undefined
  }

  /** The ended attempts of a job, in order; of more than STORY_MAX, the last. */
  async attempts(jobId: number): Promise<Attempt[]> {
    return selectRows<Attempt>(
      this.#database,
      `select * from (
         select job_id, attempt, lease, worker, claimed_at, started_at, finished_at, outcome, moved_to, final, failures, result, reason,
           error_class, error_message, error_fingerprint, error_stack, log_excerpt, cleaned
         from holdfast.attempts where job_id = $1 order by attempt desc limit ${STORY_MAX}) a
       order by attempt`,
      [jobId],
    )
  }

  /** The results of those of these jobs that have ended, for callers that await many. */
  async ends(jobIds: readonly number[]): Promise<JobEnd[]> {
    checkBatch(jobIds, '/jobIds', LIMITS.bulkIdsMax.default)
    return selectRows<JobEnd>(
      this.#database,
      `select job_id, attempt, moved_to as state, finished_at, result, reason, error_class, error_message, error_stack, error_fingerprint
       from holdfast.attempts where final and job_id = any ($1::bigint[])`,
      [jobIds],
    )
  }

  /** Events of a job: what operators and the system did to it; of more than STORY_MAX, the last. */
  async events(jobId: number): Promise<FeedEvent[]> {
    const rows = await this.#rows(
      `select * from (
         select id, at, type, job_id, job_ids, queue_id, actor, reason, data from holdfast.events where job_id = $1
         order by id desc limit ${STORY_MAX}) e
       order by id`,
      [jobId],
    )
    return rows.map(feedEventFromRow)
  }

  /** Events since a cursor, each exactly once, however late its transaction commits. Without a cursor it starts at the present; 'all' starts at the oldest event. */
  async feed(cursor?: string, limit = 500): Promise<{ cursor: string; events: FeedEvent[] }> {
    const [row] = await this.#rows('select cursor, events from holdfast.feed($1, $2)', [
      cursor ?? null,
      checkPageSize(limit, '/limit'),
    ])
    const { events } = row as { events: Record<string, unknown>[] }
    return { cursor: row?.cursor as string, events: events.map(feedEventFromRow) }
  }

  /** Why a job is where it is. A job without a blocking reason can be claimed now. */
  async explain(jobId: number): Promise<ExplainReason[]> {
    return selectRows<ExplainReason>(
      this.#database,
      'select code, blocking, sentence, data from holdfast.explain($1)',
      [jobId],
    )
  }

  /** The family of a job, oldest first: ancestors, children, retries, the jobs of its trace. `complete` is false where there could be more. */
  async related(jobId: number): Promise<{ jobs: RelatedJob[]; complete: boolean }> {
    const [row] = await this.#rows('select ids, complete from holdfast.related_jobs($1)', [jobId])
    if (row === undefined || row.ids === null) throw holdfastError('unknown_job', { job: jobId })
    const jobs = await selectRows<RelatedJob>(
      this.#database,
      `select ${RELATED} from unnest($1::bigint[]) i (id) cross join lateral (select ${RELATED} from holdfast.jobs j
         where j.id = i.id and j.queue_id = (select holdfast.queue_of(i.id)) limit 1) j
       order by j.id limit ${LIMITS.pageMax.default}`,
      [row.ids],
    )
    return { jobs, complete: row.complete as boolean }
  }

  /** The complete history of a job as one document. */
  async history(jobId: number): Promise<Record<string, unknown>> {
    const [row] = await this.#rows('select holdfast.job_history($1) as report', [jobId])
    if (row?.report === null || row === undefined) throw holdfastError('unknown_job', { job: jobId })
    return row.report as Record<string, unknown>
  }

  /** Items of a job or of a collection, oldest first; `afterId` continues after the last id. */
  async items(where: {
    jobId?: number
    queue?: string
    collection?: string
    afterId?: number
    limit?: number
    tenant?: string
  }): Promise<Item[]> {
    const limit = checkPageSize(where.limit ?? LIMITS.pageMax.default, '/limit')
    const rows =
      where.jobId !== undefined
        ? await this.#rows(`${ITEMS} where i.job_id = $1 and i.id > $2 order by i.id limit $3`, [
            where.jobId,
            where.afterId ?? 0,
            limit,
          ])
        : await this.#rows(
            `${ITEMS} where i.queue_id = (select q.id from holdfast.queues q where q.tenant = $1 and q.name = $2)
               and i.collection = $3 and i.id > $4 order by i.id limit $5`,
            [
              where.tenant ?? 'default',
              where.queue,
              where.collection ?? where.queue,
              where.afterId ?? 0,
              limit,
            ],
          )
    return rows.map((row) => fromRow<Item>(row))
  }

  /**
   * The same items as the text of a file, page by page; export-items.ts describes the formats. Each page shows the state when it is read:
   * no snapshot stays open for a slow reader. `shown` may change the data of an item.
   */
  async *exportItems(
    where: { jobId: number } | { queue: string; collection?: string; tenant?: string },
    format: ItemFormat,
    shown: (data: unknown) => unknown = (data) => data,
  ): AsyncGenerator<string, void, undefined> {
    // A misspelt name must not produce an empty file that looks like a result.
    if ('jobId' in where) await this.job(where.jobId)
    else await this.#queueExists(where.queue, where.tenant)
    const page = async (afterId: number, limit: number) =>
      (await this.items({ ...where, afterId, limit })).map((item) => ({ ...item, data: shown(item.data) }))
    yield* exportItems(page, format)
  }

  async #queueExists(queue: string, tenant = 'default'): Promise<void> {
    const found = await this.#rows('select from holdfast.queues where tenant = $1 and name = $2', [
      tenant,
      queue,
    ])
    if (found.length === 0) throw holdfastError('unknown_queue', { queue })
  }

  /** Invariant violations; empty on a healthy database. */
  async violations(): Promise<{ rule: string; jobId: number; detail: string | null }[]> {
    const rows = await this.#rows('select rule, job_id, detail from holdfast.violations limit 100')
    return rows.map((row) => fromRow(row))
  }

  #rows(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return this.#database.query<Record<string, unknown>>(text, values, { repeatable: true })
  }
}

/** With the queue's id, because `ready` is sorted by it. */
const JOB = `select ${JOB_FIELDS.map(snake).join(', ')} from holdfast.jobs where id = $1
  and queue_id = (select holdfast.queue_of($1)) limit 1`

const RELATED =
  'j.id, j.queue, j.kind, j.state, j.status, j.created_at, j.finished_at, j.trace, j.parent_id, j.retry_of'

const ITEMS =
  'select i.id, i.job_id, i.attempt, i.collection, i.key, i.data, i.created_at from holdfast.items i'
