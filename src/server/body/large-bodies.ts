/**
 * How many large bodies are at once in this process: of one tenant, and of all. One that has to wait is not read on meanwhile, so it costs its
 * connection and nothing else. It has its place until it is answered, because so long its values are in memory and its statement may be under
 * way. Work that is done has places of its own: a tenant that brings in jobs by the megabyte must not keep its own workers from
 * handing in results.
 */
export interface LargeBodyLimits {
  readonly largeBodiesMax: number
  readonly largeBodiesPerTenantMax: number
}

interface Waiting {
  readonly tenant: string
  readonly enter: () => void
}

export class LargeBodies {
  readonly #limits: LargeBodyLimits
  readonly #perTenant = new Map<string, number>()
  #inside = 0
  /** In the order they came; one whose tenant has no place left is passed over. */
  #waiting: Waiting[] = []

  constructor(limits: LargeBodyLimits) {
    this.#limits = limits
  }

  get inside(): number {
    return this.#inside
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Resolves when there is a place; with how to leave it, once or more. The signal ends the wait. */
  async enter(tenant: string, signal: AbortSignal): Promise<() => void> {
    if (!this.#hasPlace(tenant)) await this.#wait(tenant, signal)
    else this.#take(tenant)
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      this.#leave(tenant)
    }
  }

  #hasPlace(tenant: string): boolean {
    const { largeBodiesMax, largeBodiesPerTenantMax } = this.#limits
    return this.#inside < largeBodiesMax && (this.#perTenant.get(tenant) ?? 0) < largeBodiesPerTenantMax
  }

  #take(tenant: string): void {
    this.#inside += 1
    this.#perTenant.set(tenant, (this.#perTenant.get(tenant) ?? 0) + 1)
  }

  #wait(tenant: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting)
        reject(signal.reason)
      }
      const waiting: Waiting = {
        tenant,
        enter: () => {
          signal.removeEventListener('abort', end)
          resolve()
        },
      }
      this.#waiting.push(waiting)
      signal.addEventListener('abort', end, { once: true })
      if (signal.aborted) end()
    })
  }

  #leave(tenant: string): void {
    this.#inside -= 1
    const left = (this.#perTenant.get(tenant) ?? 1) - 1
    if (left === 0) this.#perTenant.delete(tenant)
    else this.#perTenant.set(tenant, left)
    const next = this.#waiting.find((one) => this.#hasPlace(one.tenant))
    if (next === undefined) return
    this.#waiting = this.#waiting.filter((one) => one !== next)
    this.#take(next.tenant)
    next.enter()
  }
}
