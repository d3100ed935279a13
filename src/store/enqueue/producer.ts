/** Enqueues jobs, in a transaction of their own or in the caller's, and publishes pending jobs. */
import { createHash, randomUUID } from 'node:crypto'
import { type Database, DEADLINES } from '../../database/database.js'
import { isHeld } from '../../database/database-errors.js'
import type { StoreObservers } from '../../database/instrumented.js'
import { FIRST_WAIT_MS, HELD, type LockWaits, type Patience } from '../../database/lock-waits.js'
import { inSchema } from '../../database/schema.js'
import { holdfastError } from '../../domain/errors/errors.js'
import { mapInSlices } from '../../domain/give-way.js'
import type { State } from '../../domain/states/states.js'
import { checkBatch, checkIdempotencyKey, checkName } from '../../domain/validate.js'
import { type Attribution, attributionValues } from '../job-commands.js'
import type { Notifier } from '../notify/notifier.js'
import { fromRow } from '../rows.js'
import { EnqueueBatcher } from './enqueue-batcher.js'
import { LockedKeyJobs } from './locked-key-jobs.js'
import { BATCH_MAX, type NewJob, type WrittenJob, writeJob } from './new-job.js'

/** Anything that runs SQL text with values inside your transaction: a pg client, or a small adapter for another library. */
export interface CallerTransaction {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>
}

export interface StoreEnqueueOptions {
  readonly tenant?: string
  /** The job exists if and when this transaction commits. */
  readonly tx?: CallerTransaction
  /** A call with the same key, up to a day later, returns the same answer and creates nothing. */
  readonly idempotencyKey?: string
  /** False for a transaction that will be prepared (two-phase commit) and so must not notify: workers find the job at their next poll. */
  readonly wake?: boolean
  /** False: the job already has every field that its kind declares, and the database need not look them up. */
  readonly byKind?: boolean
}

export interface Enqueued {
  readonly jobId: number
  /** True: a live job already had the key, and this is its id. */
  readonly deduplicated: boolean
}

const ENQUEUE_MANY =
  'select n, job_id, status from holdfast.enqueue_many($1::text::jsonb, $2, $3, $4, $5, $6::text[], $7, $8, $9, $10)'

type EnqueueAnswer = Enqueued | Error | typeof HELD

export class Producer {
  readonly #database: Database
  readonly #schema: string
  readonly #notifier: Notifier
  readonly #observers: StoreObservers
  readonly #waits: LockWaits
  readonly #plain: EnqueueBatcher<WrittenJob, Enqueued>
  /** Separate, because these may have to wait for another transaction. */
  readonly #keyed: EnqueueBatcher<WrittenJob, Enqueued>
  readonly #held: LockedKeyJobs<Enqueued>

  constructor(
    database: Database,
    schema: string,
    notifier: Notifier,
    observers: StoreObservers,
    waits: LockWaits,
  ) {
    this.#waits = waits
    this.#database = database
    this.#schema = schema
    this.#notifier = notifier
    this.#observers = observers
    const send = (tenant: string, jobs: WrittenJob[], patience: Patience = FIRST_PATIENCE) =>
      this.#insert(jobs, tenant, ownRequest(), patience)
    this.#plain = new EnqueueBatcher((group, jobs) => send(tenantOf(group), jobs))
    this.#keyed = new EnqueueBatcher((group, jobs) => send(tenantOf(group), jobs))
    this.#held = new LockedKeyJobs(this.#waits, (tenant, jobs, patience) =>
      send(tenant, jobs, patience).catch((error: unknown) => {
        if (!isHeld(error)) throw error
        return jobs.map(() => HELD)
      }),
    )
  }

  /**
   * Enqueues one job. Concurrent calls share one INSERT; each promise resolves after its commit, and a job that the database refuses fails
   * alone.
   */
  async enqueue(job: NewJob, options: StoreEnqueueOptions = {}): Promise<Enqueued> {
    const written = writeJob(job, '', options.byKind)
    const tenant = checkTenant(options.tenant)
    const answer =
      options.tx || options.idempotencyKey !== undefined
        ? (await this.#send([written], tenant, options, false))[0]
        : await this.#gather(written, tenant)
    if (answer instanceof Error) throw answer
    return answer as Enqueued
  }

  async #gather(job: WrittenJob, tenant: string): Promise<Enqueued | Error> {
    if (this.#held.has(tenant, job)) return this.#held.add(tenant, job)
    const answer = await (job.key === undefined ? this.#plain : this.#keyed).add(groupOf(tenant, job), job)
    return answer === HELD ? this.#held.add(tenant, job) : answer
  }

  /** Enqueues many jobs: all of them or, when one is refused, none. */
  async enqueueMany(jobs: readonly NewJob[], options: StoreEnqueueOptions = {}): Promise<Enqueued[]> {
    checkBatch(jobs, '/jobs', BATCH_MAX)
    const written = await mapInSlices(jobs, (job, index) => writeJob(job, `/jobs/${index}`, options.byKind))
    const answers = await this.#send(written, checkTenant(options.tenant), options, true)
    return answers.map((answer) => {
      if (answer instanceof Error) throw answer
      return answer as Enqueued
    })
  }

  /** Publishes a pending job; returns its new state. */
  async publish(jobId: number, act: Attribution = {}): Promise<State> {
    const [row] = await this.#database.query<{ state: State }>(
      'select holdfast.publish($1, $2, $3) as state',
      [jobId, ...attributionValues(act)],
    )
    if (row?.state === 'queued') this.#notifier.wakeQueueOf(jobId)
    return row?.state as State
  }

  async #send(
    jobs: readonly WrittenJob[],
    tenant: string,
    { tx, idempotencyKey, wake = true }: StoreEnqueueOptions,
    all: boolean,
  ): Promise<EnqueueAnswer[]> {
    if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey)
    if (tx === undefined) {
      const request = idempotencyKey === undefined ? ownRequest() : requestOf(jobs, idempotencyKey)
      return this.#waits.call((patience) => this.#insert(jobs, tenant, request, patience, all))
    }
    const request = requestOf(jobs, idempotencyKey ?? null)
    const { rows } = await tx.query(
      inSchema(ENQUEUE_MANY, this.#schema),
      values(jobs, tenant, request, { settle: false, waitMs: null, wake: wake && this.#notifier.isOn, all }),
    )
    return this.#answers(jobs, tenant, rows)
  }

  async #insert(
    jobs: readonly WrittenJob[],
    tenant: string,
    request: Request,
    { waitMs, deadlineMs }: Patience,
    all = false,
  ): Promise<EnqueueAnswer[]> {
    const queues = queuesWithWork(jobs)
    const wake = this.#notifier.carried(queues)
    const rows = await this.#database.query(
      ENQUEUE_MANY,
      values(jobs, tenant, request, { settle: true, waitMs, wake, all }),
      { repeatable: true, often: true, deadlineMs },
    )
    if (!wake) this.#notifier.wake(tenant, queues)
    return this.#answers(jobs, tenant, rows)
  }

  #answers(jobs: readonly WrittenJob[], tenant: string, rows: readonly unknown[]): EnqueueAnswer[] {
    const answers = rows.map(answerOf)
    if (!this.#observers.none) this.#observers.enqueued(tenant, madeByQueue(jobs, answers))
    return answers
  }
}

