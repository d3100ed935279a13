/**
 * Limits how many large bodies the process handles at once, per tenant and in total. A body that has to wait is not read meanwhile, so
 * it costs only its connection. A slot is held until the response is sent, because the values stay in memory until then. Calls of
 * workers have slots of their own: a tenant that enqueues megabytes must not keep its own workers from finishing jobs.
 */
export interface LargeBodyLimits {
  readonly largeBodiesMax: number
  readonly largeBodiesPerTenantMax: number
}

interface WaitingBody {
  readonly tenant: string
  readonly enter: () => void
}

export class LargeBodies {
  readonly #limits: LargeBodyLimits
  readonly #perTenant = new Map<string, number>()
  #inside = 0
  /** In order of arrival; a body whose tenant has no free slot is skipped. */
  #waiting: WaitingBody[] = []

  constructor(limits: LargeBodyLimits) {
    this.#limits = limits
  }

  get inside(): number {
    return this.#inside
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Resolves when there is a free slot, with a function that frees it again. The signal ends the wait. */
  async enter(tenant: string, signal: AbortSignal): Promise<() => void> {
    if (!this.#hasSlot(tenant)) await this.#wait(tenant, signal)
    else this.#take(tenant)
    let isFreed = false
    return () => {
      if (isFreed) return
      isFreed = true
      this.#free(tenant)
    }
  }

  #hasSlot(tenant: string): boolean {
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
        this.#waiting = this.#waiting.filter((each) => each !== waiting)
        reject(signal.reason)
      }
      const waiting: WaitingBody = {
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

  #free(tenant: string): void {
    this.#inside -= 1
    const left = (this.#perTenant.get(tenant) ?? 1) - 1
    if (left === 0) this.#perTenant.delete(tenant)
    else this.#perTenant.set(tenant, left)
    const next = this.#waiting.find((each) => this.#hasSlot(each.tenant))
    if (next === undefined) return
    this.#waiting = this.#waiting.filter((each) => each !== next)
    this.#take(next.tenant)
    next.enter()
  }
}
