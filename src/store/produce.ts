/** What producers do: make jobs, in a transaction of their own or in the caller's, and let pending ones go. */
import { createHash, randomUUID } from 'node:crypto'
import { holdfastError } from '../domain/errors.js'
import { mapInSlices } from '../domain/give-way.js'
import type { State } from '../domain/states.js'
import { checkBatch, checkIdempotencyKey, checkName } from '../domain/validate.js'
import type { Database } from './database.js'
import { Gathering } from './gathering.js'
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
}

export interface Enqueued {
  readonly jobId: number
  /** True: a live job had the key already, and this is its id. */
  readonly deduplicated: boolean
}

const ENQUEUE_MANY =
  'select n, job_id, status from holdfast.enqueue_many($1::text::jsonb, $2, $3, $4, $5, $6::text[])'

/** One job, and the word of it in the same commit. */
const ENQUEUE_AND_WAKE =
  'select n, job_id, status, holdfast.wake($7::int[]) from holdfast.enqueue_many($1::text::jsonb, $2, $3, $4, $5, $6::text[])'

/** Many, but a job whose key is taken where the queue rejects that undoes all of them. */
const ENQUEUE_ALL = `select n, job_id, status, case status when 'rejected' then
    holdfast.refuse('key_taken', format('Job %s has the key of the job at /jobs/%s and has not ended.', job_id, n - 1),
      jsonb_build_object('job_id', job_id, 'path', format('/jobs/%s/key', n - 1)))::text end
  from holdfast.enqueue_many($1::text::jsonb, $2, $3, $4, $5, $6::text[])`

export class Producer {
  readonly #database: Database
  readonly #schema: string
  readonly #gathering: Gathering<WrittenJob, Enqueued>
  readonly #waker: Waker
  readonly #observers: Observers

  constructor(database: Database, schema: string, waker: Waker, observers: Observers) {
    this.#database = database
    this.#schema = schema
    this.#waker = waker
    this.#observers = observers
    this.#gathering = new Gathering((tenant, jobs) =>
      jobs.length === 1 ? this.#insertOne(jobs, tenant) : this.#insert(jobs, tenant, undefined),
    )
  }

  /**
   * Accepts one job. Calls made at the same time share one INSERT; each promise resolves after its commit, and a job the
   * database refuses fails alone.
   */
  async enqueue(job: NewJob, options: EnqueueOptions = {}): Promise<Enqueued> {
    const written = writeJob(job)
    const tenant = checkTenant(options.tenant)
    const answer =
      options.tx || options.idempotencyKey !== undefined
        ? (await this.#send([written], tenant, options))[0]
        : await this.#gathering.add(tenant, written)
    if (answer instanceof Error) throw answer
    return answer as Enqueued
  }

  /** Accepts many jobs at once: all of them or, when one is refused, none. */
  async enqueueMany(jobs: readonly NewJob[], options: EnqueueOptions = {}): Promise<Enqueued[]> {
    checkBatch(jobs, '/jobs', BATCH_MAX)
    const written = await mapInSlices(jobs, (job, index) => writeJob(job, `/jobs/${index}`))
    const answers = await this.#send(written, checkTenant(options.tenant), options, ENQUEUE_ALL)
    return answers.map((answer) => {
      if (answer instanceof Error) throw answer
      return answer
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
    { tx, idempotencyKey }: EnqueueOptions,
    statement = ENQUEUE_MANY,
  ): Promise<(Enqueued | Error)[]> {
    if (idempotencyKey !== undefined) checkIdempotencyKey(idempotencyKey)
    if (tx === undefined) return this.#insert(jobs, tenant, idempotencyKey, statement)
    const { rows } = await tx.query(
      inSchema(statement, this.#schema),
      values(jobs, tenant, requestOf(jobs, idempotencyKey ?? null), false),
    )
    this.#waker.wakeLater(tenant, queuesWithWork(jobs))
    return this.#answers(jobs, tenant, rows)
  }

  async #insertOne(jobs: readonly WrittenJob[], tenant: string): Promise<(Enqueued | Error)[]> {
    const ids = this.#waker.carried(tenant, queuesWithWork(jobs))
    if (ids === null) return this.#insert(jobs, tenant, undefined)
    const given = [...values(jobs, tenant, ownRequest(), true), ids]
    const rows = await this.#database.query(ENQUEUE_AND_WAKE, given, { repeatable: true, often: true })
    return this.#answers(jobs, tenant, rows)
  }

  async #insert(
    jobs: readonly WrittenJob[],
    tenant: string,
    idempotencyKey: string | undefined,
    statement = ENQUEUE_MANY,
  ): Promise<(Enqueued | Error)[]> {
    const request = idempotencyKey === undefined ? ownRequest() : requestOf(jobs, idempotencyKey)
    const rows = await this.#database.query(statement, values(jobs, tenant, request, true), {
      repeatable: true,
      often: true,
    })
    this.#waker.wake(tenant, queuesWithWork(jobs))
    return this.#answers(jobs, tenant, rows)
  }

  #answers(jobs: readonly WrittenJob[], tenant: string, rows: readonly unknown[]): (Enqueued | Error)[] {
    const answers = rows.map(answerOf)
    if (!this.#observers.none) this.#observers.enqueued(tenant, madeByQueue(jobs, answers))
    return answers
  }
}

function madeByQueue(
  jobs: readonly WrittenJob[],
  answers: readonly (Enqueued | Error)[],
): Map<string, number> {
  const made = new Map<string, number>()
  answers.forEach((answer, index) => {
    const queue = jobs[index]?.queue
    if (queue === undefined || answer instanceof Error || answer.deduplicated) return
    made.set(queue, (made.get(queue) ?? 0) + 1)
  })
  return made
}

/** Jobs for later wake nobody. */
function queuesWithWork(jobs: readonly WrittenJob[]): string[] {
  return [...new Set(jobs.filter((job) => job.due).map((job) => job.queue))]
}

function values(
  jobs: readonly WrittenJob[],
  tenant: string,
  { key, fingerprint }: Request,
  settle: boolean,
): unknown[] {
  const plainQueues = jobs.every((job) => job.plain) ? [...new Set(jobs.map((job) => job.queue))] : null
  return [jsonOf(jobs), tenant, key, fingerprint, settle, plainQueues]
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

function answerOf(row: unknown): Enqueued | Error {
  const { jobId, status } = fromRow<{ jobId: number | string; status: string }>(
    row as Record<string, unknown>,
  )
  // In the caller's transaction the rows come through the caller's driver, which may hand out int8 as text.
  const id = Number(jobId)
  if (status === 'rejected') return holdfastError('key_taken', { job: id })
  return { jobId: id, deduplicated: status === 'existing' }
}

function checkTenant(tenant: string | undefined): string {
  return tenant === undefined ? 'default' : checkName(tenant, '/tenant')
}
