/** What producers do: make jobs, in a transaction of their own or in the caller's, and let pending ones go. */
import { createHash, randomUUID } from 'node:crypto'
import { holdfastError } from '../domain/errors.js'
import { mapInSlices } from '../domain/give-way.js'
import type { State } from '../domain/states.js'
import { checkBatch, checkIdempotencyKey, checkName } from '../domain/validate.js'
import { isHeld } from './broken.js'
import { type Database, DEADLINES } from './database.js'
import { Gathering } from './gathering.js'
import { HeldJobs } from './held-jobs.js'
import { FIRST_WAIT_MS, HELD, type LockWaits, type Patience } from './lock-waits.js'
import { BATCH_MAX, type NewJob, type WrittenJob, writeJob } from './new-job.js'
import type { Observers } from './observed.js'
import { type Act, actValues } from './operate.js'
import { fromRow } from './rows.js'
import { inSchema } from './schema.js'
import type { Waker } from './waker.js'

/** Anything that runs SQL text with values inside your transaction: a pg client, or a small adapter of another library's. */
export interface CallerTransaction {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>
}

export interface EnqueueOptions {
  readonly tenant?: string
  /** The job exists if and when this transaction commits. */
  readonly tx?: CallerTransaction
  /** The same call with the same key, up to a day later, answers the same and makes nothing. */
  readonly idempotencyKey?: string
  /** False, for a transaction that is to be prepared (two-phase commit), which must not notify: workers find the job when they next ask. */
  readonly wake?: boolean
  /** False: the job has all that its kind declares already, and the database need not look. */
  readonly byKind?: boolean
}

export interface Enqueued {
  readonly jobId: number
  /** True: a live job had the key already, and this is its id. */
  readonly deduplicated: boolean
}

const ENQUEUE_MANY =
  'select n, job_id, status from holdfast.enqueue_many($1::text::jsonb, $2, $3, $4, $5, $6::text[], $7, $8, $9, $10)'

type Answer = Enqueued | Error | typeof HELD

export class Producer {
  readonly #database: Database
  readonly #schema: string
  readonly #waker: Waker
  readonly #observers: Observers
  readonly #waits: LockWaits
  readonly #plain: Gathering<WrittenJob, Enqueued>
  /** Apart, because these may have to wait for a transaction that is open. */
  readonly #keyed: Gathering<WrittenJob, Enqueued>
  readonly #held: HeldJobs<Enqueued>

  constructor(database: Database, schema: string, waker: Waker, observers: Observers, waits: LockWaits) {
    this.#waits = waits
    this.#database = database
    this.#schema = schema
    this.#waker = waker
    this.#observers = observers
    const send = (tenant: string, jobs: WrittenJob[], patience: Patience = FIRST_PATIENCE) =>
      this.#insert(jobs, tenant, ownRequest(), patience)
    this.#plain = new Gathering((group, jobs) => send(tenantOf(group), jobs))
    this.#keyed = new Gathering((group, jobs) => send(tenantOf(group), jobs))
    this.#held = new HeldJobs(this.#waits, (tenant, jobs, patience) =>
      send(tenant, jobs, patience).catch((error: unknown) => {
        if (!isHeld(error)) throw error
        return jobs.map(() => HELD)
      }),
    )
  }

  /**
   * Accepts one job. Calls made at the same time share one INSERT; each promise resolves after its commit, and a job the
   * database refuses fails alone.
   */
  async enqueue(job: NewJob, options: EnqueueOptions = {}): Promise<Enqueued> {
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

  /** Accepts many jobs at once: all of them or, when one is refused, none. */
  async enqueueMany(jobs: readonly NewJob[], options: EnqueueOptions = {}): Promise<Enqueued[]> {
    checkBatch(jobs, '/jobs', BATCH_MAX)
    const written = await mapInSlices(jobs, (job, index) => writeJob(job, `/jobs/${index}`, options.byKind))
    const answers = await this.#send(written, checkTenant(options.tenant), options, true)
    return answers.map((answer) => {
      if (answer instanceof Error) throw answer
      return answer as Enqueued
    })
  }

  /** Lets a pending job go; answers the state it is in then. */
  async release(jobId: number, act: Act = {}): Promise<State> {
    const [row] = await this.#database.query<{ state: State }>(
      'select holdfast.release($1, $2, $3) as state',
      [jobId, ...actValues(act)],
    )
    if (row?.state === 'queued') this.#waker.wakeQueueOf(jobId)
    return row?.state as State
  }

  async #send(
    jobs: readonly WrittenJob[],
    tenant: string,
    { tx, idempotencyKey, wake = true }: EnqueueOptions,
    all: boolean,
  ): Promise<Answer[]> {
    if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey)
    if (tx === undefined) {
      const request = idempotencyKey === undefined ? ownRequest() : requestOf(jobs, idempotencyKey)
      return this.#waits.call((patience) => this.#insert(jobs, tenant, request, patience, all))
    }
    const request = requestOf(jobs, idempotencyKey ?? null)
    const { rows } = await tx.query(
      inSchema(ENQUEUE_MANY, this.#schema),
      values(jobs, tenant, request, { settle: false, waitMs: null, wake: wake && this.#waker.isOn, all }),
    )
    return this.#answers(jobs, tenant, rows)
  }

  async #insert(
    jobs: readonly WrittenJob[],
    tenant: string,
    request: Request,
    { waitMs, deadlineMs }: Patience,
    all = false,
  ): Promise<Answer[]> {
    const queues = queuesWithWork(jobs)
    const wake = this.#waker.carried(queues)
    const rows = await this.#database.query(
      ENQUEUE_MANY,
      values(jobs, tenant, request, { settle: true, waitMs, wake, all }),
      { repeatable: true, often: true, deadlineMs },
    )
    if (!wake) this.#waker.wake(tenant, queues)
    return this.#answers(jobs, tenant, rows)
  }

  #answers(jobs: readonly WrittenJob[], tenant: string, rows: readonly unknown[]): Answer[] {
    const answers = rows.map(answerOf)
    if (!this.#observers.none) this.#observers.enqueued(tenant, madeByQueue(jobs, answers))
    return answers
  }
}

