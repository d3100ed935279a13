/**
 * Which of these writes a caller may make: those under a lease of its tenant, and those to a job of its tenant. Either is enough, because
 * a write takes effect only where job and lease belong together. The second is asked only where the first does not hold, which is when
 * a lease is gone: what was written under it and is sent again, because its answer was lost, is still to be answered the same.
 */
import type { Fence } from '../../domain/port.js'
import type { Call } from '../route.js'
import { deskOf } from './desk.js'

export async function ownFences(
  call: Pick<Call, 'store' | 'tenant' | 'server'>,
  fences: readonly Fence[],
): Promise<(fence: Fence) => boolean> {
  const { store, tenant, server } = call
  const own = await deskOf(server).leases.of(
    call,
    fences.map(({ lease }) => lease),
  )
  const others = fences.filter(({ lease }) => !own.has(lease)).map(({ jobId }) => jobId)
  const tenants = others.length === 0 ? new Map() : await store.read.tenantsOf([...new Set(others)])
  return ({ jobId, lease }) => own.has(lease) || tenants.get(jobId) === tenant
}
