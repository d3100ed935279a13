/** Administration: settings, limits of tenants, the audit log, background chores. */

import { auditContract } from '../../contract/access/audit.js'
import { tenantsContract } from '../../contract/access/tenants.js'
import { fromWire, toWire } from '../../contract/case.js'
import { settingsContract } from '../../contract/operate/settings.js'
import { upkeepContract } from '../../contract/operate/upkeep.js'
import type { ChoreStatus } from '../../domain/chores.js'
import { holdfastError } from '../../domain/errors/errors.js'
import { nearest } from '../../domain/nearest.js'
import { given } from '../../json/given.js'
import type { TenantLimits } from '../../store/access/tenants.js'
import { numberFrom, paged, textFrom, tokenOf } from '../http/page-token.js'
import { type Call, routes } from '../http/route.js'

type SettingView = (typeof settingsContract)['getSetting']['response'][200]['_zod']['input']

async function settingOf({ store }: Pick<Call, 'store'>, name: string): Promise<SettingView> {
  const settings = await store.settings.list()
  const found = settings.find((setting) => setting.name === name)
  if (found !== undefined) return toWire(found)
  throw holdfastError('unknown_setting', {
    name,
    nearest: nearest(
      name,
      settings.map((each) => each.name),
    ),
  })
}

/** Changing an overridden setting would have no effect, so it is an error. */
function refuseOverridden({ server }: Pick<Call, 'server'>, name: string): void {
  const origin = server.settingOrigin(name)
  if (origin !== undefined) throw holdfastError('setting_overridden', { name, origin })
}

export const settingRoutes = routes<typeof settingsContract>(settingsContract, {
  listSettings: async ({ store }) => ({
    status: 200,
    body: { settings: (await store.settings.list()).map((setting) => toWire(setting)) },
  }),
  getSetting: async (call) => ({ status: 200, body: await settingOf(call, call.params.name) }),
  setSetting: async (call) => {
    const { store, act, params, body } = call
    await settingOf(call, params.name)
    refuseOverridden(call, params.name)
    await store.settings.set(params.name, body.value, act)
    return { status: 200, body: await settingOf(call, params.name) }
  },
  resetSetting: async (call) => {
    const { store, act, params } = call
    await settingOf(call, params.name)
    refuseOverridden(call, params.name)
    await store.settings.reset(params.name, act)
    return { status: 200, body: await settingOf(call, params.name) }
  },
})

export const tenantRoutes = routes<typeof tenantsContract>(tenantsContract, {
  listTenants: async ({ store, query }) => {
    const { page_size: size, page_token } = query
    const rows = await store.tenants.list({ after: textFrom(page_token) ?? '', limit: size + 1 })
    const { page, next_page_token } = paged(rows, size, ({ name }) => name)
    return { status: 200, body: { tenants: page.map((tenant) => toWire(tenant)), next_page_token } }
  },

  getTenant: async ({ store, tenant }) => ({ status: 200, body: toWire(await store.tenants.get(tenant)) }),

  setTenantLimits: async ({ store, server, act, params: { name }, body }) => {
    const { reason: _reason, ...limits } = body
    await store.tenants.setLimits(name, fromWire<Partial<TenantLimits>>(limits), act)
    server.intake.forget(name)
    return { status: 200, body: toWire(await store.tenants.get(name)) }
  },
})

export const auditRoutes = routes<typeof auditContract>(auditContract, {
  listAudit: async ({ store, tenant, everywhere, query }) => {
    const { page_size: limit, page_token, ...filter } = query
    const rows = await store.audit.list({
      ...given({ ...filter, before: numberFrom(page_token) }),
      ...(everywhere ? {} : { tenant }),
      limit,
    })
    const last = rows.length === limit ? rows.at(-1) : undefined
    return {
      status: 200,
      body: {
        calls: rows.map((row) => toWire(row)),
        next_page_token: last === undefined ? null : tokenOf(last.id),
      },
    }
  },
})

export const upkeepRoutes = routes<typeof upkeepContract>(upkeepContract, {
  listChores: async ({ server, who }) => {
    const chores = await server.chores.list()
    const visible = who.tenant === '*' ? chores : chores.map(withoutError)
    return { status: 200, body: { chores: visible.map((chore) => toWire(chore)) } }
  },
  runChore: async ({ server, params }) => ({
    status: 200,
    body: toWire(await server.chores.run(params.name)),
  }),
})

/** The message can name data of another tenant, so only keys for all tenants see it. */
function withoutError(chore: ChoreStatus): ChoreStatus {
  return chore.error === null ? chore : { ...chore, error: 'Only a key for all tenants sees the error.' }
}
