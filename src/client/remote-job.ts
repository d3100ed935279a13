/** A job at a server, and what its producer may want of it. */
import { resultOf } from '../domain/job-ended.js'
import type { AnyJobHandle } from '../domain/job-handle.js'
import type { AnswerAt, EndpointAt, Received } from './api.js'
import { type Calls, received } from './calls.js'
import type { Ends } from './ends.js'
import type { Jobs, Why } from './steering.js'

/** Everything there is to know of a job now. */
export type RemoteRow = Received<AnswerAt<EndpointAt<'GET', '/api/v1/jobs/{id}'>>>

export interface RemoteJob<Result = unknown> extends AnyJobHandle<Result> {
  /** Everything there is to know of it now. */
  job(): Promise<RemoteRow>
  /** Ends the job if it waits; asks its worker to stop if it runs. */
  cancel(why?: Why): ReturnType<Jobs['cancel']>
  /** Runs it again now. */
  retry(why?: Why): ReturnType<Jobs['retry']>
  /** Why it is where it is. Without a blocking reason it can be claimed now. */
  explain(): Promise<AnswerAt<EndpointAt<'GET', '/api/v1/jobs/{id}/explain'>>['reasons']>
}

export function remoteJob<Result>(
  { calls, ends, jobs }: { readonly calls: Calls; readonly ends: Ends; readonly jobs: Jobs },
  { id, deduplicated }: { readonly id: number; readonly deduplicated: boolean },
): RemoteJob<Result> {
  const row = async () => received(await calls.call('GET', '/api/v1/jobs/{id}', { params: { id } }))
  return {
    id,
    deduplicated,
    status: async () => (await row()).state,
    job: row,
    result: async (options) => resultOf(await ends.wait(id, options)) as Result,
    cancel: (why) => jobs.cancel(id, why),
    retry: (why) => jobs.retry(id, why),
    explain: async () => (await calls.call('GET', '/api/v1/jobs/{id}/explain', { params: { id } })).reasons,
    report: () => calls.call('GET', '/api/v1/jobs/{id}/report', { params: { id } }),
  }
}
