/** HTTP routes of the audit log: calls that changed something, or were refused. */
import { z } from 'zod'
import { contract } from '../endpoint.js'
import { instant, nextPageToken, pageQuery, text } from '../fields.js'

const auditRow = z
  .object({
    id: z.int(),
    at: instant,
    tenant: z.string(),
    actor: z.string(),
    key_id: z.int().nullable(),
    operation: z.string(),
    method: z.string(),
    path: z.string(),
    status: z.int(),
    code: z.string().nullable(),
    reason: z.string().nullable(),
    request_id: z.string(),
    address: z.string().nullable(),
  })
  .meta({ id: 'AuditRow' })

export const auditContract = contract({
  listAudit: {
    method: 'GET',
    path: '/api/v1/audit',
    scope: 'admin',
    tag: 'audit',
    summary: 'List calls that changed something or failed, newest first.',
    query: z.strictObject({
      actor: text('keyChars').optional(),
      operation: z.string().min(1).max(100).optional(),
      since: instant.optional(),
      until: instant.optional(),
      ...pageQuery,
    }),
    response: { 200: z.object({ calls: z.array(auditRow), next_page_token: nextPageToken }) },
    errors: [],
  },
})
