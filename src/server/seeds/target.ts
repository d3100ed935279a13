import { targetContract } from '../../contract/seeds-target.js'
import { holdfastError } from '../../domain/errors.js'
import { type Call, routes } from '../route.js'
import { inWords, jobOf, wordOf, wrongState } from './words.js'

type ResumeCall = Pick<Call, 'store' | 'tenant' | 'act'> & {
  readonly query: { readonly queue?: string | undefined }
}

async function resume(call: ResumeCall, jobId: number, target?: string) {
  const { store, tenant, act, query } = call
  const job = await jobOf({ store, tenant, preset: 'target', queue: query.queue }, jobId)
  if (target !== undefined && job.target !== target) throw holdfastError('unknown_job', { job: jobId })
  if (job.state !== 'paused' && job.state !== 'errored') throw wrongState(job, 'resume')
  await inWords(job, 'resume', () => store.operate.resume(jobId, act))
  const now = await store.read.job(jobId)
  return {
    status: 200,
    body: {
      id: jobId,
      target_id: now.target,
      status: wordOf({ ...job, state: now.state, attempt: now.attempt }),
      lease_owner: now.leaseOwner,
      lease_expires_at: now.leaseExpiresAt?.toISOString() ?? null,
      cancel_requested: now.cancelRequested,
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
