/**
 * Lists of jobs: the newest first; failed and canceled ones by when they ended, the last first. A page looks at WINDOW rows of each place at
 * most, so that it has its price whatever is asked for: it may have fewer jobs than its limit, even none, and a `next` all the same.
 */
import { snake } from '../domain/case.js'
import { holdfastError, invalidInput } from '../domain/errors.js'
import { LISTED_JOB_FIELDS } from '../domain/job-fields.js'
import { STATES, type State } from '../domain/states.js'
import { checkPageSize } from '../domain/validate.js'
import { fromRow } from './rows.js'

/** What a page is narrowed by while it is read. */
export interface PlainFilter {
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

export type Rows = (text: string, values: unknown[]) => Promise<Record<string, unknown>[]>

/** Rows of each place that a page of a list looks at, at most. */
export const WINDOW = 1000

/** The last error is looked up for the rows of the page alone. */
const COLUMNS = LISTED_JOB_FIELDS.filter((field) => field !== 'lastError')
  .map(snake)
  .join(', ')

export async function listJobs(rows: Rows, filter: PlainFilter): Promise<Page<ListedJob>> {
  if (filter.state !== undefined && !STATES.includes(filter.state))
    throw invalidInput('/state', `must be one of ${STATES.join(', ')}`)
  const queueId = filter.queue === undefined ? null : await queueIdOf(rows, filter.tenant, filter.queue)
  return isByEnd(filter) ? byEnd(rows, filter, queueId) : byId(rows, filter, queueId)
}

export const isByEnd = ({ state }: Pick<PlainFilter, 'state'>) => state === 'failed' || state === 'canceled'

async function byId(rows: Rows, filter: PlainFilter, queueId: number | null): Promise<Page<ListedJob>> {
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

/** By the index of what did not succeed. */
async function byEnd(rows: Rows, filter: PlainFilter, queueId: number | null): Promise<Page<ListedJob>> {
  const limit = checkPageSize(filter.limit ?? 50, '/limit')
  const [at = null, id = null] = filter.after === undefined ? [] : readCursor(filter.after, isEndCursor)
  const looked = await rows(
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
  const fits = looked.filter((row) => row.id !== null)
  const page = fits.slice(0, limit)
  const last = fits.length > limit ? page.at(-1) : looked.find(({ n }) => n === WINDOW)
  return {
    rows: page.map(({ n: _n, ended: _ended, looked_at: _at, ...row }) => fromRow<ListedJob>(row)),
    next: last === undefined ? null : cursorOf([last.ended, last.looked_at]),
  }
}

export async function queueIdOf(rows: Rows, tenant = 'default', queue: string): Promise<number> {
  const [found] = await rows('select id from holdfast.queues where tenant = $1 and name = $2', [
    tenant,
    queue,
  ])
  if (found === undefined) throw holdfastError('unknown_queue', { queue })
  return found.id as number
}

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

const isIdCursor = (parts: unknown[]) => parts.length === 1 && Number.isSafeInteger(parts[0])
const isEndCursor = ([at, id]: unknown[]) =>
  typeof at === 'string' && !Number.isNaN(Date.parse(at)) && Number.isSafeInteger(id)

/** [id] where the list is by id, [time, id] where it is by end: the page begins below it. */
export function cursorOf(parts: unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

function readCursor(cursor: string, fits: (parts: unknown[]) => boolean): unknown[] {
  const parts = cursorParts(cursor)
  if (fits(parts)) return parts
  throw invalidInput('/after', 'is not the cursor of such a list')
}

function cursorParts(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}
