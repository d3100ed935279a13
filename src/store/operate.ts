/** What operators do to a job. Each is logged with who did it and why; each is refused, with the state named, when it cannot be. */
import type { State } from '../domain/states.js'
import { checkKey, checkPriority, checkReason } from '../domain/validate.js'
import type { Database } from './database.js'
import { fromRow } from './rows.js'
import type { Waker } from './waker.js'

export interface Act {
  readonly actor?: string
  readonly reason?: string
}

/** Who and why, as the last two values of a verb. */
export function actValues({ actor, reason }: Act): [actor: string | null, reason: string | null] {
  return [
    actor === undefined ? null : checkKey(actor, '/actor'),
    reason === undefined ? null : checkReason(reason),
  ]
}

export class Operate {
  readonly #database: Database
  readonly #waker: Waker

  constructor(database: Database, waker: Waker) {
    this.#database = database
    this.#waker = waker
  }

  async cancel(
    jobId: number,
    act: Act = {},
  ): Promise<{ result: 'canceled' | 'requested' | 'already_ended'; state: State }> {
    const [row] = await this.#database.query<Record<string, unknown>>(
      'select result, state from holdfast.cancel($1, $2, $3)',
      [jobId, ...actValues(act)],
    )
    if (row?.result === 'canceled') this.#waker.wakeQueueOf(jobId)
    return fromRow(row ?? {})
  }

  /** The id is another one where the queue is strict: an end is an end there, and a new job is made. */
  async retry(jobId: number, act: Act = {}): Promise<{ jobId: number; state: State }> {
    const [row] = await this.#database.query<Record<string, unknown>>(
      'select job_id, state from holdfast.retry($1, $2, $3)',
      [jobId, ...actValues(act)],
    )
    this.#waker.wakeQueueOf(jobId)
    return fromRow(row ?? {})
  }

  resume(jobId: number, act: Act = {}): Promise<State> {
    return this.#move('select holdfast.resume($1, $2, $3) as state', jobId, act)
  }

  skip(jobId: number, act: Act = {}): Promise<State> {
    return this.#move('select holdfast.skip($1, $2, $3) as state', jobId, act)
  }

  discard(jobId: number, act: Act = {}): Promise<State> {
    return this.#move('select holdfast.discard($1, $2, $3) as state', jobId, act)
  }

  /** Ends a running job over its worker's head, who learns of it at the next beat; a failure is not tried again. */
  async forceFinish(jobId: number, outcome: 'succeeded' | 'failed', act: Act = {}): Promise<State> {
    const [row] = await this.#database.query<{ state: State }>(
      'select holdfast.force_finish($1, $2, $3, $4) as state',
      [jobId, outcome, ...actValues(act)],
    )
    this.#waker.wakeQueueOf(jobId)
    return row?.state as State
  }

  /** Answers the new priority, at most 100. */
  async boost(jobId: number, by: number, act: Act = {}): Promise<number> {
    const [row] = await this.#database.query<{ priority: number }>(
      'select holdfast.boost($1, $2, $3, $4) as priority',
      [jobId, by, ...actValues(act)],
    )
    return row?.priority as number
  }

  async setPriority(jobId: number, priority: number, act: Act = {}): Promise<void> {
    await this.#database.query('select holdfast.set_priority($1, $2, $3, $4)', [
      jobId,
      checkPriority(priority),
      ...actValues(act),
    ])
  }

  /** The job itself can be claimed now, or the one behind it at its target. */
  async #move(text: string, jobId: number, act: Act): Promise<State> {
    const [row] = await this.#database.query<{ state: State }>(text, [jobId, ...actValues(act)])
    this.#waker.wakeQueueOf(jobId)
    return row?.state as State
  }
}
