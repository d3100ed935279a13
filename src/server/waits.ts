/** How many calls of a tenant wait at this server: for jobs, for ends, for events. Each costs memory and a connection of its caller's, no more. */
import { holdfastError } from '../domain/errors.js'
import type { Call } from './route.js'

export class Waits {
  readonly #most: number
  readonly #perTenant = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  of(tenant: string): number {
    return this.#perTenant.get(tenant) ?? 0
  }

  /** Answers how to leave, once or more. */
  enter(tenant: string): () => void {
    if (this.of(tenant) >= this.#most)
      throw holdfastError('limit_exceeded', { limit: 'waitsPerTenantMax', most: this.#most })
    this.#perTenant.set(tenant, this.of(tenant) + 1)
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      const left = this.of(tenant) - 1
      if (left === 0) this.#perTenant.delete(tenant)
      else this.#perTenant.set(tenant, left)
    }
  }
}

/** Counted while it waits; refused where the tenant has too many that do. */
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
