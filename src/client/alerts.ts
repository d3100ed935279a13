/** Alerts, alert rules and silences over HTTP. */
import { toWire } from '../contract/case.js'
import type { AnswerAt, BodyAt, EndpointAt, QueryAt, ReceivedBody } from './api.js'
import { type Calls, type Paging, pageOf, received } from './calls.js'
import type { CommandReason } from './commands.js'

type AlertListing = NonNullable<QueryAt<EndpointAt<'GET', '/api/v1/alerts'>>>
type RuleBody = BodyAt<EndpointAt<'PUT', '/api/v1/alert-rules/{rule}'>>
type SilenceBody = BodyAt<EndpointAt<'POST', '/api/v1/alerts/{id}/silence'>>

export type ApiAlert = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/alerts/{id}'>>>
export type ApiAlertEvent = ReceivedBody<
  AnswerAt<EndpointAt<'GET', '/api/v1/alerts/history'>>['events'][number]
>
export type ApiAlertRule = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/alert-rules'>>['rules'][number]>

export type AlertQuery = Paging & Pick<AlertListing, 'state' | 'rule'>
/** Null restores the value of the settings. `subject` is a queue, `queue/kind` or schedule; default: all subjects. */
export type AlertRuleChange = Omit<ReceivedBody<RuleBody>, 'reason'>
/** Either a time or a duration. */
export type Silence = { readonly until: Date } | { readonly forMs: number }

export class AlertCalls {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Pending and firing alerts; or those of one state, or `any`. */
  async list({ state, rule, ...paging }: AlertQuery = {}): Promise<{
    alerts: ApiAlert[]
    next: string | null
  }> {
    const query = { state, rule, ...pageOf(paging) }
    const { alerts, next_page_token: next } = await this.#calls.call('GET', '/api/v1/alerts', { query })
    return { alerts: alerts.map((alert) => received(alert)), next }
  }

  async get(id: number): Promise<ApiAlert> {
    return received(await this.#calls.call('GET', '/api/v1/alerts/{id}', byId(id)))
  }

  /** Events of one alert, or of all alerts of the tenant, newest first. */
  async history({ alert, ...paging }: Paging & { readonly alert?: number } = {}): Promise<{
    events: ApiAlertEvent[]
    next: string | null
  }> {
    const query = pageOf(paging)
    const { events, next_page_token: next } =
      alert === undefined
        ? await this.#calls.call('GET', '/api/v1/alerts/history', { query })
        : await this.#calls.call('GET', '/api/v1/alerts/{id}/history', { ...byId(alert), query })
    return { events: events.map((event) => received(event)), next }
  }

  /** Silences an alert: no webhook is called for a while. */
  async silence(id: number, silence: Silence, why: CommandReason = {}): Promise<ApiAlert> {
    const body = toWire<SilenceBody>({ ...silence, ...why })
    return received(await this.#calls.call('POST', '/api/v1/alerts/{id}/silence', { ...byId(id), body }))
  }

  async unsilence(id: number, why: CommandReason = {}): Promise<ApiAlert> {
    const sent = { ...byId(id), body: why, repeatable: true }
    return received(await this.#calls.call('DELETE', '/api/v1/alerts/{id}/silence', sent))
  }

  /** Alert rules of the tenant, with exceptions for subjects. */
  async rules(): Promise<ApiAlertRule[]> {
    const { rules } = await this.#calls.call('GET', '/api/v1/alert-rules', {})
    return rules.map((rule) => received(rule))
  }

  async setRule(rule: string, change: AlertRuleChange, why: CommandReason = {}): Promise<ApiAlertRule[]> {
    const body = toWire<RuleBody>({ ...change, ...why })
    const sent = { params: { rule }, body, repeatable: true }
    const { rules } = await this.#calls.call('PUT', '/api/v1/alert-rules/{rule}', sent)
    return rules.map((each) => received(each))
  }
}

const byId = (id: number) => ({ params: { id } })
