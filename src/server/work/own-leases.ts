/**
 * Whose a lease is. Leases are numbers, so anybody can name one; what a caller may touch are those of its tenant. A lease never changes
 * its tenant and its number never comes again, so what was learned once stays true.
 */
import type { Call } from '../route.js'

type Asking = Pick<Call, 'store' | 'tenant'>

const REMEMBERED_MAX = 50_000

export class OwnLeases {
  readonly #tenants = new Map<number, string>()

  /** These leases are known to be the tenant's. */
  learn(tenant: string, leases: Iterable<number>): void {
    for (const lease of leases) {
      this.#tenants.delete(lease)
      this.#tenants.set(lease, tenant)
    }
    for (const lease of this.#tenants.keys()) {
      if (this.#tenants.size <= REMEMBERED_MAX) return
      this.#tenants.delete(lease)
    }
  }

  /** It is closed: from here on nobody's. */
  forget(lease: number): void {
    this.#tenants.delete(lease)
  }

  /** Those of these that are the tenant's; what is not there any more is nobody's. */
  async of({ store, tenant }: Asking, leases: readonly number[]): Promise<ReadonlySet<number>> {
    const distinct = [...new Set(leases)]
    const unknown = distinct.filter((lease) => !this.#tenants.has(lease))
    if (unknown.length > 0) this.learn(tenant, await store.work.leasesFor(tenant, unknown))
    return new Set(distinct.filter((lease) => this.#tenants.get(lease) === tenant))
  }

  async has(asking: Asking, lease: number): Promise<boolean> {
    return (await this.of(asking, [lease])).has(lease)
  }
}
