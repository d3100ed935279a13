/** Alerts and webhooks of a server, in the shape the store has them. Whether an address may be called is then the server's to say. */
import { type Calls, received } from '../client/calls.js'
import { toWire } from '../contract/case.js'
import type { AlertFilter, AlertRuleOptions } from '../store/alerts.js'
import type { Act } from '../store/operate.js'
import type { NewWebhook } from '../webhooks/desk.js'
import { why } from './why.js'

const of = (id: number) => ({ params: { id } })

export function alertsPart(calls: Calls) {
  return {
    list: async ({ all = false, state, rule, limit }: AlertFilter) => {
      const query = { state: state ?? (all ? 'any' : 'live'), rule, page_size: limit }
      const { alerts } = await calls.call('GET', '/api/v1/alerts', {
        query: said(query) as { state: 'live' },
      })
      return alerts.map((alert) => received(alert))
    },
    get: async (id: number) => received(await calls.call('GET', '/api/v1/alerts/{id}', of(id))),
    history: async ({ alert, limit = 100 }: { alert?: number; limit?: number }) => {
      const query = { page_size: limit }
      const { events } =
        alert === undefined
          ? await calls.call('GET', '/api/v1/alerts/history', { query })
          : await calls.call('GET', '/api/v1/alerts/{id}/history', { ...of(alert), query })
      return events.map((event) => received(event))
    },
    silence: async (id: number, { until, forMs, ...act }: Act & { until?: string; forMs?: number }) => {
      const body = { ...said({ until, for_ms: forMs }), ...why(act) }
      const alert = await calls.call('POST', '/api/v1/alerts/{id}/silence', { ...of(id), body })
      return new Date(alert.silenced_until as string)
    },
    unsilence: async (id: number, act: Act) => {
      const was = await calls.call('GET', '/api/v1/alerts/{id}', of(id))
      await calls.call('DELETE', '/api/v1/alerts/{id}/silence', { ...of(id), body: why(act) })
      return was.silenced_until !== null
    },
    rules: async () => {
      const { rules } = await calls.call('GET', '/api/v1/alert-rules', {})
      return rules.map((rule) => received(rule))
    },
    setRule: async (
      rule: string,
      options: AlertRuleOptions,
      { subject = '', ...act }: Act & { subject?: string },
    ) => {
      const body = { subject, ...said(toWire<object>(options)), ...why(act) }
      await calls.call('PUT', '/api/v1/alert-rules/{rule}', { params: { rule }, body })
    },
  }
}

export function webhooksPart(calls: Calls) {
  return {
    add: ({ name, url, secret, rules, tenant, ...act }: NewWebhook) =>
      calls.call('POST', '/api/v1/webhooks', {
        body: {
          name,
          url,
          ...said({ secret, rules: rules as never, every_tenant: tenant === '*' || undefined }),
          ...why(act),
        },
      }),
    list: async () => {
      const { webhooks } = await calls.call('GET', '/api/v1/webhooks', { query: { page_size: 500 } })
      return webhooks.map((webhook) => received(webhook))
    },
    enable: async (id: number, enabled: boolean, act: Act) => {
      const was = await calls.call('GET', '/api/v1/webhooks/{id}', of(id))
      await calls.call('PATCH', '/api/v1/webhooks/{id}', { ...of(id), body: { enabled, ...why(act) } })
      return was.enabled !== enabled
    },
    remove: async (id: number, act: Act) => {
      await calls.call('DELETE', '/api/v1/webhooks/{id}', { ...of(id), body: why(act) })
    },
    test: (id: number) => calls.call('POST', '/api/v1/webhooks/{id}/test', of(id)),
    deliveries: async (id: number, { limit = 20 }: { limit?: number } = {}) => {
      const query = { page_size: limit }
      const { deliveries } = await calls.call('GET', '/api/v1/webhooks/{id}/deliveries', { ...of(id), query })
      return deliveries.map((delivery) => received(delivery))
    },
  }
}

/** What was not said is not sent. */
function said<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}