/** Jobs of one tenant share a batch, separate from jobs whose kind the database has to look up. */
const groupOf = (tenant: string, { byKind }: WrittenJob) => `${byKind ? '+' : '-'}${tenant}`
const tenantOf = (group: string) => group.slice(1)

const FIRST_PATIENCE: Patience = { waitMs: FIRST_WAIT_MS, deadlineMs: DEADLINES.call }

function madeByQueue(jobs: readonly WrittenJob[], answers: readonly EnqueueAnswer[]): Map<string, number> {
  const made = new Map<string, number>()
  answers.forEach((answer, index) => {
    const queue = jobs[index]?.queue
    if (queue === undefined || answer instanceof Error || answer === HELD || answer.deduplicated) return
    made.set(queue, (made.get(queue) ?? 0) + 1)
  })
  return made
}

/** Jobs for later wake no claimer. */
function queuesWithWork(jobs: readonly WrittenJob[]): string[] {
  return [...new Set(jobs.filter((job) => job.due).map((job) => job.queue))]
}

interface SendOptions {
  /** The call is its own transaction. */
  readonly settle: boolean
  /** SendOptions long it waits for locks; null: as long as the caller's transaction does. */
  readonly waitMs: number | null
  /** Its commit notifies workers. */
  readonly wake: boolean
  /** All jobs or none. */
  readonly all: boolean
}

function values(
  jobs: readonly WrittenJob[],
  tenant: string,
  { key, fingerprint }: Request,
  { settle, waitMs, wake, all }: SendOptions,
): unknown[] {
  const plainQueues = jobs.every((job) => job.plain) ? [...new Set(jobs.map((job) => job.queue))] : null
  return [jsonOf(jobs), tenant, key, fingerprint, settle, plainQueues, waitMs, wake, jobs[0]?.byKind, all]
}

/** Identifies a repeated call. */
interface Request {
  readonly key: string | null
  /** A hash of the request: the same key with another request is a mistake of the caller. */
  readonly fingerprint: string | null
}

/** For a COMMIT whose reply was lost: sent again with the same random key, it returns the same answer. No other call has this key, so no hash is needed. */
function ownRequest(): Request {
  return { key: randomUUID(), fingerprint: null }
}

function requestOf(jobs: readonly WrittenJob[], key: string | null): Request {
  return { key, fingerprint: key === null ? null : fingerprintOf(jobs) }
}

function jsonOf(jobs: readonly WrittenJob[]): string {
  return `[${jobs.map(({ json }) => json).join(',')}]`
}

/** The request without the trace context. */
function fingerprintOf(jobs: readonly WrittenJob[]): string {
  const asked = jobs.every((job) => job.unasked === 0)
    ? jsonOf(jobs)
    : `[${jobs.map(({ json, unasked }) => `${json.slice(0, json.length - unasked - 1)}}`).join(',')}]`
  return createHash('sha256').update(asked).digest('base64')
}

function answerOf(row: unknown): EnqueueAnswer {
  const { jobId, status } = fromRow<{ jobId: number | string; status: string }>(
    row as Record<string, unknown>,
  )
  if (status === 'busy') return HELD
  // In the caller's transaction the rows come from the caller's driver, which may return int8 as text.
  const id = Number(jobId)
  if (status === 'rejected') return holdfastError('key_taken', { job: id })
  return { jobId: id, deduplicated: status === 'existing' }
}

function checkTenant(tenant: string | undefined): string {
  return tenant === undefined ? 'default' : checkName(tenant, '/tenant')
}
