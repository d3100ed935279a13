/** Builds a job from a definition and an input, and enqueues it. */

import { invalidInput } from '../domain/errors/errors.js'
import { fillTemplate } from '../domain/kinds.js'
import type { AsJson } from '../json/as-json.js'
import { given } from '../json/given.js'
import type { InputAndOptions, JsonInput } from '../json/json-input.js'
import { EncodedInput, type NewJob } from '../store/enqueue/new-job.js'
import type { Enqueued, StoreEnqueueOptions } from '../store/enqueue/producer.js'
import type { Results } from '../store/finish/results.js'
import type { Store } from '../store/store.js'
import { type Traces, tracedJobs } from '../telemetry/traces.js'
import { checkNewInput } from './check-input.js'
import { checkJob, checkObject } from './check-options.js'
import type { DefinedJob, InputOf, ResultOf } from './define-job.js'
import { handleOf, type JobHandle } from './handle.js'
import { asTransaction, type Transaction } from './transaction.js'

/** Options of one job beside its input. Defaults come from its definition, then from its queue. */
export type JobExtras = Partial<Omit<NewJob, 'kind' | 'input'>>

interface EnqueueCallOptions {
  readonly tenant?: string
  /** The same call with the same key returns the same job for a day, and creates nothing. */
  readonly idempotencyKey?: string
  /** Your transaction: the job exists if and when it commits. */
  readonly tx?: Transaction
  /** False, for a `tx` that is to be prepared (two-phase commit), which must not notify: workers find the job at their next poll. */
  readonly wake?: boolean
}

export type EnqueueOptions = JobExtras & EnqueueCallOptions

export type EnqueueManyOptions<Input> = EnqueueOptions & {
  /** Options of one job in a batch. */
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

  async enqueue<J extends DefinedJob>(
    job: J,
    ...[input, options = {}]: InputAndOptions<InputOf<J>, EnqueueOptions>
  ): Promise<JobHandle<AsJson<ResultOf<J>>>> {
    checkJob(job, '/job')
    const { call, extras } = this.#split(options)
    const one = await newJob(job, input, extras)
    const made = await tracedJobs(this.#traces, [one], ([traced = one]) => this.#store.enqueue(traced, call))
    return this.#handle(made, call)
  }

  /** All of them or, when one is refused, none. */
  async enqueueMany<J extends DefinedJob>(
    job: J,
    inputs: readonly JsonInput<InputOf<J>>[],
    { each, ...options }: EnqueueManyOptions<InputOf<J>> = {},
  ): Promise<JobHandle<AsJson<ResultOf<J>>>[]> {
    checkJob(job, '/job')
    if (!Array.isArray(inputs)) throw invalidInput('/inputs', 'must be a list with the input of each job')
    const { call, extras } = this.#split(options)
    const jobs: NewJob[] = []
    for (const [index, input] of inputs.entries()) {
      jobs.push(await newJob(job, input, { ...extras, ...each?.(input, index) }, `/jobs/${index}`))
    }
    const made = await tracedJobs(this.#traces, jobs, (traced) => this.#store.enqueueMany(traced, call))
    return made.map((one) => this.#handle(one, call))
  }

  #handle<Result>(made: Enqueued, { tx }: StoreEnqueueOptions): JobHandle<Result> {
    return handleOf({ store: this.#store, results: this.#results }, made, tx === undefined)
  }

  #split(options: EnqueueOptions): { call: StoreEnqueueOptions; extras: JobExtras } {
    checkObject(options, '/options', '{ delayMs: 60_000 }')
    const { tenant = this.#tenant, idempotencyKey, tx, wake, ...extras } = options
    const call = {
      // A definition has all options of its kind.
      byKind: false,
      ...(tenant === undefined ? {} : { tenant }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(tx === undefined ? {} : { tx: asTransaction(tx) }),
      ...(wake === undefined ? {} : { wake }),
    }
    return { call, extras }
  }
}

/** The stored job: its input, and the options of the call over those of the definition. */
export async function newJob(job: DefinedJob, input: unknown, extras: JobExtras, path = ''): Promise<NewJob> {
  const { output, json } = await checkNewInput(job.input, input, `${path}/input`)
  const defaults: JobExtras = {
    queue: job.queue,
    maxRetries: extras.maxAttempts === undefined ? job.maxRetries : undefined,
    timeoutMs: job.timeoutMs,
    priority: job.priority,
    key: extras.key === undefined ? fromInput(job.key, input, output, `${path}/key`) : undefined,
    target: extras.target === undefined ? fromInput(job.target, input, output, `${path}/target`) : undefined,
  } as JobExtras
  return {
    ...given(defaults),
    ...given(extras),
    kind: job.kind,
    input: json === undefined ? input : new EncodedInput(json),
  } as NewJob
}

/** A template is filled from the input as it is stored, as the database fills it; a function gets what the handler gets. */
function fromInput(
  rule: DefinedJob['key'],
  input: unknown,
  output: unknown,
  path: string,
): string | undefined {
  return typeof rule === 'string'
    ? fillTemplate(rule, JSON.parse(JSON.stringify(input ?? null)), path)
    : rule?.(output)
}
