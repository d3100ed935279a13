/** Endpoints of the target preset: resume a job that blocks its target. */
import { holdfastError } from '../../domain/errors/errors.js'
import { type Call, routes } from '../../server/http/route.js'
import { jobInScope, stateWordOf, withStateWords, wrongState } from '../preset-scope.js'
import { targetContract } from './contract.js'

type ResumeCall = Pick<Call, 'store' | 'tenant' | 'act'> & {
  readonly query: { readonly queue?: string | undefined }
}

async function resume(call: ResumeCall, jobId: number, target?: string) {
  const { store, tenant, act, query } = call
  const job = await jobInScope({ store, tenant, preset: 'target', queue: query.queue }, jobId)
  if (target !== undefined && job.target !== target) throw holdfastError('unknown_job', { job: jobId })
  if (job.state !== 'paused' && job.state !== 'errored') throw wrongState(job, 'resume')
  const state = await withStateWords(job, 'resume', () => store.commands.resume(jobId, act))
  // The command's own result: a quick worker may have claimed the job by now. A resumed job has neither lease nor cancel request.
  return {
    status: 200,
    body: {
      id: jobId,
      target_id: job.target,
      status: stateWordOf({ ...job, state }),
      lease_owner: null,
      lease_expires_at: null,
      cancel_requested: false,
    },
  } as const
}

const atTarget = (
  call: ResumeCall & { readonly params: { readonly target_id: string; readonly job_id: number } },
) => resume(call, call.params.job_id, call.params.target_id)
const byId = (call: ResumeCall & { readonly params: { readonly id: number } }) => resume(call, call.params.id)

export const targetRoutes = routes<typeof targetContract>(targetContract, {
  resumeAtTarget: atTarget,
  resumeAtTargetPlain: atTarget,
  resumeById: byId,
  resumeByIdSlash: byId,
})
