/** From a definition and an input to a job in the database. */

import type { AsJson } from '../domain/as-json.js'
import { given } from '../domain/given.js'
import type { InputAndOptions, JsonInput } from '../domain/json-input.js'
import { fillTemplate } from '../domain/kinds.js'
import type { NewJob } from '../store/new-job.js'
import type { Enqueued, EnqueueOptions as StoreOptions } from '../store/produce.js'
import type { Results } from '../store/results.js'
import type { Store } from '../store/store.js'
import { type Traces, tracedJobs } from '../telemetry/traces.js'
import { checkNewInput } from './check-input.js'
import type { InputOf, Job, ResultOf } from './define-job.js'
import { handleOf, type JobHandle } from './handle.js'
import { asTransaction, type Transaction } from './transaction.js'

/** What may be said of one job beside its input; what is not said comes from its definition, and then from its queue. */
export type JobExtras = Partial<Omit<NewJob, 'kind' | 'input'>>

interface CallOptions {
  readonly tenant?: string
  /** The same call with the same key, up to a day later, answers the same and makes nothing. */
  readonly idempotencyKey?: string
  /** Your transaction: the job exists if and when it commits. */
  readonly tx?: Transaction
  /** False, for a `tx` that is to be prepared (two-phase commit), which must not notify: workers find the job when they next ask. */
  readonly wake?: boolean
}

export type EnqueueOptions = JobExtras & CallOptions

export type EnqueueManyOptions<Input> = EnqueueOptions & {
  /** What is said of each job for itself. */
  each?(input: Input, index: number): JobExtras
}

export class Enqueuer {
  readonly #store: Store
  readonly #results: Results
  readonly #tenant: string | undefined
  readonly #traces: Traces | undefined

  constructor(store: Store, results: Results, tenant: string | undefined, traces?: Traces) {
    this.#store = store
    this.#results = results
    this.#tenant = tenant
    this.#traces = traces
  }

  async enqueue<J extends Job>(
    job: J,
    ...[input, options = {}]: InputAndOptions<InputOf<J>, EnqueueOptions>
  ): Promise<JobHandle<AsJson<ResultOf<J>>>> {
    const { call, extras } = this.#split(options)
    const one = await newJob(job, input, extras)
    const made = await tracedJobs(this.#traces, [one], ([traced = one]) => this.#store.enqueue(traced, call))
    return this.#handle(made, call)
  }

  /** All of them or, when one is refused, none. */
  async enqueueMany<J extends Job>(
    job: J,
    inputs: readonly JsonInput<InputOf<J>>[],
    { each, ...options }: EnqueueManyOptions<InputOf<J>> = {},
  ): Promise<JobHandle<AsJson<ResultOf<J>>>[]> {
    const { call, extras } = this.#split(options)
    const jobs: NewJob[] = []
    for (const [index, input] of inputs.entries()) {
      jobs.push(await newJob(job, input, { ...extras, ...each?.(input, index) }, `/jobs/${index}`))
    }
    const made = await tracedJobs(this.#traces, jobs, (traced) => this.#store.enqueueMany(traced, call))
    return made.map((one) => this.#handle(one, call))
  }

  #handle<Result>(made: Enqueued, { tx }: StoreOptions): JobHandle<Result> {
    return handleOf({ store: this.#store, results: this.#results }, made, tx === undefined)
  }

  #split({ tenant = this.#tenant, idempotencyKey, tx, wake, ...extras }: EnqueueOptions): {
    call: StoreOptions
    extras: JobExtras
  } {
    const call = {
      // A definition says all that its kind does.
      byKind: false,
      ...(tenant === undefined ? {} : { tenant }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(tx === undefined ? {} : { tx: asTransaction(tx) }),
      ...(wake === undefined ? {} : { wake }),
    }
    return { call, extras }
  }
}

/** What is stored of a job: its input, and what its definition says where the call does not. */
export async function newJob(job: Job, input: unknown, extras: JobExtras, path = ''): Promise<NewJob> {
  const output = await checkNewInput(job.input, input, `${path}/input`)
  const said: JobExtras = {
    queue: job.queue,
    maxRetries: extras.maxAttempts === undefined ? job.maxRetries : undefined,
    timeoutMs: job.timeoutMs,
    priority: job.priority,
    key: extras.key === undefined ? fromInput(job.key, input, output, `${path}/key`) : undefined,
    target: extras.target === undefined ? fromInput(job.target, input, output, `${path}/target`) : undefined,
  } as JobExtras
  return { ...given(said), ...given(extras), kind: job.kind, input } as NewJob
}

/** A template is filled from the input as it is stored, as the database fills it; a function gets what the handler gets. */
function fromInput(rule: Job['key'], input: unknown, output: unknown, path: string): string | undefined {
  return typeof rule === 'string'
    ? fillTemplate(rule, JSON.parse(JSON.stringify(input ?? null)), path)
    : rule?.(output)
}
