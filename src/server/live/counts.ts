/** Counts of jobs per queue, for each tenant with subscribers: updated only after an event of the tenant, and at a limited rate. */
import type { TenantCounts } from '../../store/event-feed.js'

interface TenantCount {
  /** As JSON. */
  readonly text: string
  readonly countedAt: number
  readonly version: number
  stale: boolean
}

export class LiveCounts {
  readonly #everyMs: number
  readonly #counted = new Map<string, TenantCount>()
  #version = 0

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  follow(tenant: string): void {
    if (!this.#counted.has(tenant))
      this.#counted.set(tenant, { text: '', countedAt: Number.NEGATIVE_INFINITY, stale: true, version: -1 })
  }

  /** There was an event in a queue of this tenant. */
  markStale(tenant: string): void {
    const counted = this.#counted.get(tenant)
    if (counted !== undefined) counted.stale = true
  }

  /** The counts, if they are newer than this version. */
  since(tenant: string, version: number): TenantCount | undefined {
    const counted = this.#counted.get(tenant)
    return counted === undefined || counted.version <= version ? undefined : counted
  }

  /** Tenants to count now; drops those without subscribers. */
  toCount(followed: ReadonlySet<string>): string[] {
    const now = performance.now()
    return [...this.#counted].flatMap(([tenant, { stale, countedAt }]) => {
      if (!followed.has(tenant)) {
        this.#counted.delete(tenant)
        return []
      }
      return stale && now - countedAt >= this.#everyMs ? [tenant] : []
    })
  }

  update(counts: readonly TenantCounts[]): void {
    const byTenant = new Map<string, object[]>()
    for (const { tenant, ...rest } of counts) byTenant.set(tenant, [...(byTenant.get(tenant) ?? []), rest])
    for (const [tenant, queues] of byTenant) {
      const before = this.#counted.get(tenant)
      if (before === undefined) continue
      const text = JSON.stringify({ queues })
      const version = text === before.text ? before.version : this.#version++
      this.#counted.set(tenant, { text, countedAt: performance.now(), stale: false, version })
    }
  }

  clear(): void {
    this.#counted.clear()
  }
}
