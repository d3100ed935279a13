/** Alerts, their history and their rules. */

import { fromWire, toWire } from '../../contract/case.js'
import { alertsContract } from '../../contract/operate/alerts.js'
import { holdfastError } from '../../domain/errors/errors.js'
import { given } from '../../json/given.js'
import type { AlertRuleOptions } from '../../store/alerts/alerts.js'
import { numberFrom, paged } from '../http/page-token.js'
import { type Call, routes } from '../http/route.js'

type AlertView = (typeof alertsContract)['getAlert']['response'][200]['_zod']['input']
type AlertEventView =
  (typeof alertsContract)['getAlertHistory']['response'][200]['_zod']['input']['events'][number]
type AlertRuleView =
  (typeof alertsContract)['listAlertRules']['response'][200]['_zod']['input']['rules'][number]
type AlertsCall = Pick<Call, 'store' | 'tenant' | 'everywhere'>

/** An alert of the caller's tenant; others are unknown. */
async function ownAlert({ store, tenant, everywhere }: AlertsCall, id: number): Promise<AlertView> {
  const alert = await store.alerts.get(id)
  if (!everywhere && alert.tenant !== tenant) throw holdfastError('unknown_alert', { alert: id })
  return toWire(alert)
}

async function history(
  { store, tenant, everywhere }: AlertsCall,
  { page_size: size, page_token }: { page_size: number; page_token?: string | undefined },
  alert?: number,
) {
  const before = numberFrom(page_token)
  const rows = await store.alerts.history({
    ...(everywhere ? {} : { tenant }),
    ...given({ alert, before }),
    limit: size + 1,
  })
  const { page, next_page_token } = paged(rows, size, ({ id }) => id)
  return { events: page.map((event) => toWire<AlertEventView>(event)), next_page_token }
}

async function rules({ store, tenant }: AlertsCall) {
  return { rules: (await store.alerts.rules(tenant)).map((rule) => toWire<AlertRuleView>(rule)) }
}

export const alertRoutes = routes<typeof alertsContract>(alertsContract, {
  listAlerts: async ({ store, tenant, everywhere, query }) => {
    const { page_size: size, page_token, state, rule } = query
    const rows = await store.alerts.list({
      ...(everywhere ? {} : { tenant }),
      ...(state === 'live' || state === 'any' ? { all: state === 'any' } : { state }),
      ...given({ rule, after: numberFrom(page_token) }),
      limit: size + 1,
    })
    const { page, next_page_token } = paged(rows, size, ({ id }) => id)
    return { status: 200, body: { alerts: page.map((alert) => toWire<AlertView>(alert)), next_page_token } }
  },

  listAlertHistory: async (call) => ({ status: 200, body: await history(call, call.query) }),

  listAlertRules: async (call) => ({ status: 200, body: await rules(call) }),

  setAlertRule: async (call) => {
    const { store, tenant, act, params, body } = call
    const { subject, reason: _reason, ...options } = body
    await store.alerts.setRule(params.rule, fromWire<AlertRuleOptions>(options), { tenant, subject, ...act })
    return { status: 200, body: await rules(call) }
  },

  getAlert: async (call) => ({ status: 200, body: await ownAlert(call, call.params.id) }),

  getAlertHistory: async (call) => {
    await ownAlert(call, call.params.id)
    return { status: 200, body: await history(call, call.query, call.params.id) }
  },

  silenceAlert: async (call) => {
    const { store, act, params, body } = call
    await ownAlert(call, params.id)
    const { until, for_ms: forMs } = body
    await store.alerts.silence(params.id, { ...given({ until, forMs }), ...act })
    return { status: 200, body: await ownAlert(call, params.id) }
  },

  unsilenceAlert: async (call) => {
    const { store, act, params } = call
    await ownAlert(call, params.id)
    await store.alerts.unsilence(params.id, act)
    return { status: 200, body: await ownAlert(call, params.id) }
  },
})
