/** HTTP routes of tenants and their limits. */
import { z } from 'zod'
import { LIMITS } from '../../domain/limits.js'
import { contract } from '../endpoint.js'
import { between, instant, name, nextPageToken, pageQuery, why } from '../fields.js'

const limit = (max: number) => between(1, max).nullable()
const tenantLimits = {
  max_running: limit(1_000_000).meta({
    description: 'Running jobs, over all queues and workers of the tenant.',
  }),
  max_live_jobs: limit(1_000_000).meta({ description: 'Jobs that have not ended.' }),
  enqueues_per_second: limit(1_000_000).meta({ description: 'Enqueued jobs per second, at each server.' }),
  payload_bytes_max: limit(LIMITS.payloadBytesMax.hardMax).meta({
    description: 'Size of the input of a job.',
  }),
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
    summary: 'List tenants that have queues or limits.',
    query: z.strictObject(pageQuery),
    response: { 200: z.object({ tenants: z.array(tenant), next_page_token: nextPageToken }) },
    errors: [],
  },
  getTenant: {
    method: 'GET',
    path: '/api/v1/tenant',
    scope: 'read',
    tag: 'tenants',
    summary: 'Get the tenant of this key and its limits.',
    response: { 200: tenant },
    errors: [],
  },
  setTenantLimits: {
    method: 'PATCH',
    path: '/api/v1/tenants/{name}',
    scope: 'admin',
    everyTenant: true,
    tag: 'tenants',
    summary: 'Set limits of a tenant. Null removes a limit; limits not given stay as they are.',
    params: z.strictObject({ name }),
    body: z.strictObject({ ...z.strictObject(tenantLimits).partial().shape, reason: why }),
    response: { 200: tenant },
    errors: [],
  },
})
