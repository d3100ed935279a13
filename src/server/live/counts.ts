/** How much is where, for each tenant that somebody follows: counted only when something happened there, and not all the time even then. */
import type { FollowedCounts } from '../../store/follow.js'

interface Counted {
  /** As JSON. */
  readonly text: string
  readonly at: number
  readonly version: number
  stale: boolean
}

export class Counts {
  readonly #everyMs: number
  readonly #counted = new Map<string, Counted>()
  #version = 0

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  follow(tenant: string): void {
    if (!this.#counted.has(tenant))
      this.#counted.set(tenant, { text: '', at: Number.NEGATIVE_INFINITY, stale: true, version: -1 })
  }

  /** Something happened in a queue of this tenant. */
  outdate(tenant: string): void {
    const counted = this.#counted.get(tenant)
    if (counted !== undefined) counted.stale = true
  }

  /** What is newer than a version; undefined: nothing. */
  since(tenant: string, version: number): Counted | undefined {
    const counted = this.#counted.get(tenant)
    return counted === undefined || counted.version <= version ? undefined : counted
  }

  /** Tenants to be counted now; those nobody follows any more are forgotten. */
  toCount(followed: ReadonlySet<string>): string[] {
    const now = performance.now()
    return [...this.#counted].flatMap(([tenant, { stale, at }]) => {
      if (!followed.has(tenant)) {
        this.#counted.delete(tenant)
        return []
      }
      return stale && now - at >= this.#everyMs ? [tenant] : []
    })
  }

  learn(counts: readonly FollowedCounts[]): void {
    const byTenant = new Map<string, object[]>()
    for (const { tenant, ...rest } of counts) byTenant.set(tenant, [...(byTenant.get(tenant) ?? []), rest])
    for (const [tenant, queues] of byTenant) {
      const before = this.#counted.get(tenant)
      if (before === undefined) continue
      const text = JSON.stringify({ queues })
      const version = text === before.text ? before.version : this.#version++
      this.#counted.set(tenant, { text, at: performance.now(), stale: false, version })
    }
  }

  clear(): void {
    this.#counted.clear()
  }
}
