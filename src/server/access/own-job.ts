/**
 * Jobs of other tenants are unknown to a caller. The tenant of a job never changes, so a check before the verb is enough, with and
 * without roles in the database.
 */
import { holdfastError } from '../../domain/errors/errors.js'
import type { Job } from '../../store/job-reads.js'
import type { Store } from '../../store/store.js'

interface TenantScope {
  readonly store: Store
  readonly tenant: string
}

export async function ownJob({ store, tenant }: TenantScope, jobId: number): Promise<Job> {
  const job = await store.read.job(jobId)
  if (job.tenant !== tenant) throw holdfastError('unknown_job', { job: jobId })
  return job
}

export async function checkOwnJob({ store, tenant }: TenantScope, jobId: number): Promise<void> {
  const tenants = await store.read.tenantsOf([jobId])
  if (tenants.get(jobId) !== tenant) throw holdfastError('unknown_job', { job: jobId })
}
