/** A job that has been enqueued, and what its producer may want of it. */

import { resultOf } from '../domain/job-ended.js'
import type { AnyJobHandle } from '../domain/job-handle.js'
import type { Act, Operate } from '../store/operate.js'
import type { Job as JobRow } from '../store/read.js'
import type { Results } from '../store/results.js'
import type { Reason } from '../store/rows.js'
import type { Store } from '../store/store.js'

export interface JobHandle<Result = unknown> extends AnyJobHandle<Result> {
  /** Everything there is to know of it now. */
  job(): Promise<JobRow>
  /** Ends the job if it waits; asks its worker to stop if it runs. */
  cancel(act?: Act): ReturnType<Operate['cancel']>
  /** Why it is where it is. Without a blocking reason it can be claimed now. */
  explain(): Promise<Reason[]>
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
      // Nobody would ever hear the end of a job that does not exist.
      if (!isThere) await store.read.job(jobId)
      return resultOf(await results.wait(jobId, options)) as Result
    },
    cancel: (act) => store.operate.cancel(jobId, act),
    explain: () => store.read.explain(jobId),
    report: () => store.read.report(jobId),
  }
}
