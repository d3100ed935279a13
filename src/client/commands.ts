/** Commands on jobs and workers. The history records the key as the actor, and the reason if one is given. */
import type { State } from '../domain/states/states.js'
import type { AnswerAt, EndpointAt, PathOf, ReceivedBody } from './api.js'
import { type Calls, received } from './calls.js'

export interface CommandReason {
  /** Stored with the event. */
  readonly reason?: string
}

export interface ApiCancelOptions extends CommandReason {
  /** Cancels only in this state, else `wrong_state` names the state. `running` is every job that a worker holds. */
  readonly ifState?: State
}

type Answered<P extends PathOf<'POST'>> = ReceivedBody<AnswerAt<EndpointAt<'POST', P>>>

/** Commands on one job. Retried automatically only if a second call has the same effect as the first. */
export class JobCalls {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Ends the job if it waits; requests its worker to stop if it runs. */
  async cancel(
    jobId: number,
    { ifState, ...why }: ApiCancelOptions = {},
  ): Promise<Answered<'/api/v1/jobs/{id}/cancel'>> {
    const body = { ...why, ...(ifState === undefined ? {} : { if_state: ifState }) }
    return received(await this.#calls.call('POST', '/api/v1/jobs/{id}/cancel', of(jobId, body, true)))
  }

  /** Runs it again now; in a strict queue this returns a new job. */
  async retry(jobId: number, why: CommandReason = {}): Promise<Answered<'/api/v1/jobs/{id}/retry'>> {
    return received(await this.#calls.call('POST', '/api/v1/jobs/{id}/retry', of(jobId, why)))
  }

  async resume(jobId: number, why: CommandReason = {}): Promise<Answered<'/api/v1/jobs/{id}/resume'>> {
    return received(await this.#calls.call('POST', '/api/v1/jobs/{id}/resume', of(jobId, why)))
  }

  async skip(jobId: number, why: CommandReason = {}): Promise<Answered<'/api/v1/jobs/{id}/skip'>> {
    return received(await this.#calls.call('POST', '/api/v1/jobs/{id}/skip', of(jobId, why)))
  }

  async discard(jobId: number, why: CommandReason = {}): Promise<Answered<'/api/v1/jobs/{id}/discard'>> {
    return received(await this.#calls.call('POST', '/api/v1/jobs/{id}/discard', of(jobId, why)))
  }

  /** Makes a pending job claimable. */
  async publish(jobId: number, why: CommandReason = {}): Promise<Answered<'/api/v1/jobs/{id}/publish'>> {
    return received(await this.#calls.call('POST', '/api/v1/jobs/{id}/publish', of(jobId, why)))
  }

  /** Returns the new priority. */
  async boost(jobId: number, by = 10, why: CommandReason = {}): Promise<number> {
    const sent = { params: { id: jobId }, body: { by, ...why } }
    return (await this.#calls.call('POST', '/api/v1/jobs/{id}/boost', sent)).priority
  }

  async setPriority(jobId: number, priority: number, why: CommandReason = {}): Promise<number> {
    const sent = { params: { id: jobId }, body: { priority, ...why }, repeatable: true }
    return (await this.#calls.call('PUT', '/api/v1/jobs/{id}/priority', sent)).priority
  }
}

function of<Body extends CommandReason>(id: number, body: Body, repeatable = false) {
  return { params: { id }, body, repeatable }
}

type WorkerList = AnswerAt<EndpointAt<'GET', '/api/v1/workers'>>
export type ApiWorker = ReceivedBody<WorkerList['workers'][number]>

export class WorkerCalls {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  async list(): Promise<ApiWorker[]> {
    const { workers } = await this.#calls.call('GET', '/api/v1/workers', {})
    return workers.map((worker) => received(worker))
  }

  /** Drains a worker: no new claims, finish running jobs, stop. Returns false if it was requested already. */
  async drain(name: string, why: CommandReason = {}): Promise<boolean> {
    const sent = { params: { name }, body: why, repeatable: true }
    return (await this.#calls.call('POST', '/api/v1/workers/{name}/drain', sent)).requested
  }
}
