import { alertsContract } from '../../contract/alerts.js'
import { fromWire, toWire } from '../../contract/case.js'
import { holdfastError } from '../../domain/errors.js'
import { given } from '../../domain/given.js'
import type { AlertRuleOptions } from '../../store/alerts.js'
import { numberFrom, paged } from '../page-token.js'
import { type Call, routes } from '../route.js'

type View = (typeof alertsContract)['getAlert']['response'][200]['_zod']['input']
type EventView =
  (typeof alertsContract)['getAlertHistory']['response'][200]['_zod']['input']['events'][number]
type RuleView = (typeof alertsContract)['listAlertRules']['response'][200]['_zod']['input']['rules'][number]
type Whose = Pick<Call, 'store' | 'tenant' | 'everywhere'>

/** An alert of the caller's tenant; those of others are not there. */
async function own({ store, tenant, everywhere }: Whose, id: number): Promise<View> {
  const alert = await store.alerts.get(id)
  if (!everywhere && alert.tenant !== tenant) throw holdfastError('unknown_alert', { alert: id })
  return toWire(alert)
}

async function history(
  { store, tenant, everywhere }: Whose,
  { page_size: size, page_token }: { page_size: number; page_token?: string | undefined },
  alert?: number,
) {
  const before = numberFrom(page_token)
  const rows = await store.alerts.history({
    ...(everywhere ? {} : { tenant }),
    ...given({ alert, before }),
    limit: size + 1,
  })
  const { shown, next_page_token } = paged(rows, size, ({ id }) => id)
  return { events: shown.map((event) => toWire<EventView>(event)), next_page_token }
}

async function rules({ store, tenant }: Whose) {
  return { rules: (await store.alerts.rules(tenant)).map((rule) => toWire<RuleView>(rule)) }
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
    const { shown, next_page_token } = paged(rows, size, ({ id }) => id)
    return { status: 200, body: { alerts: shown.map((alert) => toWire<View>(alert)), next_page_token } }
  },

  listAlertHistory: async (call) => ({ status: 200, body: await history(call, call.query) }),

  listAlertRules: async (call) => ({ status: 200, body: await rules(call) }),

  setAlertRule: async (call) => {
    const { store, tenant, act, params, body } = call
    const { subject, reason: _reason, ...options } = body
    await store.alerts.setRule(params.rule, fromWire<AlertRuleOptions>(options), { tenant, subject, ...act })
    return { status: 200, body: await rules(call) }
  },

  getAlert: async (call) => ({ status: 200, body: await own(call, call.params.id) }),

  getAlertHistory: async (call) => {
    await own(call, call.params.id)
    return { status: 200, body: await history(call, call.query, call.params.id) }
  },

  silenceAlert: async (call) => {
    const { store, act, params, body } = call
    await own(call, params.id)
    const { until, for_ms: forMs } = body
    await store.alerts.silence(params.id, { ...given({ until, forMs }), ...act })
    return { status: 200, body: await own(call, params.id) }
  },

  unsilenceAlert: async (call) => {
    const { store, act, params } = call
    await own(call, params.id)
    await store.alerts.unsilence(params.id, act)
    return { status: 200, body: await own(call, params.id) }
  },
})
