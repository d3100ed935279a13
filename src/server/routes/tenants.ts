import { fromWire, toWire } from '../../contract/case.js'
import { tenantsContract } from '../../contract/tenants.js'
import type { TenantLimits } from '../../store/tenants.js'
import { paged, textFrom } from '../page-token.js'
import { routes } from '../route.js'

export const tenantRoutes = routes<typeof tenantsContract>(tenantsContract, {
  listTenants: async ({ store, query }) => {
    const { page_size: size, page_token } = query
    const rows = await store.tenants.list({ after: textFrom(page_token) ?? '', limit: size + 1 })
    const { shown, next_page_token } = paged(rows, size, ({ name }) => name)
    return { status: 200, body: { tenants: shown.map((tenant) => toWire(tenant)), next_page_token } }
  },

  getTenant: async ({ store, tenant }) => ({ status: 200, body: toWire(await store.tenants.get(tenant)) }),

  setTenantLimits: async ({ store, server, act, params: { name }, body }) => {
    const { reason: _reason, ...limits } = body
    await store.tenants.setLimits(name, fromWire<Partial<TenantLimits>>(limits), act)
    server.intake.forget(name)
    return { status: 200, body: toWire(await store.tenants.get(name)) }
  },
})
