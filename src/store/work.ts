/** What workers do. Every write carries the fence of its claim; a write that no longer holds it changes nothing and says so. */
import { holdfastError, LeaseLost } from '../domain/errors.js'
import { LIMITS } from '../domain/limits.js'
import { checkItems, checkJson, checkLeaseMs, checkName } from '../domain/validate.js'
import { askForJobs, CLAIMED } from './claiming.js'
import { type Database, DEADLINES } from './database.js'
import { fenceColumns, finishIn, startedColumn } from './finishing.js'
import type { HintedClaims } from './full-pass.js'
import { noHints } from './hints.js'
import type { Queues } from './queues.js'
import {
  type ClaimedJob,
  claimedFromRow,
  type Ended,
  type Ending,
  type Fence,
  fromRow,
  type Renewed,
  type Report,
  type Reported,
} from './rows.js'
import { saidInReport } from './said.js'
import type { Turns } from './turns.js'

export interface ClaimOptions {
  /** The worker's name, as people will read it in the attempts log. */
  readonly worker: string
  readonly queues: readonly string[]
  readonly tenant?: string
  /** The worker's open lease; without one each job gets a lease of its own. */
  readonly lease?: number
  readonly limit?: number
  /** Length of the leases of their own, instead of the queue's. */
  readonly leaseMs?: number
  /** What this claimer remembers of its earlier claims; keep one for as long as the claimer lives. */
  readonly hints?: HintedClaims
  /** Whose turn it is among the queues; keep one for as long as the claimer lives. */
  readonly turns?: Turns
}

export class Work {
  readonly #database: Database
  readonly #queues: Queues

  constructor(database: Database, queues: Queues) {
    this.#database = database
    this.#queues = queues
  }

