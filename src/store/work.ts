/**
 * What workers do: claim jobs, report progress, finish attempts, keep leases alive, announce themselves. `Work` implements the worker's
 * port (src/domain/port.ts) on the database. Every write carries the fence of its claim; a write whose lease was lost changes nothing, and
 * its answer reports that.
 */

import { type Database, DEADLINES, type Session } from '../database/database.js'
import { asHoldfastError } from '../database/database-errors.js'
import type { StoreObservers } from '../database/instrumented.js'
import { asWritten, inSchema } from '../database/schema.js'
import { cleanText } from '../domain/clean.js'
import { LIMITS } from '../domain/limits.js'
import type { ClaimAsk, LoggedLines, Presence, ScaleDecision, WorkPort } from '../domain/port.js'
import type { State } from '../domain/states/states.js'
import { checkLeaseMs, checkName } from '../domain/validate.js'
import { type ClaimOptions, checkLimit, claimBatch, type WorkerScope } from './claim/claim-batch.js'
import { noFrontier } from './claim/claim-frontier.js'
import { ConnectionEpochs } from './claim/connection-epoch.js'
import { type ClaimerClock, JobClaimer } from './claim/job-claimer.js'
import type { CallerTransaction } from './enqueue/producer.js'
import { wholeMs } from './finish/encode-details.js'
import {
  attemptColumns,
  COMPLETE,
  completeValues,
  fenceColumns,
  finishAttempts,
  startedColumn,
} from './finish/finish.js'
import { reportProgress } from './finish/report-progress.js'
import { depthByKind, hasWork, type KindDepth } from './gauges.js'
import type { Notifier } from './notify/notifier.js'
import type { Queues } from './queues.js'
import {
  type ClaimedJob,
  claimedFromRow,
  type Ended,
  type Ending,
  type Fence,
  fromRow,
  type JobAttempt,
  type Renewed,
  type RenewOptions,
  type Report,
  type Reported,
  renewedFromRow,
} from './rows.js'

export interface WorkDeps {
  readonly database: Database
  readonly queues: Queues
  readonly notifier: Notifier
  readonly schema: string
  readonly observers: StoreObservers
}

/** The row of `claim_by_id` under the library's names. */
const CLAIMED_COLUMNS = `job_id as "jobId", attempt, lease, expires_at as "expiresAt", queue_id as "queueId", kind, input, key, target, subject,
  created_at as "createdAt", timeout_ms as "timeoutMs", token_limit as "tokenLimit", item_goal as "itemGoal", trace, priority,
  failures, losses, interruptions, progress`

export class Work implements WorkPort {
  readonly #deps: WorkDeps
  readonly #database: Database
  readonly #epochs: ConnectionEpochs

  constructor(deps: WorkDeps) {
    this.#deps = deps
    this.#database = deps.database
    this.#epochs = new ConnectionEpochs(deps.database)
  }

