/** Limits the long polls of a tenant at this server: for jobs, ends and events. Each costs memory and a connection, but no query. */
import { holdfastError } from '../../domain/errors/errors.js'
import type { Call } from '../http/route.js'

export class Waits {
  readonly #perTenantMax: number
  readonly #perTenant = new Map<string, number>()

  constructor(perTenantMax: number) {
    this.#perTenantMax = perTenantMax
  }

  count(tenant: string): number {
    return this.#perTenant.get(tenant) ?? 0
  }

  /** Counts a call; returns the function that ends it, which may be called more than once. */
  enter(tenant: string): () => void {
    if (this.count(tenant) >= this.#perTenantMax)
      throw holdfastError('limit_exceeded', { limit: 'waitsPerTenantMax', max: this.#perTenantMax })
    this.#perTenant.set(tenant, this.count(tenant) + 1)
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      const left = this.count(tenant) - 1
      if (left === 0) this.#perTenant.delete(tenant)
      else this.#perTenant.set(tenant, left)
    }
  }
}

/** Runs a long poll; throws `limit_exceeded` if the tenant has too many. */
export async function waiting<T>(
  { server, tenant }: Pick<Call, 'server' | 'tenant'>,
  work: () => Promise<T>,
): Promise<T> {
  const leave = server.waits.enter(tenant)
  try {
    return await work()
  } finally {
    leave()
  }
}
