/** The HTTP side of `Console` for administration: alerts, webhooks, schedules, API keys, tenants and the audit log. */
import { setTimeout as wait } from 'node:timers/promises'
import { type Calls, received } from '../../client/calls.js'
import type { Client } from '../../client/client.js'
import type { CommandReason } from '../../client/commands.js'
import { toWire } from '../../contract/case.js'
import type { Scope } from '../../contract/endpoint.js'
import type { AlertRuleName } from '../../domain/alerts.js'
import { given } from '../../json/given.js'
import type { Attribution } from '../../store/job-commands.js'
import type { Console } from './console.js'

const PAGE_MAX = 500

/** What the API takes of an attribution. */
export function reasonOf({ reason }: Attribution): CommandReason {
  return given({ reason })
}

export function alerts(client: Client): Console['alerts'] {
  return {
    list: async ({ all = false, state, rule, limit } = {}) => {
      // The server refuses a rule it does not have.
      const named = rule as AlertRuleName | undefined
      const filter = { state: state ?? (all ? 'any' : 'live'), ...given({ rule: named, limit }) } as const
      return (await client.alerts.list(filter)).alerts
    },
    get: (id) => client.alerts.get(id),
    history: async ({ alert, limit = 100 } = {}) =>
      (await client.alerts.history({ limit, ...given({ alert }) })).events,
    silence: async (id, { until, forMs = 0, ...act }) => {
      const end = until === undefined ? { forMs } : { until: new Date(until) }
      return (await client.alerts.silence(id, end, reasonOf(act))).silencedUntil
    },
    unsilence: async (id, act = {}) => {
      const { silencedUntil } = await client.alerts.get(id)
      await client.alerts.unsilence(id, reasonOf(act))
      return silencedUntil !== null
    },
    rules: () => client.alerts.rules(),
    setRule: async (rule, options, { subject = '', ...act } = {}) => {
      await client.alerts.setRule(rule, { subject, ...options }, reasonOf(act))
    },
  }
}

/** How often the progress of an operation is read. */
const BULK_POLL_MS = 300

export function bulk({ bulk: calls }: Client): Console['bulk'] {
  return {
    preview: ({ tenant: _fromKey, ...request }) => calls.preview(request),
    start: async ({ tenant: _fromKey, actor: _theKey, expected, idempotencyKey, reason, ...request }) => ({
      operation: await calls.start(request, given({ expected, idempotencyKey, reason })),
    }),
    get: (id) => calls.get(id),
    list: async ({ limit }) => (await calls.list({ limit })).operations,
    results: async (id, where) => (await calls.results(id, where)).results,
    abort: (id, act) => calls.abort(id, reasonOf(act)),
    proceed: (_id, signal) => wait(BULK_POLL_MS, undefined, { signal }).catch(() => {}),
  }
}

export function webhooks(client: Client): Console['webhooks'] {
  return {
    add: ({ name, url, secret, rules, tenant, ...act }) => {
      const everyTenant = tenant === '*' || undefined
      const named = rules as AlertRuleName[] | undefined
      return client.webhooks.add(
        { name, url, ...given({ secret, rules: named, everyTenant }) },
        reasonOf(act),
      )
    },
    list: async () => (await client.webhooks.list({ limit: PAGE_MAX })).webhooks,
    enable: async (id, enabled, act = {}) => {
      const before = await client.webhooks.get(id)
      await client.webhooks.enable(id, enabled, reasonOf(act))
      return before.enabled !== enabled
    },
    remove: (id, act = {}) => client.webhooks.remove(id, reasonOf(act)),
    test: (id) => client.webhooks.test(id),
    deliveries: async (id, { limit = 20 } = {}) =>
      (await client.webhooks.deliveries(id, { limit })).deliveries,
  }
}

