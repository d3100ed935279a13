/** What workers do. Every write carries the fence of its claim; a write that no longer holds it changes nothing and says so. */
import type { State } from '../domain/states.js'
import { checkLeaseMs, checkName, checkWholeOf } from '../domain/validate.js'
import { asHoldfastError } from './broken.js'
import { askForJobs, CLAIMED } from './claiming.js'
import { type Database, DEADLINES, type Session } from './database.js'
import { attemptColumns, COMPLETE, completeValues, fenceColumns, finishIn, startedColumn } from './ending.js'
import type { HintedClaims } from './full-pass.js'
import { depthByKind, type KindDepth } from './gauges.js'
import { type HintColumns, noHints } from './hints.js'
import type { Observers } from './observed.js'
import type { CallerTransaction } from './produce.js'
import type { Queues } from './queues.js'
import { reportIn } from './reporting.js'
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
import { wholeMs } from './said.js'
import { inSchema } from './schema.js'
import { Standings } from './standing.js'
import type { Turns } from './turns.js'
import type { Waker } from './waker.js'

/** Queues of one tenant. */
interface WorkOf {
  readonly queues: readonly string[]
  readonly tenant?: string
}

export interface ClaimOptions extends WorkOf {
  /** The worker's name, as people will read it in the attempts log. */
  readonly worker: string
  /** The worker's open lease; without one each job gets a lease of its own. */
  readonly lease?: number
  readonly limit?: number
  /** Length of the leases of their own, instead of the queue's. */
  readonly leaseMs?: number
  /** What this claimer remembers of its earlier claims; keep one for as long as the claimer lives. */
  readonly hints?: HintedClaims
  /** Jobs were found beside this call, which the next one hands out: do not wait with it. */
  readonly found?: () => void
  /** Whose turn it is among the queues; keep one for as long as the claimer lives. */
  readonly turns?: Turns
}

export class Work {
  readonly #database: Database
  readonly #queues: Queues
  readonly #waker: Waker
  readonly #schema: string
  readonly #observers: Observers
  readonly #standings: Standings

  constructor(database: Database, queues: Queues, waker: Waker, schema: string, observers: Observers) {
    this.#database = database
    this.#queues = queues
    this.#waker = waker
    this.#schema = schema
    this.#observers = observers
    this.#standings = new Standings(database)
  }

