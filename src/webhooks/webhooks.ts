/** Webhooks as people and programs use them: added with a checked address, tested, and notified of alerts. */

import type { Delivery, Webhook } from '../store/alerts/webhooks.js'
import type { Attribution } from '../store/job-commands.js'
import type { Store } from '../store/store.js'
import { checkWebhookUrl, type WebhookOptions } from './addresses.js'
import { Deliveries } from './deliveries.js'
import { type SendResult, sendWebhook } from './send.js'
import { checkWebhookSecret, newWebhookSecret } from './signature.js'

export interface NewWebhook extends Attribution {
  /** '*' hears of every tenant and of the installation. */
  readonly tenant?: string
  readonly name: string
  readonly url: string
  /** Made if not given. */
  readonly secret?: string
  /** Only of these; all if not given. */
  readonly rules?: readonly string[]
}

export class Webhooks {
  readonly #store: Pick<Store, 'webhooks'>
  readonly #options: WebhookOptions

  constructor(store: Pick<Store, 'webhooks'>, options: WebhookOptions = {}) {
    this.#store = store
    this.#options = options
  }

  /** The same for calls that act for one tenant. */
  on(store: Pick<Store, 'webhooks'>): Webhooks {
    return new Webhooks(store, this.#options)
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

  enable(id: number, enabled: boolean, act?: Attribution): Promise<boolean> {
    return this.#store.webhooks.enable(id, enabled, act)
  }

  remove(id: number, act?: Attribution): Promise<void> {
    return this.#store.webhooks.remove(id, act)
  }

  deliveries(id: number, where?: { before?: number; limit?: number }): Promise<Delivery[]> {
    return this.#store.webhooks.deliveries(id, where)
  }

  /** Calls it now, with a message that says it is a test. */
  async test(id: number): Promise<SendResult> {
    const target = await this.#store.webhooks.target(id)
    const at = new Date().toISOString()
    const body = JSON.stringify({ type: 'alert.test', timestamp: at, data: { summary: 'This is a test.' } })
    return sendWebhook(target, { id: `test_${id}_${Date.now()}`, body }, this.#options)
  }

  /** Sends what is due, one round of it; answers how many arrived and how many did not. Those that `stopping` breaks off are given back. */
  async deliver(stopping?: AbortSignal): Promise<{ arrived: number; failed: number }> {
    const deliveries = new Deliveries(this.#store, this.#options)
    const { arrived, failed } = await deliveries.round(stopping)
    const rest = await deliveries.finish()
    return { arrived: arrived + rest.arrived, failed: failed + rest.failed }
  }
}
