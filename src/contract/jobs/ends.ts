/** Waiting for the ends of jobs. */
import { z } from 'zod'
import { LIMITS } from '../../domain/limits.js'
import { END_STATES } from '../../domain/states/states.js'
import { contract } from '../endpoint.js'
import { instant, jobId, whole } from '../fields.js'

const jobEnd = z
  .object({
    job_id: jobId,
    attempt: z.int(),
    state: z.enum(END_STATES),
    finished_at: instant,
    result: z.unknown(),
    reason: z.string().nullable(),
    error_class: z.string().nullable(),
    error_message: z.string().nullable(),
    error_stack: z.string().nullable(),
    error_fingerprint: z.string().nullable(),
  })
  .meta({ id: 'JobEnd' })

export const endsContract = contract({
  awaitEnds: {
    method: 'POST',
    path: '/api/v1/jobs/ends',
    scope: ['read', 'enqueue'],
    tag: 'jobs',
    summary: 'Wait until at least one of these jobs has ended. Returns how they ended.',
    body: z.strictObject({
      job_ids: z.array(jobId).min(1).max(LIMITS.bulkIdsMax.default),
      wait_ms: whole('waitMs').default(0),
    }),
    response: {
      200: z.object({
        ends: z.array(jobEnd),
        unknown: z.array(jobId).meta({ description: 'Ids that are not jobs of your tenant.' }),
      }),
    },
    errors: [],
    unsafe: false,
  },
})
