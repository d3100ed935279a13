/** One kind of job: how often, how long, how it fails, and which versions ran it. */
import { z } from 'zod'
import { contract } from '../endpoint.js'
import { instant, jobId, name } from '../fields.js'
import { totals } from '../operate/series.js'
import { kind } from './kinds.js'

export const kindStats = z
  .object({
    kind: z.string(),
    first_seen_at: instant,
    last_seen_at: instant,
    last_hour: totals,
    last_day: totals,
    trend: z
      .array(z.object({ at: instant, attempts: z.int(), failed: z.int() }))
      .meta({ description: 'Each of the last 24 hours, oldest first; the last is the current.' }),
    last_error: z
      .object({ fingerprint: z.string().nullable(), message: z.string(), at: instant, job_id: jobId })
      .nullable(),
    version: z.string().nullable().meta({ description: 'The version that ran it last.' }),
    fails_since_version: z
      .string()
      .nullable()
      .meta({ description: 'The version that made it fail, if one did and no later one repaired it.' }),
  })
  .meta({ id: 'KindStats' })

const kindVersion = z
  .object({
    version: z.string().meta({ description: 'As workers report it; empty if they do not.' }),
    first_seen_at: instant,
    last_seen_at: instant,
    attempts: z.int(),
    failed: z.int().meta({ description: 'Failed and lost attempts.' }),
    failed_rate: z.number().nullable(),
  })
  .meta({ id: 'KindVersion' })

export const kindContract = contract({
  getKind: {
    method: 'GET',
    path: '/api/v1/kinds/{kind}',
    scope: 'read',
    tag: 'jobs',
    summary: 'Get a kind: rates, percentiles, last error, and each version of workers that ran it.',
    params: z.strictObject({ kind: name }),
    response: {
      200: kindStats.extend({
        declared: kind.nullable(),
        queues: z.array(z.string()),
        workers: z.int().meta({ description: 'Live workers that handle it.' }),
        versions: z.array(kindVersion).meta({ description: 'Newest first.' }),
      }),
    },
    errors: ['kind_not_found'],
  },
})
