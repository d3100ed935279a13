/**
 * Bulk operations: one command for every job that a search finds.
 *
 * `start` only records the operation. A process that runs upkeep takes it (`take`), finds a page of jobs, and applies the command to them
 * (`apply`), until there are no more; carry-out.ts has that loop. A page is one transaction with its results and the place of the next one,
 * so after a crash another process continues, and no job is acted on twice. docs/decisions/0030-bulk-operations-are-a-chore.md has the
 * reasons.
 */
import { createHash } from 'node:crypto'
import { type Database, DEADLINES } from '../../database/database.js'
import { type BulkCommand, type BulkState, type BulkSubject, bulkApplies } from '../../domain/bulk.js'
import { holdfastError, invalidInput } from '../../domain/errors/errors.js'
import { LISTED_JOB_FIELDS } from '../../domain/job-fields.js'
import { LIMITS } from '../../domain/limits.js'
import type { State } from '../../domain/states/states.js'
import { checkIdempotencyKey, checkPriority } from '../../domain/validate.js'
import { type Attribution, attributionValues } from '../job-commands.js'
import type { ListedJob } from '../list/jobs.js'
import type { Notifier } from '../notify/notifier.js'
import { fromRow, selectRows } from '../rows.js'
import { foundJobs } from '../search/found-jobs.js'
import type { MatchingJobs, MatchPage } from '../search/matching.js'
import { readSearch } from '../search/read-search.js'
import { type Matching, matchingIds, matchingStates } from './matching-jobs.js'

export interface BulkRequest {
  readonly tenant?: string
  readonly command: BulkCommand
  /** The search. */
  readonly q: string
  /** Only jobs created, and if they have ended, ended, up to this time; default: now. */
  readonly until?: Date | string
  /** Of the command `priority`. */
  readonly priority?: number
  /** Of the command `boost`; default: 10. */
  readonly by?: number
}

export interface BulkStart extends BulkRequest, Attribution {
  /** The count of the preview; counted if omitted. */
  readonly expected?: { readonly matched: number; readonly capped: boolean }
  /** The same key again returns the same operation. */
  readonly idempotencyKey?: string
}

export interface BulkPreview {
  readonly matched: number
  /** There are more: counting stopped. */
  readonly matchedCapped: boolean
  /** Of the matched jobs, those that the command would change now. */
  readonly applicable: number
  readonly states: { readonly state: State; readonly matched: number; readonly applicable: number }[]
  readonly until: Date
  readonly samples: (ListedJob & { readonly applies: boolean })[]
}

export interface BulkOperation {
  readonly id: number
  readonly tenant: string
  readonly command: BulkCommand
  readonly q: string
  readonly priority: number | null
  readonly by: number | null
  readonly until: Date
  readonly state: BulkState
  readonly expected: number | null
  readonly expectedCapped: boolean
  readonly matched: number
  readonly done: number
  readonly failed: number
  /** 0 to 1; null while it is unknown. */
  readonly progress: number | null
  readonly limitReached: boolean
  readonly createdAt: Date
  readonly createdBy: string | null
  readonly reason: string | null
  readonly startedAt: Date | null
  readonly endedAt: Date | null
  readonly runner: string | null
  readonly abortedBy: string | null
  readonly abortReason: string | null
  readonly error: string | null
}

export interface BulkResult {
  readonly jobId: number
  readonly ok: boolean
  readonly state: State | null
  readonly newJobId: number | null
  readonly code: string | null
  readonly detail: string | null
  readonly at: Date
}

/** An operation that this process has taken. */
export interface TakenBulk extends Matching {
  readonly id: number
  readonly page: number
  readonly cursor: string | null
  readonly matched: number
}

const SAMPLES = 5
/** A preview stops counting after this time and returns what it has. */
const COUNT_MS = 1_500
/** How long a process has an operation without applying a page. */
const LEASE = '15 seconds'

const COLUMNS = `id, tenant, command, q, priority, by, until, state, expected, expected_capped, matched, done, failed, limit_reached,
  created_at, created_by, reason, started_at, ended_at, runner, aborted_by, abort_reason, error`

export class BulkOperations {
  readonly #database: Database
  readonly #notifier: Notifier
  readonly #search: MatchingJobs
  readonly #jobsMax: number

  constructor(
    database: Database,
    notifier: Notifier,
    search: MatchingJobs,
    jobsMax: number = LIMITS.bulkJobsMax.default,
  ) {
    this.#database = database
    this.#notifier = notifier
    this.#search = search
    this.#jobsMax = jobsMax
  }

