/**
 * A client of a server: makes jobs, waits for them, looks at them and steers them, and everything around them, from any program that has
 * `fetch`, a browser included.
 */
import type { z } from 'zod'
import { toWire } from '../contract/case.js'
import type { newJob } from '../contract/job.js'
import type { InputAndOptions, JsonInput } from '../domain/json-input.js'
import { Alerts } from './alerts.js'
import type { AnswerAt, EndpointAt, QueryAt, Received } from './api.js'
import { Calls, received } from './calls.js'
import type { Definitions, Input, JobDefinition, Kind, Queues as QueuesOf, Result } from './definitions.js'
import { Ends } from './ends.js'
import { Queues } from './queues.js'
import { type RemoteJob, remoteJob } from './remote-job.js'
import { Schedules } from './schedules.js'
import { Settings } from './settings.js'
import { Jobs, Workers } from './steering.js'
import { Subjects } from './subjects.js'
import type { TransportOptions } from './transport.js'
import { Upkeep } from './upkeep.js'
import { Webhooks } from './webhooks.js'

export type ClientOptions<D extends Definitions> = TransportOptions &
  (keyof QueuesOf<D> extends never
    ? { readonly queues?: Readonly<Record<string, string>> }
    : { readonly queues: QueuesOf<D> })

type Wire = z.input<typeof newJob>

/** What may be said of a job beside its input. The definition is not here, so what it would say has to be said. */
export type RemoteJobExtras = Partial<Omit<Received<Wire>, 'kind' | 'input' | 'runAt'>> & {
  readonly runAt?: Date | string
}

export type RemoteEnqueueOptions = RemoteJobExtras & {
  /** The same call with the same key, up to a day later, answers the same and makes nothing. If not given, each call has one of its own. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

export type RemoteEnqueueManyOptions<In> = RemoteEnqueueOptions & {
  /** What is said of each job for itself. */
  each?(input: In, index: number): RemoteJobExtras
}

type List = EndpointAt<'GET', '/api/v1/jobs'>

export type JobFilter = Omit<Received<NonNullable<QueryAt<List>>>, 'pageSize' | 'pageToken'> & {
  readonly limit?: number
  /** `next` of the page before. */
  readonly after?: string
}

export interface JobPage {
  readonly jobs: readonly Received<AnswerAt<List>['jobs'][number]>[]
  /** Null on the last page. */
  readonly next: string | null
}

/** `D` is the type of your definitions; without it kinds are any text and inputs any JSON. */
export class Client<D extends Definitions = readonly JobDefinition[]> {
  /** Commands: cancel, retry, resume, skip, discard, release, boost, setPriority. */
  readonly jobs: Jobs
  readonly queues: Queues
  readonly workers: Workers
  /** What fires by itself. */
  readonly schedules: Schedules<D>
  /** What is worked on again and again. */
  readonly subjects: Subjects
  readonly alerts: Alerts
  readonly webhooks: Webhooks
  readonly upkeep: Upkeep
  readonly settings: Settings
  readonly #calls: Calls
  readonly #ends: Ends
  readonly #queueOf: Readonly<Record<string, string>>

  constructor(options: ClientOptions<D>) {
    this.#calls = new Calls(options)
    this.#ends = new Ends(this.#calls)
    this.#queueOf = options.queues ?? {}
    this.jobs = new Jobs(this.#calls)
    this.queues = new Queues(this.#calls)
    this.workers = new Workers(this.#calls)
    this.schedules = new Schedules<D>(this.#calls, this.#queueOf)
    this.subjects = new Subjects(this.#calls)
    this.alerts = new Alerts(this.#calls)
    this.webhooks = new Webhooks(this.#calls)
    this.upkeep = new Upkeep(this.#calls)
    this.settings = new Settings(this.#calls)
  }

  async enqueue<K extends Kind<D>>(
    kind: K,
    ...[input, options = {}]: InputAndOptions<Input<D, K>, RemoteEnqueueOptions>
  ): Promise<RemoteJob<Result<D, K>>> {
    const { idempotencyKey, signal, ...extras } = options
    const made = await this.#calls.call('POST', '/api/v1/jobs', {
      body: this.#newJob(kind, input, extras),
      ...once(idempotencyKey),
      signal,
    })
    return this.#handle(made)
  }

  /** All of them or, when one is refused, none. */
  async enqueueMany<K extends Kind<D>>(
    kind: K,
    inputs: readonly JsonInput<Input<D, K>>[],
    { idempotencyKey, signal, each, ...extras }: RemoteEnqueueManyOptions<Input<D, K>> = {},
  ): Promise<RemoteJob<Result<D, K>>[]> {
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

  /** A handle of a job you know the id of. */
  job<Out = unknown>(jobId: number): RemoteJob<Out> {
    return this.#handle({ id: jobId, deduplicated: false })
  }

  /** A page of jobs, the newest first. */
  async list({ limit, after, ...filter }: JobFilter = {}): Promise<JobPage> {
    const query = toWire<NonNullable<QueryAt<List>>>({ ...filter, pageSize: limit, pageToken: after })
    const { jobs, next_page_token: next } = await this.#calls.call('GET', '/api/v1/jobs', { query })
    return { jobs: jobs.map((job) => received(job)), next }
  }

  #newJob(kind: string, input: unknown, extras: RemoteJobExtras): Wire {
    const queue = extras.queue ?? this.#queueOf[kind] ?? 'default'
    return toWire<Wire>({ ...extras, kind, queue, input })
  }

  #handle<Out>(made: { id: number; deduplicated: boolean }): RemoteJob<Out> {
    return remoteJob({ calls: this.#calls, ends: this.#ends, jobs: this.jobs }, made)
  }
}

export function createClient<D extends Definitions = readonly JobDefinition[]>(
  options: ClientOptions<D>,
): Client<D> {
  return new Client<D>(options)
}

/** With a key of its own a call is the same however often it arrives. */
function once(idempotencyKey: string | undefined) {
  return {
    headers: { 'idempotency-key': idempotencyKey ?? randomName() },
    repeatable: true,
  }
}

/** Not randomUUID, which a page without TLS does not have. */
function randomName(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
