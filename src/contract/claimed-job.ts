/** A job as a claim hands it out, with the fence that every write for it carries. */
import { z } from 'zod'
import { between, instant, jobId } from './fields.js'

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
    expires_at: instant
      .nullable()
      .meta({ description: "when the job's own lease ends; null: it is under the worker's lease" }),
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
    target_count: z.int().nullable(),
    trace: z.string().nullable(),
    priority: z.int(),
    failures: z.int(),
    losses: z.int(),
    interruptions: z.int(),
    fresh: z
      .boolean()
      .meta({ description: 'it came straight to its queue: it has waited since `created_at`' }),
    progress: progress.nullable().meta({ description: 'what earlier attempts reported' }),
  })
  .meta({ id: 'ClaimedJob' })
