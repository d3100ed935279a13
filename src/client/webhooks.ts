/** `client.webhooks`: manages the webhooks that receive alerts, over HTTP. */
import { toWire } from '../contract/case.js'
import type { AnswerAt, BodyAt, EndpointAt, ReceivedBody } from './api.js'
import { type Calls, type Paging, pageOf, received } from './calls.js'
import type { CommandReason } from './commands.js'

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
    return received(await this.#calls.call('GET', '/api/v1/webhooks/{id}', byId(id)))
  }

  /** `secret` signs its calls, and is returned only here. */
  async add(
    webhook: NewApiWebhook,
    why: CommandReason = {},
  ): Promise<{ readonly id: number; readonly secret: string }> {
    const body = toWire<NewWebhookBody>({ ...webhook, ...why })
    return this.#calls.call('POST', '/api/v1/webhooks', { body })
  }

  /** Disabling drops deliveries that wait. */
  async enable(id: number, enabled: boolean, why: CommandReason = {}): Promise<ApiWebhook> {
    const sent = { ...byId(id), body: { enabled, ...why }, repeatable: true }
    return received(await this.#calls.call('PATCH', '/api/v1/webhooks/{id}', sent))
  }

  async remove(id: number, why: CommandReason = {}): Promise<void> {
    await this.#calls.call('DELETE', '/api/v1/webhooks/{id}', { ...byId(id), body: why })
  }

  /** Sends a test message now. */
  test(id: number): Promise<AnswerAt<EndpointAt<'POST', '/api/v1/webhooks/{id}/test'>>> {
    return this.#calls.call('POST', '/api/v1/webhooks/{id}/test', byId(id))
  }

  /** Its deliveries, newest first. */
  async deliveries(
    id: number,
    paging: Paging = {},
  ): Promise<{ deliveries: ApiDelivery[]; next: string | null }> {
    const sent = { ...byId(id), query: pageOf(paging) }
    const { deliveries, next_page_token: next } = await this.#calls.call(
      'GET',
      '/api/v1/webhooks/{id}/deliveries',
      sent,
    )
    return { deliveries: deliveries.map((delivery) => received(delivery)), next }
  }
}

const byId = (id: number) => ({ params: { id } })
