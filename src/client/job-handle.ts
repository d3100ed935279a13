/** The handle of a job over HTTP. */
import { resultOf } from '../handles/job-ended.js'
import type { AnyJobHandle } from '../handles/job-handle.js'
import type { AnswerAt, EndpointAt, ReceivedBody } from './api.js'
import { type Calls, received } from './calls.js'
import type { ApiCancelOptions, CommandReason, JobCalls } from './commands.js'
import type { EndsPoll } from './ends.js'

/** All fields of a job. */
export type ApiRow = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/jobs/{id}'>>>

export interface ApiJobHandle<Result = unknown> extends AnyJobHandle<Result> {
  /** All fields of the job as it is now. */
  job(): Promise<ApiRow>
  /** Ends the job if it waits; requests its worker to stop if it runs. */
  cancel(why?: ApiCancelOptions): ReturnType<JobCalls['cancel']>
  /** Runs it again now. */
  retry(why?: CommandReason): ReturnType<JobCalls['retry']>
  /** Explains its state. Without a blocking reason it can be claimed now. */
  explain(): Promise<AnswerAt<EndpointAt<'GET', '/api/v1/jobs/{id}/explain'>>['reasons']>
}

export function jobHandle<Result>(
  { calls, ends, jobs }: { readonly calls: Calls; readonly ends: EndsPoll; readonly jobs: JobCalls },
  { id, deduplicated }: { readonly id: number; readonly deduplicated: boolean },
): ApiJobHandle<Result> {
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
    history: () => calls.call('GET', '/api/v1/jobs/{id}/history', { params: { id } }),
  }
}
