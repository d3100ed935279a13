/** Tenants and what each may have. */
import { z } from 'zod'
import { LIMITS } from '../domain/limits.js'
import { contract } from './endpoint.js'
import { between, instant, name, nextPageToken, pageQuery, why } from './fields.js'

const limit = (most: number) => between(1, most).nullable()
const tenantLimits = {
  max_running: limit(1_000_000).meta({
    description: 'jobs at work at once, over all its queues and workers',
  }),
  max_live_jobs: limit(1_000_000).meta({ description: 'jobs that have not ended' }),
  enqueues_per_second: limit(1_000_000).meta({ description: 'jobs made a second, at each server' }),
  payload_bytes_max: limit(LIMITS.payloadBytesMax.hardMax).meta({ description: 'of the input of a job' }),
}
const tenant = z
  .object({ name: z.string(), ...tenantLimits, updated_at: instant.nullable() })
  .meta({ id: 'Tenant' })

export const tenantsContract = contract({
  listTenants: {
    method: 'GET',
    path: '/api/v1/tenants',
    scope: 'admin',
    everyTenant: true,
    tag: 'tenants',
    summary: 'Tenants that have queues or limits',
    query: z.strictObject(pageQuery),
    response: { 200: z.object({ tenants: z.array(tenant), next_page_token: nextPageToken }) },
    errors: [],
  },
  getTenant: {
    method: 'GET',
    path: '/api/v1/tenant',
    scope: 'read',
    tag: 'tenants',
    summary: 'The tenant of this key, with its limits',
    response: { 200: tenant },
    errors: [],
  },
  setTenantLimits: {
    method: 'PATCH',
    path: '/api/v1/tenants/{name}',
    scope: 'admin',
    everyTenant: true,
    tag: 'tenants',
    summary: 'Set limits of a tenant; null lifts one, what is not named stays',
    params: z.strictObject({ name }),
    body: z.strictObject({ ...z.strictObject(tenantLimits).partial().shape, reason: why }),
    response: { 200: tenant },
    errors: [],
  },
})
