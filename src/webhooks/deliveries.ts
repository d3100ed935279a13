/**
 * Sends what is due to webhooks. Each tenant has a few places of its own, and nothing waits for the slowest call: one tenant whose receivers
 * hang fills its own slots and delays no other tenant.
 */
import { alertSentence } from '../domain/alerts.js'
import { backoffMs } from '../domain/retry.js'
import type { TakenDelivery } from '../store/alerts/webhooks.js'
import type { Store } from '../store/store.js'
import type { WebhookOptions } from './addresses.js'
import { callTimeoutMs, type SendResult, sendWebhook } from './send.js'

/** Calls of one process at once, for one tenant and for all. */
export const CALLS_PER_TENANT = 8
const CALLS_MAX = 400
/** While calls are under way, what has become due meanwhile is looked for after this. */
const LOOK_AGAIN_MS = 1_000

/** What becomes of a delivery that keeps failing: twice as long each time, up to an hour, for about half a day. */
export const RETRIES = { attemptsMax: 20, baseMs: 10_000, capMs: 3_600_000 } as const

export interface Ends {
  readonly arrived: number
  readonly failed: number
}

export interface Round extends Ends {
  /** More may be due already, or is under way. */
  readonly more: boolean
}

export class Deliveries {
  readonly #store: Pick<Store, 'webhooks'>
  readonly #options: WebhookOptions
  /** A process that says nothing for so long after it took a delivery has died. */
  readonly #leaseMs: number
  /** Calls under way by the tenant of their webhook. */
  readonly #busy = new Map<string, number>()
  readonly #calls = new Set<Promise<void>>()
  #arrived = 0
  #failed = 0
  #errors: unknown[] = []

  constructor(store: Pick<Store, 'webhooks'>, options: WebhookOptions = {}) {
    this.#store = store
    this.#options = options
    this.#leaseMs = 2 * callTimeoutMs(options) + 10_000
  }

  /** Begins what is due and waits until a call has ended, but not for long. Those that `stopping` breaks off are given back. */
  async round(stopping?: AbortSignal): Promise<Round> {
    const begun = await this.#begin(stopping)
    await this.#oneEnds()
    return { ...this.#ends(), more: begun > 0 || this.#calls.size > 0 }
  }

  /** Waits for every call under way; answers those that ended since the last answer. */
  async finish(): Promise<Ends> {
    while (this.#calls.size > 0) await Promise.all(this.#calls)
    return this.#ends()
  }

  async #begin(stopping: AbortSignal | undefined): Promise<number> {
    const limit = CALLS_MAX - this.#calls.size
    if (limit <= 0) return 0
    const busy = Object.fromEntries(this.#busy)
    const due = await this.#store.webhooks.take(limit, this.#leaseMs, { perTenant: CALLS_PER_TENANT, busy })
    for (const delivery of due) this.#start(delivery, stopping)
    return due.length
  }

  #start(delivery: TakenDelivery, stopping: AbortSignal | undefined): void {
    const tenant = delivery.webhookTenant
    this.#busy.set(tenant, (this.#busy.get(tenant) ?? 0) + 1)
    const call = this.#send(delivery, stopping)
      .catch((error: unknown) => void this.#errors.push(error))
      .finally(() => {
        this.#calls.delete(call)
        const left = (this.#busy.get(tenant) ?? 1) - 1
        if (left > 0) this.#busy.set(tenant, left)
        else this.#busy.delete(tenant)
      })
    this.#calls.add(call)
  }

  async #send(delivery: TakenDelivery, stopping: AbortSignal | undefined): Promise<void> {
    const { id, attempt } = delivery
    const message = { id: `delivery_${id}`, body: JSON.stringify(payloadOf(delivery)) }
    let answer: SendResult
    try {
      answer = await sendWebhook(delivery, message, this.#options, stopping)
    } catch {
      await this.#store.webhooks.giveBack(id, attempt)
      return
    }
    const retryMs = answer.arrived ? undefined : retryMsAfter(attempt)
    await this.#store.webhooks.settle(id, attempt, { ...answer, retryMs })
    if (answer.arrived) this.#arrived++
    else this.#failed++
  }

  async #oneEnds(): Promise<void> {
    if (this.#calls.size === 0) return
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LOOK_AGAIN_MS)
    })
    await Promise.race([...this.#calls, patience])
    clearTimeout(timer)
  }

  /** An outcome that could not be written fails the next call; the delivery is repeated when its lease expires. */
  #ends(): Ends {
    const [error] = this.#errors.splice(0)
    if (error !== undefined) throw error
    const ends = { arrived: this.#arrived, failed: this.#failed }
    this.#arrived = 0
    this.#failed = 0
    return ends
  }
}

/** Undefined: that was the last time. A fifth more or less, so that what failed together does not come back together. */
export function retryMsAfter(attempt: number, random = Math.random()): number | undefined {
  if (attempt >= RETRIES.attemptsMax) return undefined
  const { baseMs, capMs } = RETRIES
  return backoffMs({
    failures: attempt - 1,
    baseMs,
    factor: 2,
    capMs,
    jitterLow: -0.2,
    jitterHigh: 0.2,
    random,
  })
}

/** What a receiver gets. Facts of the moment it happened, so that it is the same however late it arrives. */
function payloadOf({ type, at, alertId, tenant, rule, subject, value, threshold, data }: TakenDelivery) {
  return {
    type: `alert.${type}`,
    timestamp: at.toISOString(),
    data: {
      alert_id: alertId,
      tenant,
      rule,
      subject,
      value,
      threshold,
      summary: alertSentence({ rule, subject, value, threshold, data }),
      details: data,
    },
  }
}
