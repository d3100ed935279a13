/**
 * Checks on new jobs. `Intake` applies the limits of a tenant: live jobs, enqueues per second, size of an input. Limits are cached for a
 * moment, so that a tenant without limits costs no query. Live jobs are counted only when the last count plus the jobs admitted since
 * exceeds the limit: below that the true number cannot exceed it either.
 */
import { holdfastError } from '../../domain/errors/errors.js'
import { mapInSlices } from '../../domain/give-way.js'
import type { Tenant } from '../../store/access/tenants.js'
import type { NewJob } from '../../store/enqueue/new-job.js'
import type { Store } from '../../store/store.js'
import type { HttpLimits } from '../http/limits.js'
import { Buckets } from './rate-limit.js'

interface TenantIntake {
  readonly tenant: Tenant
  readonly until: number
  /** Upper bound of the number of live jobs. */
  live: number
}

export class Intake {
  readonly #store: Store
  readonly #limits: HttpLimits
  readonly #known = new Map<string, TenantIntake>()
  /** Running queries, shared by calls of the same tenant. */
  readonly #loading = new Map<string, Promise<TenantIntake>>()
  readonly #rates: Buckets

  constructor(store: Store, limits: HttpLimits, now?: () => number) {
    this.#store = store
    this.#limits = limits
    this.#rates = new Buckets(now)
  }

  /** Throws `limit_exceeded` if the tenant may not enqueue these jobs. */
  async admit(tenant: string, jobs: readonly NewJob[]): Promise<void> {
    const known = await this.#get(tenant)
    const { payloadBytesMax, enqueuesPerSecond, maxLiveJobs } = known.tenant
    if (payloadBytesMax !== null) await refuseLarge(jobs, payloadBytesMax)
    if (maxLiveJobs !== null) await this.#checkLive(known, jobs.length, maxLiveJobs)
    if (enqueuesPerSecond !== null) {
      const waitMs = this.#rates.take(tenant, enqueuesPerSecond, jobs.length)
      if (waitMs > 0)
        throw holdfastError('limit_exceeded', {
          limit: 'enqueues_per_second',
          max: enqueuesPerSecond,
          retryAfterMs: waitMs,
        })
    }
    known.live += jobs.length
  }

  /** Applies the size limit to an input stored for later jobs, of a schedule or a subject. */
  async admitInput(tenant: string, input: unknown): Promise<void> {
    const { payloadBytesMax } = (await this.#get(tenant)).tenant
    if (payloadBytesMax !== null) await refuseLarge([{ input }], payloadBytesMax)
  }

  /** The limits of this tenant were changed through this server. */
  forget(tenant: string): void {
    this.#known.delete(tenant)
    this.#loading.delete(tenant)
  }

  async #checkLive(known: TenantIntake, added: number, liveMax: number): Promise<void> {
    if (known.live + added <= liveMax) return
    known.live = await this.#store.tenants.liveJobs(known.tenant.name, liveMax)
    if (known.live + added > liveMax)
      throw holdfastError('limit_exceeded', { limit: 'max_live_jobs', max: liveMax })
  }

  async #get(name: string): Promise<TenantIntake> {
    const known = this.#known.get(name)
    if (known !== undefined && performance.now() < known.until) return known
    const loading = this.#loading.get(name) ?? this.#load(name, known)
    this.#loading.set(name, loading)
    try {
      const fresh = await loading
      // Not if `forget` was called meanwhile.
      if (this.#loading.get(name) === loading) this.#cache(name, fresh)
      return fresh
    } finally {
      if (this.#loading.get(name) === loading) this.#loading.delete(name)
    }
  }

  async #load(name: string, known: TenantIntake | undefined): Promise<TenantIntake> {
    const until = performance.now() + this.#limits.keyCacheMs
    const tenant = await this.#store.tenants.get(name)
    return { tenant, until, live: known?.live ?? Number.POSITIVE_INFINITY }
  }

  #cache(name: string, known: TenantIntake): void {
    if (this.#known.size >= this.#limits.keysCachedMax) this.#known.clear()
    this.#known.set(name, known)
  }
}

/** Requests that this server is handling, by tenant and Idempotency-Key. A second one with the same key fails with a remedy to retry. */
export class InFlightRequests {
  readonly #keys = new Set<string>()

  async once<T>(tenant: string, idempotencyKey: string | undefined, work: () => Promise<T>): Promise<T> {
    if (idempotencyKey === undefined) return work()
    // The name of a tenant has no space, so two different pairs never make the same text.
    const name = `${tenant} ${idempotencyKey}`
    if (this.#keys.has(name)) throw holdfastError('idempotency_in_flight')
    this.#keys.add(name)
    try {
      return await work()
    } finally {
      this.#keys.delete(name)
    }
  }
}

async function refuseLarge(jobs: readonly Pick<NewJob, 'input'>[], bytesMax: number): Promise<void> {
  await mapInSlices(jobs, (job, index) => {
    if (Buffer.byteLength(JSON.stringify(job.input ?? null)) > bytesMax)
      throw holdfastError('limit_exceeded', {
        limit: 'payload_bytes_max',
        max: bytesMax,
        path: jobs.length > 1 ? `/jobs/${index}/input` : '/input',
      })
  })
}
