/**
 * The commands of operators on a job: cancel, retry, resume and others. Each is recorded with actor and
 * reason, and refused if the state of the job does not allow it.
 */

import type { Database } from '../database/database.js'
import type { State } from '../domain/states/states.js'
import { checkKey, checkPriority, checkReason, checkState } from '../domain/validate.js'
import type { Notifier } from './notify/notifier.js'
import { fromRow } from './rows.js'

export interface Attribution {
  readonly actor?: string
  readonly reason?: string
}

export interface CancelOptions extends Attribution {
  /**
   * Cancels only in this state, which is compared under the lock of the job's row; else `wrong_state` names the state. `running` is every
   * job that a worker holds.
   */
  readonly ifState?: State
}

/** Actor and reason, the last two parameters of a verb. */
export function attributionValues({
  actor,
  reason,
}: Attribution): [actor: string | null, reason: string | null] {
  return [
    actor === undefined ? null : checkKey(actor, '/actor'),
    reason === undefined ? null : checkReason(reason),
  ]
}

export class JobCommands {
  readonly #database: Database
  readonly #notifier: Notifier

  constructor(database: Database, notifier: Notifier) {
    this.#database = database
    this.#notifier = notifier
  }

  async cancel(
    jobId: number,
    { ifState, ...act }: CancelOptions = {},
  ): Promise<{ result: 'canceled' | 'requested' | 'already_ended'; state: State }> {
    const [row] = await this.#database.query<Record<string, unknown>>(
      'select result, state from holdfast.cancel($1, $2, $3, $4::text::holdfast.state)',
      [jobId, ...attributionValues(act), ifState === undefined ? null : checkState(ifState, '/if_state')],
    )
    if (row?.result === 'canceled') this.#notifier.wakeQueueOf(jobId)
    return fromRow(row ?? {})
  }

  /** Returns a new job's id where the queue is strict: there a job that ended stays ended, and a retry creates another. */
  async retry(jobId: number, act: Attribution = {}): Promise<{ jobId: number; state: State }> {
    const [row] = await this.#database.query<Record<string, unknown>>(
      'select job_id, state from holdfast.retry($1, $2, $3)',
      [jobId, ...attributionValues(act)],
    )
    this.#notifier.wakeQueueOf(jobId)
    return fromRow(row ?? {})
  }

  resume(jobId: number, act: Attribution = {}): Promise<State> {
    return this.#move('select holdfast.resume($1, $2, $3) as state', jobId, act)
  }

  skip(jobId: number, act: Attribution = {}): Promise<State> {
    return this.#move('select holdfast.skip($1, $2, $3) as state', jobId, act)
  }

  discard(jobId: number, act: Attribution = {}): Promise<State> {
    return this.#move('select holdfast.discard($1, $2, $3) as state', jobId, act)
  }

  /** Ends a running job without its worker, which learns of it at its next heartbeat. A failure is not retried. */
  async forceFinish(jobId: number, outcome: 'succeeded' | 'failed', act: Attribution = {}): Promise<State> {
    const [row] = await this.#database.query<{ state: State }>(
      'select holdfast.force_finish($1, $2, $3, $4) as state',
      [jobId, outcome, ...attributionValues(act)],
    )
    this.#notifier.wakeQueueOf(jobId)
    return row?.state as State
  }

  /** Returns the new priority, at most 100. */
  async boost(jobId: number, by: number, act: Attribution = {}): Promise<number> {
    const [row] = await this.#database.query<{ priority: number }>(
      'select holdfast.boost($1, $2, $3, $4) as priority',
      [jobId, by, ...attributionValues(act)],
    )
    return row?.priority as number
  }

  async setPriority(jobId: number, priority: number, act: Attribution = {}): Promise<void> {
    await this.#database.query('select holdfast.set_priority($1, $2, $3, $4)', [
      jobId,
      checkPriority(priority),
      ...attributionValues(act),
    ])
  }

  /** Wakes workers: the job itself, or the next one of its target, can be claimed now. */
  async #move(text: string, jobId: number, act: Attribution): Promise<State> {
    const [row] = await this.#database.query<{ state: State }>(text, [jobId, ...attributionValues(act)])
    this.#notifier.wakeQueueOf(jobId)
    return row?.state as State
  }
}
