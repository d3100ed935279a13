/**
 * Lists of jobs. What an index orders (a state, a queue) is one look, page by page. What no index knows (a key of an ended job, who worked on
 * it, an error) is looked for among a bounded number of jobs at a time, newest first: such a page may be short, or empty, and still
 * have a next one.
 */
import { holdfastError } from '../domain/errors.js'
import { STATES, type State } from '../domain/states.js'
import { checkPageSize } from '../domain/validate.js'
import { fromRow } from './rows.js'

export interface JobFilter {
  readonly tenant?: string
  readonly queue?: string
  readonly state?: State
  readonly kind?: string
  readonly target?: string
  readonly key?: string
  /** Has it now, or had it in an attempt. */
  readonly worker?: string
  readonly errorFingerprint?: string
  readonly attemptsMin?: number
  readonly attemptsMax?: number
  /** From this time on, and before that one. */
  readonly createdAfter?: Date | string
  readonly createdBefore?: Date | string
  readonly finishedAfter?: Date | string
  readonly finishedBefore?: Date | string
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

export interface Page<T> {
  readonly rows: T[]
  /** Null on the last page. */
  readonly next: string | null
}

type Row = Record<string, unknown>
type Rows = (text: string, values: unknown[]) => Promise<Row[]>

/** Each is one table, read by its own index, so that a page costs a page wherever the jobs are. */
export const PLACES: readonly (readonly State[])[] = [
  ['queued'],
  ['scheduled', 'retrying'],
  ['pending', 'waiting', 'paused', 'errored', 'parked'],
  ['assigned', 'running'],
  ['succeeded', 'failed', 'canceled'],
]

const COLUMNS = `id, queue, kind, state, priority, attempt, max_attempts, key, target, lease_owner, created_at, visible_at,
  finished_at, reason`

/** Ids looked at in one statement, and statements in one call. */
const WINDOW = 20_000
const WINDOWS_MAX = 10

export async function listJobs(rows: Rows, filter: JobFilter): Promise<Page<ListedJob>> {
  const limit = checkPageSize(filter.limit ?? 50, '/limit')
  if (filter.state !== undefined && !STATES.includes(filter.state))
    throw holdfastError('invalid_input', { path: '/state', problem: `must be one of ${STATES.join(', ')}` })
  const { where, values, rare } = await conditions(rows, filter)
  const query: Query = { rows, limit, states: filter.state, where, values }
  return rare ? search(query, filter) : page(query, filter.after, isByEnd(filter))
}

interface Query {
  readonly rows: Rows
  readonly limit: number
  readonly states: State | undefined
  readonly where: readonly string[]
  readonly values: readonly unknown[]
}

function isByEnd({ state }: JobFilter): boolean {
  return state === 'failed' || state === 'canceled'
}

async function page(query: Query, after: string | undefined, byEnd: boolean): Promise<Page<ListedJob>> {
  const values = [...query.values]
  const where = [...query.where]
  if (after !== undefined) where.push(afterCursor(after, byEnd, values))
  const found = await look({ ...query, where, values }, byEnd)
  const shown = found.slice(0, query.limit)
  const last = found.length > query.limit ? shown.at(-1) : undefined
  return pageOf(shown, last && (byEnd ? [last.ended, last.id] : [last.id]))
}

async function search(query: Query, filter: JobFilter): Promise<Page<ListedJob>> {
  const found: Row[] = []
  let top = filter.after === undefined ? await newest(query, filter) : idOf(filter.after) - 1
  for (let window = 0; window < WINDOWS_MAX && top > 0; window++) {
    const bottom = Math.max(1, top - WINDOW + 1)
    const n = query.values.length
    found.push(
      ...(await look(
        {
          ...query,
          where: [...query.where, `id between $${n + 1} and $${n + 2}`],
          values: [...query.values, bottom, top],
          limit: query.limit - found.length,
        },
        false,
      )),
    )
    if (found.length > query.limit) {
      const shown = found.slice(0, query.limit)
      return pageOf(shown, [shown.at(-1)?.id])
    }
    top = bottom - 1
  }
  return pageOf(found, top > 0 ? [top + 1] : undefined)
}

/** The newest job of the tenant or queue, whatever else is asked of it. */
async function newest({ rows }: Query, { tenant, queue }: JobFilter): Promise<number> {
  const { where, values } = await conditions(rows, {
    ...(tenant === undefined ? {} : { tenant }),
    ...(queue === undefined ? {} : { queue }),
  })
  const [first] = await look({ rows, states: undefined, where, values, limit: 0 }, false)
  return (first?.id as number | undefined) ?? 0
}

/** One row more than the limit, so that we know whether there are more. */
function look({ rows, states, where, values, limit }: Query, byEnd: boolean): Promise<Row[]> {
  const order = byEnd ? 'finished_at desc, id desc' : 'id desc'
  const places = states === undefined ? PLACES : [[states]]
  const looks = places.map(
    (each) => `(select ${COLUMNS}, to_jsonb(finished_at) #>> '{}' as ended from holdfast.jobs j
      where ${[`state in (${each.map((state) => `'${state}'`).join(', ')})`, ...where].join(' and ')}
      order by ${order} limit ${limit + 1})`,
  )
  return rows(
    `select * from (${looks.join(' union all ')}) p order by ${order} limit ${limit + 1}`,
    values as unknown[],
  )
}

function pageOf(rows: readonly Row[], cursor: unknown[] | undefined): Page<ListedJob> {
  return {
    rows: rows.map(({ ended: _ended, ...row }) => fromRow<ListedJob>(row)),
    next: cursor === undefined ? null : Buffer.from(JSON.stringify(cursor)).toString('base64url'),
  }
}

async function conditions(rows: Rows, filter: JobFilter) {
  const where: string[] = []
  const values: unknown[] = []
  let rare = false
  const add = (value: unknown, condition: (n: string) => string) => {
    if (value === undefined) return
    values.push(value)
    where.push(condition(`$${values.length}`))
  }
  const addRare = (value: unknown, condition: (n: string) => string) => {
    rare ||= value !== undefined
    add(value, condition)
  }
  const tenant = filter.tenant ?? 'default'
  if (filter.queue === undefined) add(tenant, (n) => `tenant = ${n}`)
  else add(await queueIdOf(rows, tenant, filter.queue), (n) => `queue_id = ${n}`)
  add(filter.kind, (n) => `kind = ${n}`)
  add(filter.target, (n) => `target = ${n}`)
  // Failed and canceled jobs are in the order of their end already.
  const finished = isByEnd(filter) ? add : addRare
  finished(filter.finishedAfter, (n) => `finished_at >= ${n}::timestamptz`)
  finished(filter.finishedBefore, (n) => `finished_at < ${n}::timestamptz`)
  addRare(filter.key, (n) => `key = ${n}`)
  addRare(filter.createdAfter, (n) => `created_at >= ${n}::timestamptz`)
  addRare(filter.createdBefore, (n) => `created_at < ${n}::timestamptz`)
  addRare(filter.attemptsMin, (n) => `attempt >= ${n}`)
  addRare(filter.attemptsMax, (n) => `attempt <= ${n}`)
  const hadAttempt = (condition: string) =>
    `exists (select from holdfast.attempts a where a.job_id = j.id and ${condition})`
  addRare(filter.worker, (n) => `(lease_owner = ${n} or ${hadAttempt(`a.worker = ${n}`)})`)
  addRare(filter.errorFingerprint, (n) => hadAttempt(`a.error_fingerprint = ${n}`))
  return { where, values, rare }
}

export async function queueIdOf(rows: Rows, tenant: string, queue: string): Promise<number> {
  const [found] = await rows('select id from holdfast.queues where tenant = $1 and name = $2', [
    tenant,
    queue,
  ])
  if (found === undefined) throw holdfastError('unknown_queue', { queue })
  return found.id as number
}

function afterCursor(cursor: string, byEnd: boolean, values: unknown[]): string {
  if (!byEnd) {
    values.push(idOf(cursor))
    return `id < $${values.length}::bigint`
  }
  const [first, second] = cursorParts(cursor)
  if (typeof first !== 'string' || !Number.isSafeInteger(second) || Number.isNaN(Date.parse(first)))
    throw notACursor()
  values.push(first, second)
  return `(finished_at, id) < ($${values.length - 1}::timestamptz, $${values.length}::bigint)`
}

function idOf(cursor: string): number {
  const parts = cursorParts(cursor)
  if (parts.length === 1 && Number.isSafeInteger(parts[0])) return parts[0] as number
  throw notACursor()
}

function notACursor() {
  return holdfastError('invalid_input', { path: '/after', problem: 'is not the cursor of such a list' })
}

function cursorParts(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}