  /** With a tenant, for a worker that speaks to a server: `leasesFor` then knows whose it is. */
  async openLease(
    worker: string,
    leaseMs: number,
    tenant?: string,
  ): Promise<{ lease: number; expiresAt: Date }> {
    const values = [checkWorker(worker), checkLeaseMs(leaseMs)]
    // Asked first: a lease opened before the answer would not serve.
    await this.#standings.now()
    const [row] = await this.#database.query<Record<string, unknown>>(
      tenant === undefined
        ? 'select lease, expires_at from holdfast.open_lease($1, $2)'
        : 'select lease, expires_at from holdfast.open_lease_for($3, $1, $2)',
      tenant === undefined ? values : [...values, tenant],
    )
    return fromRow(row ?? {})
  }

  /** Those of these leases that are this tenant's: opened for it, or of single jobs of its queues. */
  async leasesFor(tenant: string, leases: readonly number[]): Promise<number[]> {
    const [row] = await this.#database.query<{ leases: number[] }>(
      'select holdfast.leases_for($1, $2::bigint[]) as leases',
      [tenant, leases],
      { repeatable: true },
    )
    return row?.leases ?? []
  }

  /** Ends a lease at once; what it still holds is released and not charged. Answers how many jobs that were. */
  async closeLease(lease: number, reason = 'shutdown'): Promise<number> {
    return this.#bring('select holdfast.close_lease($1, $2) as n', [lease, reason])
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

  async #claimFrom(queueIds: readonly number[], options: ClaimOptions): Promise<ClaimedJob[]> {
    const limit = checkLimit(options.limit ?? 1)
    if (options.hints === undefined) return this.#ask(queueIds, noHints(queueIds), limit, options)
    return this.#claimHinted(options.hints, queueIds, limit, options)
  }

  async #claimHinted(
    hints: HintedClaims,
    queueIds: readonly number[],
    limit: number,
    options: ClaimOptions,
  ): Promise<ClaimedJob[]> {
    const claimed = await hints.claim(queueIds, limit, {
      ask: (asked, columns, most) => this.#ask(asked, columns, most, options),
      giveBack: (jobs) => this.finish(jobs.map(unfetched)),
      found: options.found,
    })
    // What a full pass found under a lease that has been given up since is not ours any more.
    const isOurs = ({ lease, expiresAt }: ClaimedJob) => expiresAt !== null || lease === options.lease
    const strays = claimed.filter((job) => !isOurs(job))
    if (strays.length > 0) this.finish(strays.map(unfetched)).catch(() => {})
    return strays.length === 0 ? claimed : claimed.filter(isOurs)
  }

  async #ask(queueIds: readonly number[], columns: HintColumns, limit: number, options: ClaimOptions) {
    return askForJobs(this.#database, queueIds, columns, limit, options, await this.#standings.of(options))
  }

  /** Claims one job by id; undefined: it is not yours. */
  async claimById(
    jobId: number,
    options: { worker: string; lease?: number; leaseMs?: number },
  ): Promise<ClaimedJob | undefined> {
    const { since, breaks } = await this.#standings.of(options)
    const [row] = await this.#database.query<Record<string, unknown>>(
      `select ${CLAIMED} from holdfast.claim_by_id($1, $2, $3, $4, $5::xid8)`,
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

  /** Notes that jobs have begun; answers those that are noted, now or before. A row that somebody has locked is skipped. */
  start(fences: readonly (Fence & { startedAgoMs?: number })[]): Promise<JobAttempt[]> {
    return this.#database.query<JobAttempt>(
      'select job_id as "jobId", attempt from holdfast.start($1::bigint[], $2::int[], $3::bigint[], $4::int[])',
      [...fenceColumns(fences), startedColumn(fences)],
      { repeatable: true },
    )
  }

  /** `seen` acknowledges revoked attempts of earlier answers; until then each answer has them. */
  async renew(leases: readonly number[], options: RenewOptions = {}): Promise<Renewed[]> {
    const { seen = [], deadlineMs = DEADLINES.call } = options
    const rows = await this.#database.query<Record<string, unknown>>(
      'select lease, alive, expires_at, cancel, revoked from holdfast.renew($1::bigint[], $2::bigint[], $3::int[])',
      [leases, ...(seen.length === 0 ? [null, null] : attemptColumns(seen))],
      { repeatable: true, deadlineMs },
    )
    return rows.map(renewedFromRow)
  }

  /** A word on a job we are still at. */
  report(report: Report): Promise<Reported> {
    return this.#observers.watching(reportIn(this.#database, report))
  }

  /** Ends attempts, each with its own outcome. Answers in the order asked; a lost lease is an answer, not an exception. */
  async finish(endings: readonly Ending[]): Promise<Ended[]> {
    const ended = await finishIn(this.#database, endings)
    if (!this.#observers.none) this.#observers.refused(ended.filter(({ accepted }) => !accepted).length)
    return ended
  }

  /**
   * What the job did and its completion in one transaction: `work` writes through the session it is given, and either all of it
   * counts or nothing. Throws LeaseLost, with everything undone, when the attempt is not ours any more. Never repeated.
   */
  commit<T>(
    ending: Ending | ((value: T) => Ending),
    work: (session: Session) => Promise<T>,
    options: { deadlineMs?: number } = {},
  ): Promise<T> {
    let thrown: { error: unknown } | undefined
    const carried = this.#database.transaction(async (session) => {
      const value = await work(session).catch((error: unknown) => {
        thrown = { error }
        throw error
      })
      await session.query(COMPLETE, completeValues(typeof ending === 'function' ? ending(value) : ending))
      return value
    }, options)
    // What the work itself threw is the caller's own and not ours to translate.
    const told = carried.catch((error: unknown) => {
      throw thrown === undefined ? error : thrown.error
    })
    return this.#observers.watching(told)
  }

  /** The same in a transaction of the caller's, as its last word: when this throws LeaseLost, the transaction cannot commit any more. */
  commitOn(tx: CallerTransaction, ending: Ending): Promise<State> {
    return this.#observers.watching(this.#completeOn(tx, ending))
  }

  async #completeOn(tx: CallerTransaction, ending: Ending): Promise<State> {
    try {
      const { rows } = await tx.query(inSchema(COMPLETE, this.#schema), completeValues(ending))
      return (rows[0] as { state: State }).state
    } catch (error) {
      throw asHoldfastError(error)
    }
  }

  /**
   * Releases, uncharged, what the lease holds beyond these attempts: the claim whose reply was lost. What was claimed less than
   * `olderThanMs` ago is left alone, because its reply may still be on its way.
   */
  keep(lease: number, known: readonly JobAttempt[], olderThanMs: number): Promise<number> {
    return this.#bring("select holdfast.keep($1, $2::bigint[], $3::int[], $4 * interval '1 ms') as n", [
      lease,
      ...attemptColumns(known),
      wholeMs(olderThanMs) ?? 0,
    ])
  }

  /** Sends parked jobs of these kinds back to work: a worker that knows them has come. At most `limit` at once. */
  async unpark(options: WorkOf & { kinds: readonly string[]; limit?: number }): Promise<number> {
    const queueIds = await this.#queues.ids(options.queues, options.tenant)
    const limit = checkLimit(options.limit ?? 1_000)
    return this.#bring('select holdfast.unpark($1::int[], $2::text[], $3) as n', [
      queueIds,
      options.kinds,
      limit,
    ])
  }

  /** How many jobs could be claimed now, counted up to `most`. */
  async depth(options: WorkOf & { most?: number }): Promise<number> {
    const queueIds = await this.#queues.ids(options.queues, options.tenant)
    return this.#count('select holdfast.depth($1::int[], $2) as n', [queueIds, options.most ?? 1_000])
  }

  /** Those of these queues that have something to claim; what has fallen due is brought in first. */
  async queuesWithWork(options: WorkOf): Promise<string[]> {
    const queueIds = await this.#queues.ids(options.queues, options.tenant)
    const [row] = await this.#database.query<{ ids: number[] }>(
      'select holdfast.queues_with_work($1::int[]) as ids',
      [queueIds],
      { repeatable: true, often: true },
    )
    return (row?.ids ?? []).flatMap((id) => this.#queues.nameOf(id) ?? [])
  }

  /** The same by kind, each queue counted up to `most` by itself. */
  async depthByKind(options: WorkOf & { most: number }): Promise<KindDepth[]> {
    const queueIds = await this.#queues.ids(options.queues, options.tenant)
    return depthByKind(this.#database, queueIds, options.most)
  }

  /** What goes back to work is work for others, too. */
  async #bring(text: string, values: unknown[]): Promise<number> {
    const moved = await this.#count(text, values)
    if (moved > 0) this.#waker.wakeAll()
    return moved
  }

  async #count(text: string, values: unknown[]): Promise<number> {
    const [row] = await this.#database.query<{ n: number }>(text, values, { repeatable: true })
    return row?.n ?? 0
  }
}

function unfetched({ jobId, attempt, lease }: Fence): Ending {
  return { jobId, attempt, lease, outcome: 'released', reason: 'nobody fetched it' }
}

function checkWorker(name: string): string {
  return checkName(name, '/worker')
}

function checkLimit(limit: number): number {
  return checkWholeOf(limit, '/limit', 'batchMax')
}
