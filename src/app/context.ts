/** What a handler is given beside its input: the worker's context, with what only the library can do. */

import type { AsJson } from '../domain/as-json.js'
import type { Session } from '../store/database.js'
import type { JobContext as WorkerContext } from '../worker/handlers.js'
import type { InputOf, Job, ResultOf } from './define-job.js'
import type { EnqueueOptions } from './enqueue.js'
import type { JobHandle } from './handle.js'

export interface JobContext extends Omit<WorkerContext, 'commit' | 'enqueue'> {
  /**
   * Your writes and the completion of the job in one transaction: both or neither. What `work` returns is the job's result. A worker that
   * has lost the job gets an error with the code `lease_lost`, and its writes are rolled back.
   */
  commit<T>(work: (tx: Session) => Promise<T>): Promise<T>
  /** A child of this job; in `commit`, pass its `tx` on to make both or neither. */
  enqueue<J extends Job>(
    job: J,
    input: InputOf<J>,
    options?: EnqueueOptions,
  ): Promise<JobHandle<AsJson<ResultOf<J>>>>
}
