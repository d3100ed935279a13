/** A claimed job, with the fence (job, attempt, lease) that every write for it carries. */
import { z } from 'zod'
import { between, instant, jobId } from '../fields.js'

export const lease = between(1, Number.MAX_SAFE_INTEGER)
export const attempt = between(1, 2 ** 31 - 1)
export const jobAttempt = z.strictObject({ job_id: jobId, attempt }).meta({ id: 'JobAttempt' })
export const fence = { job_id: jobId, attempt, lease }

const progress = z.object({
  cursor: z.unknown(),
  progress: z.unknown(),
  progress_count: z.int(),
  result_count: z.int(),
  tokens_used: z.int(),
  last_progress_at: instant,
})

export const claimedJob = z
  .object({
    ...fence,
    expires_at: instant.nullable().meta({
      description: "When the job's own lease expires; null if the job is under the worker's lease.",
    }),
    queue: z.string(),
    queue_id: z.int(),
    kind: z.string(),
    input: z.unknown(),
    key: z.string().nullable(),
    target: z.string().nullable(),
    subject: z.string().nullable(),
    created_at: instant,
    timeout_ms: z.int().nullable(),
    token_limit: z.int().nullable(),
    item_goal: z.int().nullable(),
    trace: z.string().nullable(),
    priority: z.int(),
    failures: z.int(),
    losses: z.int(),
    interruptions: z.int(),
    fresh: z.boolean().meta({ description: 'The job was claimable from `created_at` on.' }),
    unstarted: z
      .boolean()
      .optional()
      .meta({ description: 'Call `start` before the handler begins. Only for claims with `start_now`.' }),
    progress: progress.nullable().meta({ description: 'What earlier attempts reported.' }),
  })
  .meta({ id: 'ClaimedJob' })
