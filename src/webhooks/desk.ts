/** Webhooks as people and programs use them: added with a checked address, tried out, and told of alerts. */
import { alertSentence } from '../domain/alerts.js'
import type { Act } from '../store/operate.js'
import type { Store } from '../store/store.js'
import type { Delivery, TakenDelivery, Webhook } from '../store/webhooks.js'
import { checkWebhookUrl, type WebhookOptions } from './addresses.js'
import { type Answer, CALL_TIMEOUT_MS, sendWebhook } from './send.js'
import { checkWebhookSecret, newWebhookSecret } from './signature.js'

export interface NewWebhook extends Act {
  /** '*' hears of every tenant and of the installation. */
  readonly tenant?: string
  readonly name: string
  readonly url: string
  /** Made if not given. */
  readonly secret?: string
  /** Only of these; all if not given. */
  readonly rules?: readonly string[]
}

/** Calls of one process at once. */
const AT_ONCE = 20
/** A process that says nothing for so long after it took a delivery has died. */
const LEASE_MS = 2 * CALL_TIMEOUT_MS + 10_000

/** What becomes of a delivery that keeps failing: twice as long each time, up to an hour, for about half a day. */
export const RETRIES = { attemptsMax: 20, baseMs: 10_000, capMs: 3_600_000 } as const

type Sent = 'arrived' | 'failed' | 'broken off'

export class WebhookDesk {
  readonly #store: Pick<Store, 'webhooks'>
  readonly #options: WebhookOptions

  constructor(store: Pick<Store, 'webhooks'>, options: WebhookOptions = {}) {
    this.#store = store
    this.#options = options
  }

  /** The same for calls that act for one tenant. */
  on(store: Pick<Store, 'webhooks'>): WebhookDesk {
    return new WebhookDesk(store, this.#options)
  }

  /** The secret is in the answer and in no list. */
  async add(webhook: NewWebhook): Promise<{ id: number; secret: string }> {
    checkWebhookUrl(webhook.url, this.#options)
    const secret = webhook.secret === undefined ? newWebhookSecret() : checkWebhookSecret(webhook.secret)
    return { id: await this.#store.webhooks.add({ ...webhook, secret }), secret }
  }

  list(where?: { tenant?: string; after?: number; limit?: number }): Promise<Webhook[]> {
    return this.#store.webhooks.list(where)
  }

  get(id: number): Promise<Webhook> {
    return this.#store.webhooks.get(id)
  }

  enable(id: number, enabled: boolean, act?: Act): Promise<boolean> {
    return this.#store.webhooks.enable(id, enabled, act)
  }

  remove(id: number, act?: Act): Promise<void> {
    return this.#store.webhooks.remove(id, act)
  }

  deliveries(id: number, where?: { before?: number; limit?: number }): Promise<Delivery[]> {
    return this.#store.webhooks.deliveries(id, where)
  }

  /** Calls it now, with a message that says it is a test. */
  async test(id: number): Promise<Answer> {
    const target = await this.#store.webhooks.target(id)
    const at = new Date().toISOString()
    const body = JSON.stringify({ type: 'alert.test', timestamp: at, data: { summary: 'This is a test.' } })
    return sendWebhook(target, { id: `test_${id}_${Date.now()}`, body }, this.#options)
  }

  /** Sends what is due, one round of it; answers how many arrived and how many did not. Those that `stopping` breaks off are given back. */
  async deliver(stopping?: AbortSignal): Promise<{ arrived: number; failed: number }> {
    const due = await this.#store.webhooks.take(AT_ONCE, LEASE_MS)
    const ends = await Promise.all(due.map((delivery) => this.#send(delivery, stopping)))
    const count = (how: Sent) => ends.filter((end) => end === how).length
    return { arrived: count('arrived'), failed: count('failed') }
  }

  async #send(delivery: TakenDelivery, stopping: AbortSignal | undefined): Promise<Sent> {
    const { id, attempt } = delivery
    const message = { id: `delivery_${id}`, body: JSON.stringify(payloadOf(delivery)) }
    let answer: Answer
    try {
      answer = await sendWebhook(delivery, message, this.#options, stopping)
    } catch {
      await this.#store.webhooks.giveBack(id, attempt)
      return 'broken off'
    }
    const retryMs = answer.arrived ? undefined : retryMsAfter(attempt)
    await this.#store.webhooks.settle(id, attempt, { ...answer, retryMs })
    return answer.arrived ? 'arrived' : 'failed'
  }
}

/** Undefined: that was the last time. A fifth more or less, so that what failed together does not come back together. */
export function retryMsAfter(attempt: number, random = Math.random()): number | undefined {
  if (attempt >= RETRIES.attemptsMax) return undefined
  const ms = Math.min(RETRIES.baseMs * 2 ** (attempt - 1), RETRIES.capMs)
  return Math.round(ms * (0.8 + 0.4 * random))
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
