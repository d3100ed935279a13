/** Tenants of a server, who called it, and what their jobs have found, in the shape the store has them. */
import { type Calls, received } from '../client/calls.js'
import { toWire } from '../contract/case.js'
import { given } from '../domain/given.js'
import type { AuditFilter } from '../store/audit.js'
import { exportItems, type ItemFormat } from '../store/export-items.js'
import type { Act } from '../store/operate.js'
import type { Item } from '../store/rows.js'
import type { TenantLimits } from '../store/tenants.js'
import { why } from './remote-act.js'

export function tenantsPart(calls: Calls) {
  return {
    list: async ({ limit = 50 }: { limit?: number }) => {
      const { tenants } = await calls.call('GET', '/api/v1/tenants', { query: { page_size: limit } })
      return tenants.map((tenant) => received(tenant))
    },
    get: async (name: string) =>
      received(await calls.call('GET', '/api/v1/tenant', { headers: { 'holdfast-tenant': name } })),
    setLimits: async (name: string, limits: Partial<TenantLimits>, act: Act) => {
      const body = { ...toWire<object>(limits), ...why(act) }
      await calls.call('PATCH', '/api/v1/tenants/{name}', { params: { name }, body })
    },
  }
}

export function auditPart(calls: Calls) {
  return {
    list: async ({ tenant: _byTheKey, limit = 50, before: _never, ...filter }: AuditFilter) => {
      const query = { ...given(filter), page_size: limit }
      const { calls: rows } = await calls.call('GET', '/api/v1/audit', { query })
      return rows.map((row) => ({ ...received(row), at: new Date(row.at) }))
    },
  }
}

type Whose = { readonly jobId?: number; readonly queue?: string; readonly collection?: string }

/** The same file as from the database: the pages come from the server, the text is made here. */
export function remoteExport(calls: Calls) {
  return ({ jobId, queue, collection }: Whose, format: ItemFormat): AsyncGenerator<string> => {
    const whose = given({ job_id: jobId, queue, collection })
    let token: string | null | undefined
    const page = async (_afterId: number, limit: number): Promise<Item[]> => {
      if (token === null) return []
      const query = { ...whose, page_size: limit, ...given({ page_token: token }) }
      const { items, next_page_token } = await calls.call('GET', '/api/v1/items', { query })
      token = next_page_token
      return items.map((item) => received(item) as Item)
    }
    return exportItems(page, format)
  }
}
