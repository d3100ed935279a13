/** Webhooks for alerts over HTTP. */
import { toWire } from '../contract/case.js'
import type { AnswerAt, BodyAt, EndpointAt, ReceivedBody } from './api.js'
import { type Calls, type Paging, pageOf, received } from './calls.js'
import type { Why } from './steering.js'

type NewWebhookBody = BodyAt<EndpointAt<'POST', '/api/v1/webhooks'>>

export type ApiWebhook = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/webhooks/{id}'>>>
export type ApiDelivery = ReceivedBody<
  AnswerAt<EndpointAt<'GET', '/api/v1/webhooks/{id}/deliveries'>>['deliveries'][number]
>
export type NewApiWebhook = Omit<ReceivedBody<NewWebhookBody>, 'reason'>

export class WebhookCalls {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  async list(paging: Paging = {}): Promise<{ webhooks: ApiWebhook[]; next: string | null }> {
    const query = pageOf(paging)
    const { webhooks, next_page_token: next } = await this.#calls.call('GET', '/api/v1/webhooks', { query })
    return { webhooks: webhooks.map((webhook) => received(webhook)), next }
  }

  async get(id: number): Promise<ApiWebhook> {
    return received(await this.#calls.call('GET', '/api/v1/webhooks/{id}', of(id)))
  }

  /** `secret` signs its calls, and is returned only here. */
  async add(
    webhook: NewApiWebhook,
    why: Why = {},
  ): Promise<{ readonly id: number; readonly secret: string }> {
    const body = toWire<NewWebhookBody>({ ...webhook, ...why })
    return this.#calls.call('POST', '/api/v1/webhooks', { body })
  }

  /** Disabling drops deliveries that wait. */
  async enable(id: number, enabled: boolean, why: Why = {}): Promise<ApiWebhook> {
    const sent = { ...of(id), body: { enabled, ...why }, repeatable: true }
    return received(await this.#calls.call('PATCH', '/api/v1/webhooks/{id}', sent))
  }

  async remove(id: number, why: Why = {}): Promise<void> {
    await this.#calls.call('DELETE', '/api/v1/webhooks/{id}', { ...of(id), body: why })
  }

  /** Sends a test message now. */
  test(id: number): Promise<AnswerAt<EndpointAt<'POST', '/api/v1/webhooks/{id}/test'>>> {
    return this.#calls.call('POST', '/api/v1/webhooks/{id}/test', of(id))
  }

  /** Its deliveries, newest first. */
  async deliveries(
    id: number,
    paging: Paging = {},
  ): Promise<{ deliveries: ApiDelivery[]; next: string | null }> {
    const sent = { ...of(id), query: pageOf(paging) }
    const { deliveries, next_page_token: next } = await this.#calls.call(
      'GET',
      '/api/v1/webhooks/{id}/deliveries',
      sent,
    )
    return { deliveries: deliveries.map((delivery) => received(delivery)), next }
  }
}

const of = (id: number) => ({ params: { id } })