  /** With a tenant, for a worker of an HTTP server: `leasesFor` then finds the lease's tenant. */
  async openLease(
    worker: string,
    leaseMs: number,
    tenant?: string,
  ): Promise<{ lease: number; expiresAt: Date }> {
    const values = [checkWorker(worker), checkLeaseMs(leaseMs)]
    // Read first: a lease opened before it would be stale.
    await this.#epochs.now()
    const [row] = await this.#database.query<Record<string, unknown>>(
      tenant === undefined
        ? 'select lease, expires_at from holdfast.open_lease($1, $2)'
        : 'select lease, expires_at from holdfast.open_lease($1, $2, $3)',
      tenant === undefined ? values : [...values, tenant],
    )
    return fromRow(row ?? {})
  }

  /** Returns those of the leases that belong to the tenant: opened for it, or of single jobs of its queues. */
  async leasesFor(tenant: string, leases: readonly number[]): Promise<number[]> {
    const [row] = await this.#database.query<{ leases: number[] }>(
      'select holdfast.leases_for($1, $2::bigint[]) as leases',
      [tenant, leases],
      { repeatable: true },
    )
    return row?.leases ?? []
  }

  /**
   * Ends a lease at once and returns how many jobs it still held. `begun` lists those of them that had started; if omitted, the marks in
   * the database decide. At a `shutdown` they are released uncharged, or paused where the queue says so; for any other reason they are
   * lost. The others are released.
   */
  async closeLease(lease: number, reason = 'shutdown', started?: readonly number[]): Promise<number> {
    return this.#requeue('select holdfast.close_lease($1, $2, $3::bigint[]) as n', [
      lease,
      reason,
      started ?? null,
    ])
  }

  /** A claimer with a memory of its own, for a process that claims again and again. */
  claimer(clock: ClaimerClock = {}): JobClaimer {
    const { database, queues, observers } = this.#deps
    return new JobClaimer({ database, queues, observers, epochs: this.#epochs }, clock)
  }

  /**
   * Takes up to `limit` jobs, without a claimer's memory: the queues in the order given, each from its beginning. Not repeated after a
   * broken connection: the claim may have taken effect, and its jobs return when their lease ends.
   */
  async claim(options: ClaimOptions): Promise<ClaimedJob[]> {
    const { database, queues } = this.#deps
    const queueIds = await queues.ids(options.queues, options.tenant)
    const limit = checkLimit(options.limit ?? 1)
    const epoch = await this.#epochs.of(options)
    return claimBatch(database, queueIds, noFrontier(queueIds), limit, options, epoch)
  }

  /** Claims one job by id; undefined when it is not claimable. */
  async claimById(
    jobId: number,
    options: { worker: string; lease?: number; leaseMs?: number },
  ): Promise<ClaimedJob | undefined> {
    const { since, breaks } = await this.#epochs.of(options)
    const [row] = await this.#database.query<Record<string, unknown>>(
      `select ${CLAIMED_COLUMNS} from holdfast.claim_by_id($1, $2, $3, $4, $5::xid8)`,
      [
        checkWorker(options.worker),
        options.lease ?? null,
        jobId,
        options.leaseMs === undefined ? null : checkLeaseMs(options.leaseMs),
        since,
      ],
      { deadlineMs: DEADLINES.claim, breaks },
    )
    return row === undefined ? undefined : claimedFromRow(row)
  }

  /** Marks jobs as started; returns those that are, now or before. Skips rows that another transaction has locked. */
  start(fences: readonly (Fence & { startedAgoMs?: number })[]): Promise<JobAttempt[]> {
    return this.#database.query<JobAttempt>(
      'select job_id as "jobId", attempt from holdfast.start($1::bigint[], $2::int[], $3::bigint[], $4::int[])',
      [...fenceColumns(fences), startedColumn(fences)],
      { repeatable: true },
    )
  }

  /** `seen` acknowledges revoked attempts of earlier answers; until then every answer lists them. */
  async renew(leases: readonly number[], options: RenewOptions = {}): Promise<Renewed[]> {
    const { seen = [], deadlineMs = DEADLINES.call } = options
    const rows = await this.#database.query<Record<string, unknown>>(
      'select lease, alive, expires_at, cancel, revoked from holdfast.renew($1::bigint[], $2::bigint[], $3::int[])',
      [leases, ...(seen.length === 0 ? [null, null] : attemptColumns(seen))],
      { repeatable: true, deadlineMs },
    )
    return rows.map(renewedFromRow)
  }

  /** Saves progress of a running job. */
  report(report: Report): Promise<Reported> {
    return this.#deps.observers.watching(reportProgress(this.#database, report))
  }

  /** Shows lines that running jobs have logged, in the events of the jobs. Returns of how many jobs. */
  async logLines(lines: readonly LoggedLines[]): Promise<number> {
    const [row] = await this.#database.query<{ n: number }>(
      'select holdfast.log_lines($1::bigint[], $2::int[], $3::bigint[], $4::text[]) as n',
      [
        lines.map(({ jobId }) => jobId),
        lines.map(({ attempt }) => attempt),
        lines.map(({ lease }) => lease),
        lines.map(({ text }) => cleanText(text, LIMITS.logExcerptBytesMax.default, 'tail').text),
      ],
    )
    return row?.n ?? 0
  }

  /**
   * Saves progress and ends the attempt in one transaction: both or neither. A report that reaches the job's item goal has ended the job
   * itself; `ended` is undefined then.
   */
  reportAndFinish(report: Report, ending: Ending): Promise<{ reported: Reported; ended?: Ended }> {
    const saved = this.#database.transaction(async (session) => {
      const reported = await reportProgress(session, report)
      if (reported.done) return { reported }
      const [ended] = await finishAttempts(session, [ending], this.#deps.observers)
      return { reported, ended: ended as Ended }
    })
    return this.#deps.observers.watching(saved)
  }

  /** Ends attempts, each with its own outcome. The answers have the order of the call; a lost lease is an answer, not an exception. */
  finish(endings: readonly Ending[]): Promise<Ended[]> {
    return finishAttempts(this.#database, endings, this.#deps.observers)
  }

  /**
   * Runs `work` and completes the job in one transaction: both commit or neither. `work` writes through the session it gets, which sends
   * SQL as it is written. Throws LeaseLost, after a rollback, when another claim has taken the job over. Never repeated.
   */
  commit<T>(
    ending: Ending | ((value: T) => Ending),
    work: (session: Session) => Promise<T>,
    options: { deadlineMs?: number } = {},
  ): Promise<T> {
    let thrown: { error: unknown } | undefined
    const committed = this.#database.transaction(async (session) => {
      const value = await work(asWritten(session)).catch((error: unknown) => {
        thrown = { error }
        throw error
      })
      await session.query(COMPLETE, completeValues(typeof ending === 'function' ? ending(value) : ending))
      return value
    }, options)
    // An error that `work` threw is the caller's own and stays as it is.
    const outcome = committed.catch((error: unknown) => {
      throw thrown === undefined ? error : thrown.error
    })
    return this.#deps.observers.watching(outcome)
  }

  /** Completes the job as the last statement of the caller's own transaction, which cannot commit after a LeaseLost. */
  commitOn(tx: CallerTransaction, ending: Ending): Promise<State> {
    return this.#deps.observers.watching(this.#completeOn(tx, ending))
  }

  async #completeOn(tx: CallerTransaction, ending: Ending): Promise<State> {
    try {
      const { rows } = await tx.query(inSchema(COMPLETE, this.#deps.schema), completeValues(ending))
      return (rows[0] as { state: State }).state
    } catch (error) {
      throw asHoldfastError(error)
    }
  }

  /**
   * Releases, uncharged, the jobs under the lease that are not listed: those of a claim whose reply was lost. Jobs claimed less than
   * `olderThanMs` ago stay, because their reply may still be on its way.
   */
  releaseUnlisted(lease: number, known: readonly JobAttempt[], olderThanMs: number): Promise<number> {
    return this.#requeue(
      "select holdfast.release_unlisted($1, $2::bigint[], $3::int[], $4 * interval '1 ms') as n",
      [lease, ...attemptColumns(known), wholeMs(olderThanMs) ?? 0],
    )
  }

  /** Records that a worker is alive; the answer contains a pending drain request. Call it as often as you like: it writes rarely. */
  async heartbeat(presence: Presence, { overHttp = false } = {}): Promise<{ drain: boolean }> {
    const { worker, host, pid, version, kinds, queues, tenant, slots, busy, lagMs, draining } = presence
    const { appVersion = null } = presence
    const [row] = await this.#database.query<{ drain: boolean }>(
      'select holdfast.worker_heartbeat($1, $2, $3, $4, $5::text[], $6::text[], $7, $8, $9, $10, $11, $12, $13) as drain',
      [
        checkWorker(worker),
        host,
        pid,
        version,
        [...kinds].sort(),
        [...queues].sort(),
        checkName(tenant, '/tenant'),
        slots,
        busy,
        wholeMs(lagMs) ?? 0,
        draining,
        overHttp,
        appVersion,
      ],
      { repeatable: true },
    )
    return { drain: row?.drain === true }
  }

  /** Removes a worker from the list; with a tenant, only from the workers of that tenant. Does not close its leases. */
  async removeWorker(worker: string, tenant?: string): Promise<void> {
    const values = [worker, tenant ?? null]
    await this.#database.query('select holdfast.remove_worker($1, $2)', values, { repeatable: true })
  }

  /** Records a change of the size of a worker group, as the feed event `workers_scaled`. */
  async recordScale(
    worker: string,
    { group, tenant, from, to, depth, reason }: ScaleDecision,
  ): Promise<void> {
    await this.#database.query('select holdfast.record_scale($1, $2, $3, $4, $5, $6, $7)', [
      checkName(tenant, '/tenant'),
      checkName(group, '/group'),
      checkWorker(worker),
      from,
      to,
      reason,
      depth,
    ])
  }

  /** Returns parked jobs of these kinds to their queues, because a worker that handles them has arrived; at most `limit` a call. */
  async unpark(
    queues: readonly string[],
    kinds: readonly string[],
    tenant?: string,
    limit = 1_000,
  ): Promise<number> {
    const queueIds = await this.#deps.queues.ids(queues, tenant)
    return this.#requeue('select holdfast.unpark($1::int[], $2::text[], $3) as n', [
      queueIds,
      kinds,
      checkLimit(limit),
    ])
  }

  /** How many jobs could be claimed now, counted up to `countMax`. */
  async depth(queues: readonly string[], countMax = 1_000, tenant?: string): Promise<number> {
    const queueIds = await this.#deps.queues.ids(queues, tenant)
    return this.#count('select holdfast.depth($1::int[], $2) as n', [queueIds, countMax])
  }

  /** The number of claimable jobs by kind, each queue counted up to `countMax`. */
  async depthByKind(options: WorkerScope & { countMax: number }): Promise<KindDepth[]> {
    const queueIds = await this.#deps.queues.ids(options.queues, options.tenant)
    return depthByKind(this.#database, queueIds, options.countMax)
  }

  /** Returns the queues that have claimable jobs; promotes due jobs first. */
  async queuesWithWork(options: WorkerScope): Promise<string[]> {
    const queueIds = await this.#deps.queues.ids(options.queues, options.tenant)
    const [row] = await this.#database.query<{ ids: number[] }>(
      'select holdfast.queues_with_work($1::int[]) as ids',
      [queueIds],
      { repeatable: true, often: true },
    )
    return (row?.ids ?? []).flatMap((id) => this.#deps.queues.nameOf(id) ?? [])
  }

  /** Whether a claim would find a job now or soon, or this worker still holds one. */
  async hasWork(options: Pick<ClaimAsk, 'worker' | 'lease' | 'queues' | 'tenant'>): Promise<boolean> {
    const queueIds = await this.#deps.queues.ids(options.queues, options.tenant)
    return hasWork(this.#database, queueIds, checkWorker(options.worker), options.lease)
  }

  queueName(queueId: number): string | undefined {
    return this.#deps.queues.nameOf(queueId)
  }

  breaks(): number {
    return this.#database.breaks?.() ?? 0
  }

  /** Runs a verb that makes jobs claimable again, and wakes workers for them. */
  async #requeue(text: string, values: unknown[]): Promise<number> {
    const moved = await this.#count(text, values)
    if (moved > 0) this.#deps.notifier.wakeAll()
    return moved
  }

  async #count(text: string, values: unknown[]): Promise<number> {
    const [row] = await this.#database.query<{ n: number }>(text, values, { repeatable: true })
    return row?.n ?? 0
  }
}

function checkWorker(name: string): string {
  return checkName(name, '/worker')
}
