/** Who is told of the alerts of a server. */
import { toWire } from '../contract/case.js'
import type { AnswerAt, BodyAt, EndpointAt, Received } from './api.js'
import { type Calls, type Paging, pageOf, received } from './calls.js'
import type { Why } from './steering.js'

type NewBody = BodyAt<EndpointAt<'POST', '/api/v1/webhooks'>>

export type RemoteWebhook = Received<AnswerAt<EndpointAt<'GET', '/api/v1/webhooks/{id}'>>>
export type RemoteDelivery = Received<
  AnswerAt<EndpointAt<'GET', '/api/v1/webhooks/{id}/deliveries'>>['deliveries'][number]
>
export type NewRemoteWebhook = Omit<Received<NewBody>, 'reason'>

export class Webhooks {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  async list(paging: Paging = {}): Promise<{ webhooks: RemoteWebhook[]; next: string | null }> {
    const query = pageOf(paging)
    const { webhooks, next_page_token: next } = await this.#calls.call('GET', '/api/v1/webhooks', { query })
    return { webhooks: webhooks.map((webhook) => received(webhook)), next }
  }

  async get(id: number): Promise<RemoteWebhook> {
    return received(await this.#calls.call('GET', '/api/v1/webhooks/{id}', of(id)))
  }

  /** `secret` is what its calls are signed with, and answered this once. */
  async add(
    webhook: NewRemoteWebhook,
    why: Why = {},
  ): Promise<{ readonly id: number; readonly secret: string }> {
    const body = toWire<NewBody>({ ...webhook, ...why })
    return this.#calls.call('POST', '/api/v1/webhooks', { body })
  }

  /** What waits for it when it is switched off is dropped. */
  async enable(id: number, enabled: boolean, why: Why = {}): Promise<RemoteWebhook> {
    const sent = { ...of(id), body: { enabled, ...why }, repeatable: true }
    return received(await this.#calls.call('PATCH', '/api/v1/webhooks/{id}', sent))
  }

  async remove(id: number, why: Why = {}): Promise<void> {
    await this.#calls.call('DELETE', '/api/v1/webhooks/{id}', { ...of(id), body: why })
  }

  /** Calls it now with a message that says it is a test. */
  test(id: number): Promise<AnswerAt<EndpointAt<'POST', '/api/v1/webhooks/{id}/test'>>> {
    return this.#calls.call('POST', '/api/v1/webhooks/{id}/test', of(id))
  }

  /** What was sent to it or waits to be, the newest first. */
  async deliveries(
    id: number,
    paging: Paging = {},
  ): Promise<{ deliveries: RemoteDelivery[]; next: string | null }> {
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