/** Jobs of one tenant travel together, apart from those whose kind the database has to look up. */
const groupOf = (tenant: string, { byKind }: WrittenJob) => `${byKind ? '+' : '-'}${tenant}`
const tenantOf = (group: string) => group.slice(1)

const FIRST_PATIENCE: Patience = { waitMs: FIRST_WAIT_MS, deadlineMs: DEADLINES.call }

function madeByQueue(jobs: readonly WrittenJob[], answers: readonly Answer[]): Map<string, number> {
  const made = new Map<string, number>()
  answers.forEach((answer, index) => {
    const queue = jobs[index]?.queue
    if (queue === undefined || answer instanceof Error || answer === HELD || answer.deduplicated) return
    made.set(queue, (made.get(queue) ?? 0) + 1)
  })
  return made
}

/** Jobs for later wake nobody. */
function queuesWithWork(jobs: readonly WrittenJob[]): string[] {
  return [...new Set(jobs.filter((job) => job.due).map((job) => job.queue))]
}

interface How {
  /** The call is a transaction of its own. */
  readonly settle: boolean
  /** How long it waits for locks; null: as the caller's transaction does. */
  readonly waitMs: number | null
  /** Its commit wakes workers. */
  readonly wake: boolean
  /** All of the jobs, or none. */
  readonly all: boolean
}

function values(
  jobs: readonly WrittenJob[],
  tenant: string,
  { key, fingerprint }: Request,
  { settle, waitMs, wake, all }: How,
): unknown[] {
  const plainQueues = jobs.every((job) => job.plain) ? [...new Set(jobs.map((job) => job.queue))] : null
  return [jsonOf(jobs), tenant, key, fingerprint, settle, plainQueues, waitMs, wake, jobs[0]?.byKind, all]
}

/** What makes a call the same as an earlier one. */
interface Request {
  readonly key: string | null
  /** Of what was asked for: the same key for something else is a mistake. */
  readonly fingerprint: string | null
}

/** A COMMIT whose reply was lost is sent again and answers the same. Nobody else can have this key, so there is nothing to compare. */
function ownRequest(): Request {
  return { key: randomUUID(), fingerprint: null }
}

function requestOf(jobs: readonly WrittenJob[], key: string | null): Request {
  return { key, fingerprint: key === null ? null : fingerprintOf(jobs) }
}

function jsonOf(jobs: readonly WrittenJob[]): string {
  return `[${jobs.map(({ json }) => json).join(',')}]`
}

/** Of what is asked for; without a trace that is the whole text. */
function fingerprintOf(jobs: readonly WrittenJob[]): string {
  const asked = jobs.every((job) => job.unasked === 0)
    ? jsonOf(jobs)
    : `[${jobs.map(({ json, unasked }) => `${json.slice(0, json.length - unasked - 1)}}`).join(',')}]`
  return createHash('sha256').update(asked).digest('base64')
}

function answerOf(row: unknown): Answer {
  const { jobId, status } = fromRow<{ jobId: number | string; status: string }>(
    row as Record<string, unknown>,
  )
  if (status === 'busy') return HELD
  // In the caller's transaction the rows come through the caller's driver, which may hand out int8 as text.
  const id = Number(jobId)
  if (status === 'rejected') return holdfastError('key_taken', { job: id })
  return { jobId: id, deduplicated: status === 'existing' }
}

function checkTenant(tenant: string | undefined): string {
  return tenant === undefined ? 'default' : checkName(tenant, '/tenant')
}