export function schedules({ schedules: remote }: Client): Console['schedules'] {
  return {
    all: async () => {
      const found: Awaited<ReturnType<typeof remote.get>>[] = []
      for (let after: string | null | undefined; after !== null; ) {
        const page = await remote.list({ limit: PAGE_MAX, ...given({ after }) })
        found.push(...page.schedules)
        after = page.next
      }
      return found
    },
    get: (name) => remote.get(name),
    create: (schedule, act = {}) => remote.create(schedule, reasonOf(act)),
    update: (name, changes, act = {}) => remote.update(name, changes, reasonOf(act)),
    reset: (name, act = {}) => remote.reset(name, reasonOf(act)),
    remove: (name, act = {}) => remote.remove(name, reasonOf(act)),
    pause: (name, act = {}) => remote.pause(name, reasonOf(act)),
    resume: (name, act = {}) => remote.resume(name, reasonOf(act)),
    run: (name, act = {}) => remote.run(name, reasonOf(act)),
    preview: (name, count) => remote.preview(name, count),
    previewOf: async (expression, timeZone, count) => remote.previewOf(expression, timeZone, count),
    history: async (name, { limit = 50 } = {}) => (await remote.history(name, { limit })).firings,
    explain: (name) => remote.explain(name),
    maintenance: () => remote.maintenance(),
    pauseAll: async ({ until, ...act } = {}) => {
      await remote.pauseAll({ ...reasonOf(act), ...given({ until }) })
    },
    resumeAll: (act = {}) => remote.resumeAll(reasonOf(act)),
  }
}

export function keys(calls: Calls): Console['keys'] {
  const pathOf = (id: number) => ({ params: { id } })
  return {
    create: ({ name, scopes, tenant, expiresAt, rateLimit, ...act }) => {
      const optional = {
        expires_at: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
        rate_limit: rateLimit,
        every_tenant: tenant === '*' || undefined,
      }
      const body = { name, scopes: scopes as Scope[], ...given(optional), ...reasonOf(act) }
      return calls.call('POST', '/api/v1/keys', { body })
    },
    list: async () => {
      const { keys: listed } = await calls.call('GET', '/api/v1/keys', { query: { page_size: PAGE_MAX } })
      return listed.map((key) => received(key))
    },
    keysRequiredSince: async () => {
      const { keys_required_since } = await calls.call('GET', '/api/v1/keys', { query: { page_size: 1 } })
      return keys_required_since === null ? undefined : new Date(keys_required_since)
    },
    rotate: async (id, { overlapMs, ...act } = {}) => {
      const body = { ...given({ overlap_ms: overlapMs }), ...reasonOf(act) }
      return received(await calls.call('POST', '/api/v1/keys/{id}/rotate', { ...pathOf(id), body }))
    },
    revoke: async (id, act = {}) =>
      (await calls.call('DELETE', '/api/v1/keys/{id}', { ...pathOf(id), body: reasonOf(act) })).revoked,
  }
}

export function tenants(calls: Calls): Console['tenants'] {
  return {
    list: async ({ limit = 50 } = {}) => {
      const page = await calls.call('GET', '/api/v1/tenants', { query: { page_size: limit } })
      return page.tenants.map((tenant) => received(tenant))
    },
    get: async (name) =>
      received(await calls.call('GET', '/api/v1/tenant', { headers: { 'holdfast-tenant': name } })),
    setLimits: async (name, limits, act = {}) => {
      const body = { ...toWire<object>(limits), ...reasonOf(act) }
      await calls.call('PATCH', '/api/v1/tenants/{name}', { params: { name }, body })
    },
  }
}

export function audit(calls: Calls): Console['audit'] {
  return {
    list: async ({ tenant: _fromKey, limit = 50, before: _unused, ...filter } = {}) => {
      const query = { ...given(filter), page_size: limit }
      const { calls: rows } = await calls.call('GET', '/api/v1/audit', { query })
      return rows.map((row) => ({ ...received(row), at: new Date(row.at) }))
    },
  }
}
