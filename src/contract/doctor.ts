/** What is wrong with the database under the server, and what mends it. */
import { z } from 'zod'
import { contract } from './endpoint.js'

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
    summary: 'What is wrong with the database, each with what mends it',
    response: {
      200: z.object({ healthy: z.boolean(), findings: z.array(finding), checks: z.array(checked) }),
    },
    errors: [],
  },
})
