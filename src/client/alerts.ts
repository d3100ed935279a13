/** What a server found wrong with itself, what counts as wrong, and quiet for a while. */
import { toWire } from '../contract/case.js'
import type { AnswerAt, BodyAt, EndpointAt, QueryAt, Received } from './api.js'
import { type Calls, type Paging, pageOf, received } from './calls.js'
import type { Why } from './steering.js'

type Listing = NonNullable<QueryAt<EndpointAt<'GET', '/api/v1/alerts'>>>
type RuleBody = BodyAt<EndpointAt<'PUT', '/api/v1/alert-rules/{rule}'>>
type SilenceBody = BodyAt<EndpointAt<'POST', '/api/v1/alerts/{id}/silence'>>

export type RemoteAlert = Received<AnswerAt<EndpointAt<'GET', '/api/v1/alerts/{id}'>>>
export type RemoteAlertEvent = Received<
  AnswerAt<EndpointAt<'GET', '/api/v1/alerts/history'>>['events'][number]
>
export type RemoteAlertRule = Received<AnswerAt<EndpointAt<'GET', '/api/v1/alert-rules'>>['rules'][number]>

export type AlertFilter = Paging & Pick<Listing, 'state' | 'rule'>
/** Null leaves it to the settings again; `subject` is the queue, `queue/kind` or schedule it is said of, and all of them if left out. */
export type AlertRuleChange = Omit<Received<RuleBody>, 'reason'>
/** Either until a time or for so long. */
export type Silence = { readonly until: Date } | { readonly forMs: number }

export class Alerts {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Those that are pending or firing, unless another state is asked for, or `any`. */
  async list({ state, rule, ...paging }: AlertFilter = {}): Promise<{
    alerts: RemoteAlert[]
    next: string | null
  }> {
    const query = { state, rule, ...pageOf(paging) }
    const { alerts, next_page_token: next } = await this.#calls.call('GET', '/api/v1/alerts', { query })
    return { alerts: alerts.map((alert) => received(alert)), next }
  }

  async get(id: number): Promise<RemoteAlert> {
    return received(await this.#calls.call('GET', '/api/v1/alerts/{id}', of(id)))
  }

  /** What happened to one alert, or to all of the tenant, the newest first. */
  async history({ alert, ...paging }: Paging & { readonly alert?: number } = {}): Promise<{
    events: RemoteAlertEvent[]
    next: string | null
  }> {
    const query = pageOf(paging)
    const { events, next_page_token: next } =
      alert === undefined
        ? await this.#calls.call('GET', '/api/v1/alerts/history', { query })
        : await this.#calls.call('GET', '/api/v1/alerts/{id}/history', { ...of(alert), query })
    return { events: events.map((event) => received(event)), next }
  }

  /** Tells nobody of it for a while, whether it fires now or later. */
  async silence(id: number, silence: Silence, why: Why = {}): Promise<RemoteAlert> {
    const body = toWire<SilenceBody>({ ...silence, ...why })
    return received(await this.#calls.call('POST', '/api/v1/alerts/{id}/silence', { ...of(id), body }))
  }

  async unsilence(id: number, why: Why = {}): Promise<RemoteAlert> {
    const sent = { ...of(id), body: why, repeatable: true }
    return received(await this.#calls.call('DELETE', '/api/v1/alerts/{id}/silence', sent))
  }

  /** Every rule as it holds for the tenant, and subjects that have it otherwise. */
  async rules(): Promise<RemoteAlertRule[]> {
    const { rules } = await this.#calls.call('GET', '/api/v1/alert-rules', {})
    return rules.map((rule) => received(rule))
  }

  async setRule(rule: string, change: AlertRuleChange, why: Why = {}): Promise<RemoteAlertRule[]> {
    const body = toWire<RuleBody>({ ...change, ...why })
    const sent = { params: { rule }, body, repeatable: true }
    const { rules } = await this.#calls.call('PUT', '/api/v1/alert-rules/{rule}', sent)
    return rules.map((each) => received(each))
  }
}

const of = (id: number) => ({ params: { id } })
