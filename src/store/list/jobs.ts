/**
 * Lists jobs page by page, newest first; failed and canceled jobs by when they ended, latest first.
 *
 * Filters that an index supports (queue, state, kind, target, key) are part of the query. A query examines at most WINDOW rows of each place,
 * so that its cost has a bound: a page may have fewer jobs than its limit, even none, and still have a `next`.
 *
 * Filters without an index (worker, error, attempts, times) are applied to the pages that the query returns, at most PAGES_MAX of them a
 * call. Times narrow the search: ids rise with the time of creation, except for moments, so a binary search finds where to begin.
 */

import { holdfastError, invalidInput } from '../../domain/errors/errors.js'
import { LISTED_JOB_FIELDS } from '../../domain/job-fields.js'
import { LIMITS } from '../../domain/limits.js'
import { STATES, type State } from '../../domain/states/states.js'
import { checkPageSize } from '../../domain/validate.js'
import { snake } from '../../json/case.js'
import { fromRow } from '../rows.js'

/** Filters that an index supports. */
interface IndexedFilter {
  readonly tenant?: string
  readonly queue?: string
  readonly state?: State
  readonly kind?: string
  readonly target?: string
  readonly key?: string
  readonly limit?: number
  /** `next` of the previous page. */
  readonly after?: string
}

export interface ListedJob {
  readonly id: number
  readonly queue: string
  readonly kind: string
  readonly state: State
  /** The state word of the queue's preset. */
  readonly status: string
  readonly priority: number
  readonly attempt: number
  readonly maxRetries: number
  readonly key: string | null
  readonly target: string | null
  readonly leaseOwner: string | null
  readonly createdAt: Date
  readonly visibleAt: Date
  readonly finishedAt: Date | null
  readonly reason: string | null
  readonly lastError: string | null
}

export interface Page<T> {
  readonly rows: T[]
  /** Null on the last page. */
  readonly next: string | null
}

export type QueryRows = (text: string, values: unknown[]) => Promise<Record<string, unknown>[]>

/** How many rows of each place one query examines at most. */
export const WINDOW = 1000

export interface JobFilter extends IndexedFilter {
  /** The worker that holds the job, or held it in an attempt. */
  readonly worker?: string
  readonly errorFingerprint?: string
  readonly attemptsMin?: number
  readonly attemptsMax?: number
  /** `After` is inclusive, `Before` exclusive. */
  readonly createdAfter?: Date | string
  readonly createdBefore?: Date | string
  readonly finishedAfter?: Date | string
  readonly finishedBefore?: Date | string
}

const PAGES_MAX = 10
/** Ids and times may be slightly out of order: the search goes this far past the bound. */
const SLACK_IDS = 1_000
const SLACK_MS = 60_000

export async function listJobs(rows: QueryRows, filter: JobFilter): Promise<Page<ListedJob>> {
  const rowFilter = rowFilterOf(filter)
  if (rowFilter === undefined) return queryPage(rows, filter)
  const limit = filter.limit ?? 50
  const found: ListedJob[] = []
  let after = filter.after ?? (await startCursor(rows, filter))
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    // A list by end uses the database's own cursor, which is more exact than the time of a row.
    const size = isByEnd(filter) ? limit - found.length : LIMITS.pageMax.default
    const page = await queryPage(rows, { ...filter, limit: size, ...(after === undefined ? {} : { after }) })
    const matches = await attemptMatches(rows, page.rows, filter)
    for (const job of page.rows) {
      if (rowFilter.past(job)) return { rows: found, next: null }
      if (rowFilter.fits(job, matches)) found.push(job)
      if (found.length === limit && !isByEnd(filter)) return { rows: found, next: cursorOf([job.id]) }
    }
    if (page.next === null || found.length === limit) return { rows: found, next: page.next }
    after = page.next
  }
  return { rows: found, next: after ?? null }
}

/** Filters without an index. */
interface RowFilter {
  fits(job: ListedJob, matches: AttemptMatches): boolean
  /** No later job of the list can match. */
  past(job: ListedJob): boolean
}

interface AttemptMatches {
  readonly worker: ReadonlySet<number>
  readonly error: ReadonlySet<number>
}