  async openLease(worker: string, leaseMs: number): Promise<{ lease: number; expiresAt: Date }> {
    const [row] = await this.#database.query<Record<string, unknown>>(
      'select lease, expires_at from holdfast.open_lease($1, $2)',
      [checkWorker(worker), checkLeaseMs(leaseMs)],
    )
    return fromRow(row ?? {})
  }

  /** Ends a lease at once; what it still holds is released and not charged. Answers how many jobs that were. */
  async closeLease(lease: number, reason = 'shutdown'): Promise<number> {
    const [row] = await this.#database.query<{ n: number }>(
      'select holdfast.close_lease($1, $2) as n',
      [lease, reason],
      {
        repeatable: true,
      },
    )
    return row?.n ?? 0
  }

  /**
   * Takes up to `limit` jobs. Not repeated after a broken connection: the claim may have taken effect, and its jobs come back
   * when the lease they were given ends.
   */
  async claim(options: ClaimOptions): Promise<ClaimedJob[]> {
    const queueIds = await this.#queues.ids(options.queues, options.tenant)
    const { turns } = options
    if (turns === undefined) return this.#claimFrom(queueIds, options)
    const inTurn = async () => {
      const listed = turns.list(queueIds)
      const claimed = await this.#claimFrom(listed, options)
      turns.learn(queueIds, listed, claimed, options.limit ?? 1)
      return { claimed, all: listed.length === queueIds.length }
    }
    const { claimed, all } = await inTurn()
    // Nothing where we looked does not mean nothing to do.
    return claimed.length > 0 || all ? claimed : (await inTurn()).claimed
  }

  #claimFrom(queueIds: readonly number[], options: ClaimOptions): Promise<ClaimedJob[]> {
    const limit = checkLimit(options.limit ?? 1)
    if (options.hints === undefined)
      return askForJobs(this.#database, queueIds, noHints(queueIds), limit, options)
    return options.hints.claim(queueIds, limit, {
      ask: (asked, columns, most) => askForJobs(this.#database, asked, columns, most, options),
      giveBack: (jobs) => this.finish(jobs.map(unfetched)),
    })
  }

  /** Claims one job by id; undefined: it is not yours. */
  async claimById(
    jobId: number,
    options: { worker: string; lease?: number; leaseMs?: number },
  ): Promise<ClaimedJob | undefined> {
    const [row] = await this.#database.query<Record<string, unknown>>(
      `select ${CLAIMED} from holdfast.claim_by_id($1, $2, $3, $4)`,
      [
        checkWorker(options.worker),
        options.lease ?? null,
        jobId,
        options.leaseMs === undefined ? null : checkLeaseMs(options.leaseMs),
      ],
      { deadlineMs: DEADLINES.claim },
    )
    return row === undefined ? undefined : claimedFromRow(row)
  }

  /** Notes that jobs have begun; answers the ids that still were ours. */
  async start(fences: readonly (Fence & { startedAgoMs?: number })[]): Promise<number[]> {
    const rows = await this.#database.query<{ job_id: number }>(
      'select job_id from holdfast.start($1::bigint[], $2::int[], $3::bigint[], $4::int[])',
      [...fenceColumns(fences), startedColumn(fences)],
      { repeatable: true },
    )
    return rows.map((row) => row.job_id)
  }

  async renew(leases: readonly number[]): Promise<Renewed[]> {
    const rows = await this.#database.query<Record<string, unknown>>(
      'select lease, alive, expires_at, cancel, revoked from holdfast.renew($1::bigint[])',
      [leases],
      { repeatable: true },
    )
    return rows.map((row) => fromRow<Renewed>(row))
  }

  async report(report: Report): Promise<Reported> {
    const items = checkItems(report.items ?? [])
    const text = checkJson(items, {
      path: '/items',
      bytesMax: LIMITS.reportBytesMax.default,
      limit: 'reportBytesMax',
    })
    items.forEach((item, index) => {
      checkJson(item, {
        path: `/items/${index}`,
        bytesMax: LIMITS.itemBytesMax.default,
        limit: 'itemBytesMax',
      })
    })
    const said = saidInReport(report)
    const [row] = await this.#database.query<Record<string, unknown>>(
      `select accepted, done, done_reason, new_items, duplicate_items, progress_count, result_count, tokens_used, token_limit, cancel_requested,
         expires_at
       from holdfast.report($1, $2, $3, $4::text::jsonb, $5::text::jsonb, $6::text::jsonb, $7, $8, $9, $10, $11::text::jsonb, $12)`,
      [
        report.jobId,
        report.attempt,
        report.lease,
        text,
        said.cursor,
        said.progress,
        checkTokens(report.tokens ?? 0),
        report.extendMs === undefined ? null : checkLeaseMs(report.extendMs, '/extendMs'),
        report.done ?? false,
        said.doneReason,
        said.result,
        said.cleaned,
      ],
      { repeatable: true },
    )
    const { accepted, ...answer } = fromRow<Reported & { accepted: boolean }>(row ?? {})
    if (!accepted) throw new LeaseLost({ job: report.jobId, attempt: report.attempt })
    return answer
  }

  /** Ends attempts, each with its own outcome. Answers in the order asked; a lost lease is an answer, not an exception. */
  finish(endings: readonly Ending[]): Promise<Ended[]> {
    return finishIn(this.#database, endings)
  }
}

function unfetched({ jobId, attempt, lease }: Fence): Ending {
  return { jobId, attempt, lease, outcome: 'released', reason: 'nobody fetched it' }
}

function checkTokens(tokens: number): number {
  if (Number.isSafeInteger(tokens) && tokens >= 0) return tokens
  throw holdfastError('invalid_input', { path: '/tokens', problem: 'must be a whole number from 0' })
}

function checkWorker(name: string): string {
  return checkName(name, '/worker')
}

function checkLimit(limit: number): number {
  const most = LIMITS.batchMax.hardMax
  if (Number.isInteger(limit) && limit >= 1 && limit <= most) return limit
  throw holdfastError('invalid_input', {
    path: '/limit',
    problem: `must be a whole number from 1 to ${most}`,
    limit: 'batchMax',
  })
}