  /** How many jobs match, how many of them the command would change, and a few of them. Counting stops at `bulkCountMax`. */
  async preview(request: BulkRequest, countMax: number = LIMITS.bulkCountMax.default): Promise<BulkPreview> {
    const matching = await this.#matching(request)
    const ids: number[] = []
    const counts = new OutcomeCounts(request.command)
    const stopAt = performance.now() + COUNT_MS
    let after: string | null = null
    do {
      const page: MatchPage = await this.find(matching, after)
      const counted = page.ids.slice(0, countMax - ids.length)
      ids.push(...counted)
      if (counted.length > 0) counts.add(await this.#countStates(counted))
      after = page.next ?? (counted.length < page.ids.length ? '' : null)
    } while (after !== null && ids.length < countMax && performance.now() < stopAt)
    return {
      ...counts.totals(),
      matchedCapped: after !== null,
      until: matching.until,
      samples: await this.#samples(ids.slice(0, SAMPLES), request.command),
    }
  }

  /** Records an operation. `created` is false if the idempotency key was used before. */
  async start(request: BulkStart): Promise<{ operation: BulkOperation; created: boolean }> {
    const { command, q, priority, by, idempotencyKey, reason } = request
    const matching = await this.#matching(request)
    if (command === 'priority' && priority === undefined)
      throw invalidInput('/priority', 'is required by this command')
    const expected = request.expected ?? (await this.#count(request))
    const key = idempotencyKey === undefined ? null : checkIdempotencyKey(idempotencyKey)
    const body = { command, q, priority, by, reason, until: request.until }
    const fingerprint = createHash('sha256').update(JSON.stringify(body)).digest('base64url')
    const [row] = await this.#database.query<{ id: number; created: boolean }>(
      `select id, created from holdfast.start_bulk($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, ${LIMITS.bulkOpenMax.default}, $11, $12)`,
      [
        matching.tenant,
        command,
        q,
        matching.until,
        priority === undefined ? null : checkPriority(priority),
        by ?? null,
        expected.matched,
        expected.capped,
        key,
        key === null ? null : fingerprint,
        ...attributionValues(request),
      ],
    )
    const { id, created } = row as { id: number; created: boolean }
    return { operation: await this.get(id), created }
  }

  async get(id: number): Promise<BulkOperation> {
    const [row] = await selectRows<BulkOperation>(
      this.#database,
      `select ${COLUMNS} from holdfast.bulk_operations where id = $1`,
      [id],
    )
    if (row === undefined) throw holdfastError('unknown_bulk', { operation: id })
    return withProgress(row)
  }

  /** Newest first. */
  async list(
    where: {
      readonly tenant?: string
      readonly states?: readonly BulkState[]
      readonly before?: number
      readonly limit?: number
    } = {},
  ): Promise<BulkOperation[]> {
    const rows = await selectRows<BulkOperation>(
      this.#database,
      `select ${COLUMNS} from holdfast.bulk_operations where tenant = $1 and ($2::text[] is null or state = any ($2))
         and ($3::bigint is null or id < $3) order by id desc limit $4`,
      [where.tenant ?? 'default', where.states ?? null, where.before ?? null, pageLimit(where.limit)],
    )
    return rows.map(withProgress)
  }

  /** Newest job first. `ok`: only those that were changed, or only those that refused. */
  async results(
    id: number,
    where: { readonly ok?: boolean; readonly before?: number; readonly limit?: number } = {},
  ): Promise<BulkResult[]> {
    return selectRows<BulkResult>(
      this.#database,
      `select job_id, ok, state, new_job_id, code, detail, at from holdfast.bulk_results
       where operation_id = $1 and ($2::boolean is null or ok = $2) and ($3::bigint is null or job_id < $3)
       order by job_id desc limit $4`,
      [id, where.ok ?? null, where.before ?? null, pageLimit(where.limit)],
    )
  }

  /** Waits for the page that is being applied; after it no job is changed. */
  async abort(id: number, act: Attribution = {}): Promise<BulkOperation> {
    await this.#database.query('select holdfast.abort_bulk($1, $2, $3)', [id, ...attributionValues(act)])
    return this.get(id)
  }

  /** The next page of matching jobs. */
  find(matching: Matching, after?: string | null): Promise<MatchPage> {
    return matchingIds(this.#search, matching, after)
  }

  /** Takes an operation for this process: that one, or the one that has waited longest. Undefined: there is none. */
  async take(runner: string, id?: number): Promise<TakenBulk | undefined> {
    const [row] = await this.#database.query<Record<string, unknown>>(
      `select id, tenant, q, until, page, cursor, matched from holdfast.take_bulk($1, '${LEASE}', $2)`,
      [runner, id ?? null],
    )
    return row === undefined ? undefined : fromRow<TakenBulk>(row)
  }

  /** Applies the command to a page of jobs. Returns the state of the operation, or undefined if this process no longer has it. */
  async apply(
    { id, tenant, page, q }: TakenBulk,
    runner: string,
    jobs: readonly number[],
    next: string | null,
  ): Promise<{ readonly state: BulkState; readonly jobs: number } | undefined> {
    // Not marked repeatable, because it need not be: a page that was sent twice is refused by its number.
    const [row] = await this.#database.query<{
      applied: boolean
      state: BulkState
      queues: string[] | null
      jobs: number
    }>(
      `select applied, state, queues, jobs from holdfast.apply_bulk($1, $2, $3, $4::bigint[], $5, $6, '${LEASE}', $7)`,
      [id, runner, page, jobs, next, this.#jobsMax, matchingStates(q)],
      { deadlineMs: DEADLINES.migration },
    )
    if (row?.applied !== true) return undefined
    this.#notifier.wake(tenant, row.queues ?? [])
    return row
  }

  /** Lets an operation go. With an error it is tried again after `retryInMs`; without `retryInMs` it has failed. */
  async release(
    id: number,
    runner: string,
    failure?: { readonly error: string; readonly retryInMs?: number },
  ): Promise<void> {
    await this.#database.query("select holdfast.release_bulk($1, $2, $3, $4 * interval '1 ms')", [
      id,
      runner,
      failure?.error ?? null,
      failure === undefined ? 0 : (failure.retryInMs ?? null),
    ])
  }

  async #count(request: BulkRequest): Promise<{ matched: number; capped: boolean }> {
    const { matched, matchedCapped } = await this.preview(request)
    return { matched, capped: matchedCapped }
  }

  async #matching({ tenant = 'default', q, until }: BulkRequest): Promise<Matching> {
    readSearch(q)
    return { tenant, q, until: until === undefined ? await this.#now() : new Date(until) }
  }

  /** Rounded up to milliseconds, which is all that JSON has: a job of this moment counts. */
  async #now(): Promise<Date> {
    const [row] = await selectRows<{ now: Date }>(
      this.#database,
      'select to_timestamp(ceil(extract(epoch from holdfast.now()) * 1000) / 1000) as now',
    )
    return (row as { now: Date }).now
  }

  #countStates(ids: readonly number[]): Promise<StateCount[]> {
    return selectRows<StateCount>(
      this.#database,
      'select state, strict, attempted, jobs from holdfast.count_states($1::bigint[])',
      [ids],
    )
  }

  async #samples(ids: readonly number[], command: BulkCommand): Promise<BulkPreview['samples']> {
    const jobs = await foundJobs(this.#database, ids)
    return Promise.all(
      jobs.map(async (job) => {
        const [count] = await this.#countStates([job.id])
        const listed = Object.fromEntries(LISTED_JOB_FIELDS.map((field) => [field, job[field]]))
        return {
          ...(listed as unknown as ListedJob),
          applies: count !== undefined && bulkApplies(command, count),
        }
      }),
    )
  }
}