/** Undefined without such a filter. */
function rowFilterOf(filter: JobFilter): RowFilter | undefined {
  const { worker, errorFingerprint, attemptsMin, attemptsMax } = filter
  const createdAfter = msOf(filter.createdAfter)
  const createdBefore = msOf(filter.createdBefore)
  const finishedAfter = msOf(filter.finishedAfter)
  const finishedBefore = msOf(filter.finishedBefore)
  const criteria = [
    worker,
    errorFingerprint,
    attemptsMin,
    attemptsMax,
    createdAfter,
    createdBefore,
    finishedAfter,
    finishedBefore,
  ]
  if (criteria.every((value) => value === undefined)) return undefined
  return {
    fits: (job, matches) =>
      isIn(job.createdAt, createdAfter, createdBefore) &&
      isIn(job.finishedAt, finishedAfter, finishedBefore) &&
      job.attempt >= (attemptsMin ?? 0) &&
      job.attempt <= (attemptsMax ?? Number.POSITIVE_INFINITY) &&
      (worker === undefined || job.leaseOwner === worker || matches.worker.has(job.id)) &&
      (errorFingerprint === undefined || matches.error.has(job.id)),
    past: (job) =>
      isByEnd(filter)
        ? (job.finishedAt?.getTime() ?? 0) < (finishedAfter ?? 0)
        : job.createdAt.getTime() < (createdAfter ?? 0) - SLACK_MS,
  }
}

function isIn(time: Date | null, from: number | undefined, to: number | undefined): boolean {
  if (from === undefined && to === undefined) return true
  const ms = time?.getTime()
  return ms !== undefined && ms >= (from ?? 0) && ms < (to ?? Number.POSITIVE_INFINITY)
}

function msOf(time: Date | string | undefined): number | undefined {
  return time === undefined ? undefined : new Date(time).getTime()
}

/** Which of these jobs had an attempt by that worker, or with that error. */
async function attemptMatches(
  rows: QueryRows,
  jobs: readonly ListedJob[],
  filter: JobFilter,
): Promise<AttemptMatches> {
  const { worker, errorFingerprint } = filter
  if ((worker === undefined && errorFingerprint === undefined) || jobs.length === 0) return NONE
  const attempts = await rows(
    `select a.job_id, a.worker = $2 as by_worker, a.error_fingerprint = $3 as with_error from holdfast.attempts a
     where a.job_id = any ($1::bigint[]) and (a.worker = $2 or a.error_fingerprint = $3)`,
    [jobs.map(({ id }) => id), worker ?? null, errorFingerprint ?? null],
  )
  const ids = (fits: (row: Record<string, unknown>) => boolean) =>
    new Set(attempts.filter(fits).map((row) => row.job_id as number))
  return { worker: ids((row) => row.by_worker === true), error: ids((row) => row.with_error === true) }
}

const NONE: AttemptMatches = { worker: new Set(), error: new Set() }

/**
 * Where to begin a list of jobs before a time; undefined: with the newest. In a list by id, a binary search finds the newest job that was
 * created before it.
 */
async function startCursor(rows: QueryRows, filter: JobFilter): Promise<string | undefined> {
  const { tenant, queue, createdBefore, finishedBefore } = filter
  if (isByEnd(filter))
    return finishedBefore === undefined ? undefined : cursorOf([new Date(finishedBefore).toISOString(), 0])
  // A job that ended before a time was created before it too.
  const times = [msOf(createdBefore), msOf(finishedBefore)].filter((ms) => ms !== undefined)
  if (times.length === 0) return undefined
  const scope = { ...(tenant === undefined ? {} : { tenant }), ...(queue === undefined ? {} : { queue }) }
  const newestBelow = async (id?: number) =>
    (await queryPage(rows, { ...scope, limit: 1, ...(id === undefined ? {} : { after: cursorOf([id]) }) }))
      .rows[0]
  let above = ((await newestBelow())?.id ?? 0) + 1
  let below = 0
  while (above - below > SLACK_IDS) {
    const middle = Math.floor((above + below) / 2)
    const job = await newestBelow(middle)
    if (job !== undefined && job.createdAt.getTime() >= Math.min(...times)) above = job.id
    else below = middle
  }
  return cursorOf([above + SLACK_IDS])
}

