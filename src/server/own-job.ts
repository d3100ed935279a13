/**
 * A job of the caller's tenant, or none: what belongs to another tenant is not there. The tenant of a job never changes, so a look before
 * the verb decides it, whether or not the database is sealed with roles.
 */
import { holdfastError } from '../domain/errors.js'
import type { Call } from './route.js'

export async function checkOwnJob(
  { store, tenant }: Pick<Call, 'store' | 'tenant'>,
  jobId: number,
): Promise<void> {
  const tenants = await store.read.tenantsOf([jobId])
  if (tenants.get(jobId) !== tenant) throw holdfastError('unknown_job', { job: jobId })
}
