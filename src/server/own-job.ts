/**
 * A job of the caller's tenant, or none: what belongs to another tenant is not there. The tenant of a job never changes, so a look before
 * the verb decides it, whether or not the database is sealed with roles.
 */
import { holdfastError } from '../domain/errors.js'
import type { Job } from '../store/read.js'
import type { Store } from '../store/store.js'

interface Whose {
  readonly store: Store
  readonly tenant: string
}

export async function ownJob({ store, tenant }: Whose, jobId: number): Promise<Job> {
  const job = await store.read.job(jobId)
  if (job.tenant !== tenant) throw holdfastError('unknown_job', { job: jobId })
  return job
}

export async function checkOwnJob({ store, tenant }: Whose, jobId: number): Promise<void> {
  const tenants = await store.read.tenantsOf([jobId])
  if (tenants.get(jobId) !== tenant) throw holdfastError('unknown_job', { job: jobId })
}
