/**
 * The HTTP client of a server: enqueues jobs, waits for their results, reads and commands them, from any program that has `fetch`,
 * also in a browser.
 */
import type { z } from 'zod'
import { toWire } from '../contract/case.js'
import type { newJob } from '../contract/jobs/job.js'
import type { InputAndOptions, JsonInput } from '../json/json-input.js'
import { AlertCalls } from './alerts.js'
import type { AnswerAt, EndpointAt, QueryAt, ReceivedBody } from './api.js'
import { BulkCalls } from './bulk.js'
import { Calls, received } from './calls.js'
import { JobCalls, WorkerCalls } from './commands.js'
import type {
  Definitions,
  Input,
  JobDefinition,
  KindOf,
  KindQueues as QueuesOf,
  Result,
} from './definitions.js'
import { EndsPoll } from './ends.js'
import { type ApiJobHandle, jobHandle } from './job-handle.js'
import { QueueCalls } from './queues.js'
import { ScheduleCalls } from './schedules.js'
import { SettingCalls } from './settings.js'
import { SubjectCalls } from './subjects.js'
import type { TransportOptions } from './transport.js'
import { UpkeepCalls } from './upkeep.js'
import { WebhookCalls } from './webhooks.js'

export type ClientOptions<D extends Definitions> = TransportOptions &
  (keyof QueuesOf<D> extends never
    ? { readonly queues?: Readonly<Record<string, string>> }
    : { readonly queues: QueuesOf<D> })

type ClientJobBody = z.input<typeof newJob>

/** Options of a job besides its input. The client does not have the definition, so options of the definition must be given here. */
export type ApiJobExtras = Partial<Omit<ReceivedBody<ClientJobBody>, 'kind' | 'input' | 'runAt'>> & {
  readonly runAt?: Date | string
}

export type ApiEnqueueOptions = ApiJobExtras & {
  /** A call repeated with the same key within a day returns the same result and creates nothing. Default: a new key for each call. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

export type ApiEnqueueManyOptions<In> = ApiEnqueueOptions & {
  /** Options of each job. */
  each?(input: In, index: number): ApiJobExtras
}

type List = EndpointAt<'GET', '/api/v1/jobs'>

export type JobQuery = Omit<ReceivedBody<NonNullable<QueryAt<List>>>, 'pageSize' | 'pageToken'> & {
  readonly limit?: number
  /** `next` of the previous page. */
  readonly after?: string
}

export interface JobPage {
  readonly jobs: readonly ReceivedBody<AnswerAt<List>['jobs'][number]>[]
  /** Null on the last page. */
  readonly next: string | null
}

/** `D` is the type of your definitions; without it a kind is any text and an input any JSON. */
export class Client<D extends Definitions = readonly JobDefinition[]> {
  /** Commands: cancel, retry, resume, skip, discard, publish, boost, setPriority. */
  readonly jobs: JobCalls
  /** One command for every job that a search finds. */
  readonly bulk: BulkCalls
  readonly queues: QueueCalls
  readonly workers: WorkerCalls
  /** Schedules. */
  readonly schedules: ScheduleCalls<D>
  /** Subjects that are worked on repeatedly. */
  readonly subjects: SubjectCalls
  readonly alerts: AlertCalls
  readonly webhooks: WebhookCalls
  readonly upkeep: UpkeepCalls
  readonly settings: SettingCalls
  readonly #calls: Calls
  readonly #ends: EndsPoll
  readonly #queueOf: Readonly<Record<string, string>>

  constructor(options: ClientOptions<D>) {
    this.#calls = new Calls(options)
    this.#ends = new EndsPoll(this.#calls)
    this.#queueOf = options.queues ?? {}
    this.jobs = new JobCalls(this.#calls)
    this.bulk = new BulkCalls(this.#calls)
    this.queues = new QueueCalls(this.#calls)
    this.workers = new WorkerCalls(this.#calls)
    this.schedules = new ScheduleCalls<D>(this.#calls, this.#queueOf)
    this.subjects = new SubjectCalls(this.#calls)
    this.alerts = new AlertCalls(this.#calls)
    this.webhooks = new WebhookCalls(this.#calls)
    this.upkeep = new UpkeepCalls(this.#calls)
    this.settings = new SettingCalls(this.#calls)
  }

  async enqueue<K extends KindOf<D>>(
    kind: K,
    ...[input, options = {}]: InputAndOptions<Input<D, K>, ApiEnqueueOptions>
  ): Promise<ApiJobHandle<Result<D, K>>> {
    const { idempotencyKey, signal, ...extras } = options
    const made = await this.#calls.call('POST', '/api/v1/jobs', {
      body: this.#newJob(kind, input, extras),
      ...once(idempotencyKey),
      signal,
    })
    return this.#handle(made)
  }

  /** Creates all of them, or none if one is invalid. */
  async enqueueMany<K extends KindOf<D>>(
    kind: K,
    inputs: readonly JsonInput<Input<D, K>>[],
    { idempotencyKey, signal, each, ...extras }: ApiEnqueueManyOptions<Input<D, K>> = {},
  ): Promise<ApiJobHandle<Result<D, K>>[]> {
    const jobs = inputs.map((input, index) =>
      this.#newJob(kind, input, { ...extras, ...each?.(input, index) }),
    )
    const made = await this.#calls.call('POST', '/api/v1/jobs/batch', {
      body: { jobs },
      ...once(idempotencyKey),
      signal,
    })
    return made.jobs.map((one) => this.#handle(one))
  }

  /** A handle of a job by its id. */
  job<Out = unknown>(jobId: number): ApiJobHandle<Out> {
    return this.#handle({ id: jobId, deduplicated: false })
  }

  /** A page of jobs, newest first. */
  async list({ limit, after, ...filter }: JobQuery = {}): Promise<JobPage> {
    const query = toWire<NonNullable<QueryAt<List>>>({ ...filter, pageSize: limit, pageToken: after })
    const { jobs, next_page_token: next } = await this.#calls.call('GET', '/api/v1/jobs', { query })
    return { jobs: jobs.map((job) => received(job)), next }
  }

  #newJob(kind: string, input: unknown, extras: ApiJobExtras): ClientJobBody {
    const queue = extras.queue ?? this.#queueOf[kind] ?? 'default'
    return toWire<ClientJobBody>({ ...extras, kind, queue, input })
  }

  #handle<Out>(made: { id: number; deduplicated: boolean }): ApiJobHandle<Out> {
    return jobHandle({ calls: this.#calls, ends: this.#ends, jobs: this.jobs }, made)
  }
}

export function createClient<D extends Definitions = readonly JobDefinition[]>(
  options: ClientOptions<D>,
): Client<D> {
  return new Client<D>(options)
}

/** With an idempotency key a call can be repeated safely. */
function once(idempotencyKey: string | undefined) {
  return {
    headers: { 'idempotency-key': idempotencyKey ?? randomName() },
    repeatable: true,
  }
}

/** Not randomUUID, which browsers offer only with TLS. */
function randomName(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
