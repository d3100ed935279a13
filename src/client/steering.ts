/** What people do to jobs and workers. Who did it is the key; why can be said. */
import type { AnswerAt, EndpointAt, PathOf, Received } from './api.js'
import { type Calls, received } from './calls.js'

export interface Why {
  /** Kept with the event. */
  readonly reason?: string
}

type Answered<P extends PathOf<'POST'>> = Received<AnswerAt<EndpointAt<'POST', P>>>

/** Commands on one job. Not repeated by themselves where the second would do something else than the first. */
export class Jobs {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Ends the job if it waits; asks its worker to stop if it runs. */
  async cancel(jobId: number, why: Why = {}): Promise<Answered<'/api/v1/jobs/{id}/cancel'>> {
    return received(await this.#calls.call('POST', '/api/v1/jobs/{id}/cancel', of(jobId, why, true)))
  }

  /** Runs it again now; in a strict queue the answer is a new job. */
  async retry(jobId: number, why: Why = {}): Promise<Answered<'/api/v1/jobs/{id}/retry'>> {
    return received(await this.#calls.call('POST', '/api/v1/jobs/{id}/retry', of(jobId, why)))
  }

  async resume(jobId: number, why: Why = {}): Promise<Answered<'/api/v1/jobs/{id}/resume'>> {
    return received(await this.#calls.call('POST', '/api/v1/jobs/{id}/resume', of(jobId, why)))
  }

  async skip(jobId: number, why: Why = {}): Promise<Answered<'/api/v1/jobs/{id}/skip'>> {
    return received(await this.#calls.call('POST', '/api/v1/jobs/{id}/skip', of(jobId, why)))
  }

  async discard(jobId: number, why: Why = {}): Promise<Answered<'/api/v1/jobs/{id}/discard'>> {
    return received(await this.#calls.call('POST', '/api/v1/jobs/{id}/discard', of(jobId, why)))
  }

  /** Lets a pending job go. */
  async release(jobId: number, why: Why = {}): Promise<Answered<'/api/v1/jobs/{id}/release'>> {
    return received(await this.#calls.call('POST', '/api/v1/jobs/{id}/release', of(jobId, why)))
  }

  /** Answers the priority it has then. */
  async boost(jobId: number, by = 10, why: Why = {}): Promise<number> {
    const sent = { params: { id: jobId }, body: { by, ...why } }
    return (await this.#calls.call('POST', '/api/v1/jobs/{id}/boost', sent)).priority
  }

  async setPriority(jobId: number, priority: number, why: Why = {}): Promise<number> {
    const sent = { params: { id: jobId }, body: { priority, ...why }, repeatable: true }
    return (await this.#calls.call('PUT', '/api/v1/jobs/{id}/priority', sent)).priority
  }
}

function of(id: number, why: Why, repeatable = false) {
  return { params: { id }, body: why, repeatable }
}

type WorkerList = AnswerAt<EndpointAt<'GET', '/api/v1/workers'>>
export type RemoteWorker = Received<WorkerList['workers'][number]>

export class Workers {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  async list(): Promise<RemoteWorker[]> {
    const { workers } = await this.#calls.call('GET', '/api/v1/workers', {})
    return workers.map((worker) => received(worker))
  }

  /** Asks a worker to take no more jobs, end those it has, and go. False: it was asked already. */
  async drain(name: string, why: Why = {}): Promise<boolean> {
    const sent = { params: { name }, body: why, repeatable: true }
    return (await this.#calls.call('POST', '/api/v1/workers/{name}/drain', sent)).asked
  }
}
