/**
 * Which leases belong to which tenant. Leases are numbers, so a caller can send any; it may use only those of its tenant. A lease never
 * changes its tenant and its number is never used again, so what was learned once stays true.
 */
import type { Fence } from '../../domain/port.js'
import type { Call } from '../http/route.js'

type TenantStore = Pick<Call, 'store' | 'tenant'>

const CACHED_MAX = 50_000

export class OwnLeases {
  readonly #tenants = new Map<number, string>()

  /** These leases belong to the tenant. */
  add(tenant: string, leases: Iterable<number>): void {
    for (const lease of leases) {
      this.#tenants.delete(lease)
      this.#tenants.set(lease, tenant)
    }
    for (const lease of this.#tenants.keys()) {
      if (this.#tenants.size <= CACHED_MAX) return
      this.#tenants.delete(lease)
    }
  }

  /** The lease is closed. */
  delete(lease: number): void {
    this.#tenants.delete(lease)
  }

  /** The leases among these that exist and belong to the tenant. */
  async among({ store, tenant }: TenantStore, leases: readonly number[]): Promise<ReadonlySet<number>> {
    const distinct = [...new Set(leases)]
    const uncached = distinct.filter((lease) => !this.#tenants.has(lease))
    if (uncached.length > 0) this.add(tenant, await store.work.leasesFor(tenant, uncached))
    return new Set(distinct.filter((lease) => this.#tenants.get(lease) === tenant))
  }

  async has(call: TenantStore, lease: number): Promise<boolean> {
    return (await this.among(call, [lease])).has(lease)
  }
}

/**
 * Which of these writes a caller may make: those under a lease of its tenant, and those to a job of its tenant. Either is enough, because
 * a write takes effect only where job and lease belong together. The job is looked up only if the lease is not the tenant's, which
 * includes a closed lease: a worker that repeats a write after a lost response still gets the first response.
 */
export async function ownFences(
  call: Pick<Call, 'store' | 'tenant' | 'server'>,
  fences: readonly Fence[],
): Promise<(fence: Fence) => boolean> {
  const { store, tenant, server } = call
  const ownLeases = await server.sessions.leases.among(
    call,
    fences.map(({ lease }) => lease),
  )
  const others = fences.filter(({ lease }) => !ownLeases.has(lease)).map(({ jobId }) => jobId)
  const tenants = others.length === 0 ? new Map() : await store.read.tenantsOf([...new Set(others)])
  return ({ jobId, lease }) => ownLeases.has(lease) || tenants.get(jobId) === tenant
}
