/** The doctor: problems of the database, with remedies. */
import { z } from 'zod'
import { contract } from '../endpoint.js'

const finding = z
  .object({
    code: z.string(),
    severity: z.enum(['problem', 'warning', 'note']),
    sentence: z.string(),
    fix: z.string(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Finding' })

const checked = z.object({
  name: z.string(),
  result: z.enum(['fine', 'found', 'skipped']),
  reason: z.string().optional(),
})

export const doctorContract = contract({
  examine: {
    method: 'GET',
    path: '/api/v1/doctor',
    scope: 'admin',
    everyTenant: true,
    tag: 'health',
    summary: 'Examine the database. Returns problems with remedies.',
    response: {
      200: z.object({ healthy: z.boolean(), findings: z.array(finding), checks: z.array(checked) }),
    },
    errors: [],
  },
})
