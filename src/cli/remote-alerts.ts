/** Alerts and webhooks of a server, in the shape the store has them. Whether an address may be called is then the server's to say. */
import type { AlertFilter as RemoteFilter } from '../client/alerts.js'
import type { Client } from '../client/client.js'
import type { NewRemoteWebhook } from '../client/webhooks.js'
import { given } from '../domain/given.js'
import type { AlertFilter, AlertRuleOptions } from '../store/alerts.js'
import type { NewWebhook } from '../webhooks/desk.js'
import { type Act, why } from './remote-act.js'

export function alertsPart({ alerts }: Client) {
  return {
    list: async ({ all = false, state, rule, limit }: AlertFilter) => {
      const filter = { state: state ?? (all ? 'any' : 'live'), rule, limit }
      return (await alerts.list(given(filter) as RemoteFilter)).alerts
    },
    get: (id: number) => alerts.get(id),
    history: async ({ alert, limit = 100 }: { alert?: number; limit?: number }) =>
      (await alerts.history({ limit, ...given({ alert }) })).events,
    silence: async (id: number, { until, forMs = 0, ...act }: Act & { until?: string; forMs?: number }) => {
      const end = until === undefined ? { forMs } : { until: new Date(until) }
      return (await alerts.silence(id, end, why(act))).silencedUntil
    },
    unsilence: async (id: number, act: Act) => {
      const { silencedUntil } = await alerts.get(id)
      await alerts.unsilence(id, why(act))
      return silencedUntil !== null
    },
    rules: () => alerts.rules(),
    setRule: async (
      rule: string,
      options: AlertRuleOptions,
      { subject = '', ...act }: Act & { subject?: string },
    ) => {
      await alerts.setRule(rule, { subject, ...options }, why(act))
    },
  }
}

export function webhooksPart({ webhooks }: Client) {
  return {
    add: ({ name, url, secret, rules, tenant, ...act }: NewWebhook) => {
      const everyTenant = tenant === '*' || undefined
      return webhooks.add(given({ name, url, secret, rules, everyTenant }) as NewRemoteWebhook, why(act))
    },
    list: async () => (await webhooks.list({ limit: 500 })).webhooks,
    enable: async (id: number, enabled: boolean, act: Act) => {
      const was = await webhooks.get(id)
      await webhooks.enable(id, enabled, why(act))
      return was.enabled !== enabled
    },
    remove: (id: number, act: Act) => webhooks.remove(id, why(act)),
    test: (id: number) => webhooks.test(id),
    deliveries: async (id: number, { limit = 20 }: { limit?: number } = {}) =>
      (await webhooks.deliveries(id, { limit })).deliveries,
  }
}
