/**
 * A client of a server: makes jobs, waits for them, looks at them and steers them, from any program that has `fetch`, a browser
 * included.
 */
import type { z } from 'zod'
import { fromWire, toWire } from '../contract/case.js'
import type { newJob } from '../contract/job.js'
import type { State } from '../domain/states.js'
import type { EndpointAt, QueryAt, Received } from './api.js'
import { Calls, received } from './calls.js'
import type { Definitions, Input, JobDefinition, Kind, Queues, Result } from './definitions.js'
import { Ends } from './ends.js'
import { type RemoteJob, type RemoteRow, remoteJob } from './remote-job.js'
import type { TransportOptions } from './transport.js'

export type ClientOptions<D extends Definitions> = TransportOptions &
  (keyof Queues<D> extends never
    ? { readonly queues?: Readonly<Record<string, string>> }
    : { readonly queues: Queues<D> })

/** What may be said of a job beside its input. The definition is not here, so what it would say has to be said. */
export type RemoteEnqueueOptions = Partial<
  Omit<Received<z.input<typeof newJob>>, 'kind' | 'input' | 'runAt'>
> & {
  readonly runAt?: Date | string
  /** The same call with the same key, up to a day later, answers the same and makes nothing. One is made for each call if not given. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

export type RemoteEnqueueManyOptions<In> = RemoteEnqueueOptions & {
  /** What is said of each job for itself. */
  each?(input: In, index: number): Omit<RemoteEnqueueOptions, 'idempotencyKey' | 'signal'>
}

type ListQuery = NonNullable<QueryAt<EndpointAt<'GET', '/api/v1/jobs'>>>
export type JobFilter = Partial<Omit<Received<ListQuery>, 'pageSize' | 'pageToken'>> & {
  readonly limit?: number
  /** `next` of the page before. */
  readonly after?: string
}

export interface JobPage {
  readonly jobs: readonly ListedJob[]
  /** Null on the last page. */
  readonly next: string | null
}

type ListedJob = Omit<RemoteRow, never> | Record<string, unknown>

export interface Client<D extends Definitions = readonly JobDefinition[]> {
  enqueue<K extends Kind<D>>(
    kind: K,
    input: Input<D, K>,
    options?: RemoteEnqueueOptions,
  ): Promise<RemoteJob<Result<D, K>>>
  /** All of them or, when one is refused, none. */
  enqueueMany<K extends Kind<D>>(
    kind: K,
    inputs: readonly Input<D, K>[],
    options?: RemoteEnqueueManyOptions<Input<D, K>>,
  ): Promise<RemoteJob<Result<D, K>>[]>
  /** A handle of a job you know the id of. */
  job<Out = unknown>(jobId: number): RemoteJob<Out>
  /** A page of jobs, the newest first. */
  list(filter?: JobFilter): Promise<JobPage>
  /** Where a job is now. */
  status(jobId: number): Promise<State>
}