interface StateCount extends BulkSubject {
  readonly jobs: number
}

/** Matched and applicable jobs by state. */
class OutcomeCounts {
  readonly #command: BulkCommand
  readonly #states = new Map<State, { matched: number; applicable: number }>()

  constructor(command: BulkCommand) {
    this.#command = command
  }

  add(counts: readonly StateCount[]): void {
    for (const count of counts) {
      const { matched, applicable } = this.#states.get(count.state) ?? { matched: 0, applicable: 0 }
      const applied = bulkApplies(this.#command, count) ? count.jobs : 0
      this.#states.set(count.state, { matched: matched + count.jobs, applicable: applicable + applied })
    }
  }

  totals(): Pick<BulkPreview, 'matched' | 'applicable' | 'states'> {
    const states = [...this.#states].map(([state, count]) => ({ state, ...count }))
    const sum = (of: 'matched' | 'applicable') => states.reduce((total, each) => total + each[of], 0)
    return {
      matched: sum('matched'),
      applicable: sum('applicable'),
      states: states.sort((a, b) => b.matched - a.matched),
    }
  }
}

function withProgress(operation: BulkOperation): BulkOperation {
  const { state, expected, expectedCapped, matched } = operation
  const share = expected === null || expectedCapped || expected === 0 ? null : Math.min(1, matched / expected)
  return { ...operation, progress: state === 'done' ? 1 : share }
}

function pageLimit(limit = 50): number {
  // One more than a page: callers ask for it to know whether there is another.
  return Math.min(limit, LIMITS.pageMax.hardMax + 1)
}
