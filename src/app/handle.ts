/** A handle of an enqueued job: its state, its result, and commands on it. */

import { resultOf } from '../handles/job-ended.js'
import type { AnyJobHandle } from '../handles/job-handle.js'
import type { Results } from '../store/finish/results.js'
import type { CancelOptions, JobCommands } from '../store/job-commands.js'
import type { Job } from '../store/job-reads.js'
import type { ExplainReason } from '../store/rows.js'
import type { Store } from '../store/store.js'

export interface JobHandle<Result = unknown> extends AnyJobHandle<Result> {
  /** The job's present state. */
  job(): Promise<Job>
  /** Ends the job if it waits; requests its cancellation if it runs. With `ifState` only in that state. */
  cancel(options?: CancelOptions): ReturnType<JobCommands['cancel']>
  /** Why it is where it is. Without a blocking reason it can be claimed now. */
  explain(): Promise<ExplainReason[]>
}

export function handleOf<Result>(
  { store, results }: { readonly store: Store; readonly results: Results },
  { jobId, deduplicated }: { readonly jobId: number; readonly deduplicated: boolean },
  /** False: only an id, or a transaction that may not have been committed. */
  isThere: boolean,
): JobHandle<Result> {
  return {
    id: jobId,
    deduplicated,
    status: async () => (await store.read.job(jobId)).state,
    job: () => store.read.job(jobId),
    async result(options) {
      // The end of a job that does not exist would never arrive.
      if (!isThere) await store.read.job(jobId)
      return resultOf(await results.wait(jobId, options)) as Result
    },
    cancel: (options) => store.commands.cancel(jobId, options),
    explain: () => store.read.explain(jobId),
    history: () => store.read.history(jobId),
  }
}