/** The last error is read only for the rows of the page. */
const COLUMNS = LISTED_JOB_FIELDS.filter((field) => field !== 'lastError')
  .map(snake)
  .join(', ')

async function queryPage(rows: QueryRows, filter: IndexedFilter): Promise<Page<ListedJob>> {
  if (filter.state !== undefined && !STATES.includes(filter.state))
    throw invalidInput('/state', `must be one of ${STATES.join(', ')}`)
  const queueId = filter.queue === undefined ? null : await queueIdOf(rows, filter.tenant, filter.queue)
  return isByEnd(filter) ? byEnd(rows, filter, queueId) : byId(rows, filter, queueId)
}

const isByEnd = ({ state }: Pick<IndexedFilter, 'state'>) => state === 'failed' || state === 'canceled'

async function byId(
  rows: QueryRows,
  filter: IndexedFilter,
  queueId: number | null,
): Promise<Page<ListedJob>> {
  const limit = checkPageSize(filter.limit ?? 50, '/limit')
  const [page] = await rows(
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

/** Through the index of attempts that did not succeed. */
async function byEnd(
  rows: QueryRows,
  filter: IndexedFilter,
  queueId: number | null,
): Promise<Page<ListedJob>> {
  const limit = checkPageSize(filter.limit ?? 50, '/limit')
  const [at = null, id = null] = filter.after === undefined ? [] : readCursor(filter.after, isEndCursor)
  const examined = await rows(
    `select p.*, (select a.error_message from holdfast.attempts a where a.job_id = p.id and a.error_message is not null
         order by a.attempt desc limit 1) as last_error
     from (select j.*, w.n, w.ended, w.id as looked_at from (
       select row_number() over (order by e.finished_at desc, e.id desc) as n, e.id, e.ended from (
         select a.job_id as id, a.finished_at, to_jsonb(a.finished_at) #>> '{}' as ended from holdfast.attempts a
         where a.final and a.moved_to <> 'succeeded' and ($1::timestamptz is null or (a.finished_at, a.job_id) < ($1::timestamptz, $2::bigint))
         order by a.finished_at desc, a.job_id desc limit ${WINDOW}) e) w
     left join lateral (select ${COLUMNS} from holdfast.jobs j
       where j.id = w.id and j.queue_id = coalesce($3::int, (select holdfast.queue_of(w.id))) and j.state = $4 and j.tenant = $5
         and ($6::text is null or j.kind = $6) and ($7::text is null or j.target = $7) and ($8::text is null or j.key = $8)) j on true
     where j.id is not null or w.n = ${WINDOW} order by w.n limit ${limit + 1}) p order by p.n`,
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
  const fits = examined.filter((row) => row.id !== null)
  const page = fits.slice(0, limit)
  const last = fits.length > limit ? page.at(-1) : examined.find(({ n }) => n === WINDOW)
  return {
    rows: page.map(({ n: _n, ended: _ended, looked_at: _lookedAt, ...row }) => fromRow<ListedJob>(row)),
    next: last === undefined ? null : cursorOf([last.ended, last.looked_at]),
  }
}

export async function queueIdOf(rows: QueryRows, tenant = 'default', queue: string): Promise<number> {
  const [found] = await rows('select id from holdfast.queues where tenant = $1 and name = $2 limit 1', [
    tenant,
    queue,
  ])
  if (found === undefined) throw holdfastError('unknown_queue', { queue })
  return found.id as number
}

/** In JSON, times are text. */
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

const isIdCursor = (parts: unknown[]) => parts.length === 1 && Number.isSafeInteger(parts[0])
const isEndCursor = ([at, id]: unknown[]) =>
  typeof at === 'string' && !Number.isNaN(Date.parse(at)) && Number.isSafeInteger(id)

/** [id] for a list by id, [time, id] for a list by end; the page begins below it. */
function cursorOf(parts: unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

function readCursor(cursor: string, fits: (parts: unknown[]) => boolean): unknown[] {
  const parts = cursorParts(cursor)
  if (fits(parts)) return parts
  throw invalidInput('/after', 'is not a cursor of this list')
}

function cursorParts(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}
