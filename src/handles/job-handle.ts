/**
 * The handle of an enqueued job, as far as it is the same in the library (database) and in the client (HTTP).
 */

import type { State } from '../domain/states/states.js'
import type { WaitOptions } from './awaited-ends.js'

export interface AnyJobHandle<Result> {
  readonly id: number
  /** True: a live job had the key already, and this is that one. */
  readonly deduplicated: boolean
  /** Where the job is now. */
  status(): Promise<State>
  /**
   * What the handler returned, once the job has ended well; throws `JobFailed` or `JobCanceled` otherwise. A job that is paused or
   * held by an error has not ended. For a job made in your transaction, call it after the commit.
   */
  result(options?: WaitOptions): Promise<Result>
  /** The whole story of the job as one document. */
  history(): Promise<Record<string, unknown>>
}
