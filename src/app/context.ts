/**
 * The context (`ctx`) that a handler gets beside its input: the worker's context, with `commit`, `completeIn`
 * and `enqueue` typed by the library.
 */

import type { Session } from '../database/database.js'
import type { AsJson } from '../json/as-json.js'
import type { InputAndOptions } from '../json/json-input.js'
import type { HandlerContext as WorkerContext } from '../worker/handlers.js'
import type { DefinedJob, InputOf, ResultOf } from './define-job.js'
import type { EnqueueOptions } from './enqueue.js'
import type { JobHandle } from './handle.js'
import type { Transaction } from './transaction.js'

export interface JobContext extends Omit<WorkerContext, 'commit' | 'completeIn' | 'enqueue'> {
  /**
   * Your writes and the completion of the job in one transaction: both or neither. What `work` returns is the job's result. A worker that
   * has lost the job gets an error with the code `lease_lost`, and its writes are rolled back.
   */
  commit<T>(work: (tx: Session) => Promise<T>): Promise<T>
  /**
   * The same with a transaction of your own library: the completion is its last statement, effective when you commit. A job that was lost
   * meanwhile is refused with `lease_lost`, and the transaction cannot commit any more. Answers `result`, the job's, so that the handler
   * can return it.
   */
  completeIn<T = undefined>(tx: Transaction, result?: T): Promise<T>
  /** A child of this job; in `commit`, pass its `tx` on to make both or neither. */
  enqueue<J extends DefinedJob>(
    job: J,
    ...args: InputAndOptions<InputOf<J>, EnqueueOptions>
  ): Promise<JobHandle<AsJson<ResultOf<J>>>>
}
