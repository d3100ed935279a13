/**
 * The limits of tenants where jobs come in: how many may live, how many may be made a second, how large an input may be. Known to
 * this server for a moment, so that a tenant without limits pays nothing. Jobs that live are counted only when those counted
 * before and those let in since might be too many: until then the true number cannot be.
 */
import { holdfastError } from '../domain/errors.js'
import { mapInSlices } from '../domain/give-way.js'
import type { NewJob } from '../store/new-job.js'
import type { Store } from '../store/store.js'
import type { Tenant } from '../store/tenants.js'
import type { HttpLimits } from './limits.js'
import { Buckets } from './rate-limit.js'

interface Known {
  readonly tenant: Tenant
  readonly until: number
  /** At most this many live. */
  live: number
}

export class Intake {
  readonly #store: Store
  readonly #limits: HttpLimits
  readonly #known = new Map<string, Known>()
  /** Questions under way: those who come meanwhile for the same tenant share the answer. */
  readonly #asking = new Map<string, Promise<Known>>()
  readonly #rates: Buckets

  constructor(store: Store, limits: HttpLimits, now?: () => number) {
    this.#store = store
    this.#limits = limits
    this.#rates = new Buckets(now)
  }

  /** Lets these jobs in, or refuses them, naming the limit. */
  async admit(tenant: string, jobs: readonly NewJob[]): Promise<void> {
    const known = await this.#of(tenant)
    const { payloadBytesMax, enqueuesPerSecond, maxLiveJobs } = known.tenant
    if (payloadBytesMax !== null) await refuseLarge(jobs, payloadBytesMax)
    if (maxLiveJobs !== null) await this.#makeRoom(known, jobs.length, maxLiveJobs)
    if (enqueuesPerSecond !== null) {
      const waitMs = this.#rates.take(tenant, enqueuesPerSecond, jobs.length)
      if (waitMs > 0)
        throw holdfastError('limit_exceeded', {
          limit: 'enqueues_per_second',
          most: enqueuesPerSecond,
          retryAfterMs: waitMs,
        })
    }
    known.live += jobs.length
  }

  /** Whether an input that is kept for jobs to come, of a schedule or a subject, is one that a job may have. */
  async admitInput(tenant: string, input: unknown): Promise<void> {
    const { payloadBytesMax } = (await this.#of(tenant)).tenant
    if (payloadBytesMax !== null) await refuseLarge([{ input }], payloadBytesMax)
  }

  /** Limits were changed here. */
  forget(tenant: string): void {
    this.#known.delete(tenant)
    this.#asking.delete(tenant)
  }

  async #makeRoom(known: Known, more: number, most: number): Promise<void> {
    if (known.live + more <= most) return
    known.live = await this.#store.tenants.liveJobs(known.tenant.name, most)
    if (known.live + more > most) throw holdfastError('limit_exceeded', { limit: 'max_live_jobs', most })
  }

  async #of(name: string): Promise<Known> {
    const known = this.#known.get(name)
    if (known !== undefined && performance.now() < known.until) return known
    const asked = this.#asking.get(name) ?? this.#ask(name, known)
    this.#asking.set(name, asked)
    try {
      const fresh = await asked
      // Unless limits were changed meanwhile.
      if (this.#asking.get(name) === asked) this.#remember(name, fresh)
      return fresh
    } finally {
      if (this.#asking.get(name) === asked) this.#asking.delete(name)
    }
  }

  async #ask(name: string, known: Known | undefined): Promise<Known> {
    const until = performance.now() + this.#limits.keyTrustMs
    const tenant = await this.#store.tenants.get(name)
    return { tenant, until, live: known?.live ?? Number.POSITIVE_INFINITY }
  }

  #remember(name: string, known: Known): void {
    if (this.#known.size >= this.#limits.keysRememberedMax) this.#known.clear()
    this.#known.set(name, known)
  }
}

async function refuseLarge(jobs: readonly Pick<NewJob, 'input'>[], most: number): Promise<void> {
  await mapInSlices(jobs, (job, index) => {
    if (Buffer.byteLength(JSON.stringify(job.input ?? null)) > most)
      throw holdfastError('limit_exceeded', {
        limit: 'payload_bytes_max',
        most,
        path: jobs.length > 1 ? `/jobs/${index}/input` : '/input',
      })
  })
}
