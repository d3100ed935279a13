/** Jobs as they are sent and as they are shown. */
import { z } from 'zod'
import { between, instant, jobId, name, state, text, whole } from './fields.js'

export const newJob = z
  .strictObject({
    queue: name,
    kind: name,
    input: z.unknown().optional().meta({ description: 'any JSON, null if not given' }),
    key: text('keyChars').optional().meta({ description: 'one live job for each key of a queue' }),
    target: text('targetChars')
      .optional()
      .meta({ description: 'jobs of one target run one after the other' }),
    subject: text('keyChars').optional(),
    priority: whole('priority').optional(),
    run_at: instant.optional(),
    delay_ms: whole('delayMs').optional(),
    pending: z.boolean().optional().meta({ description: 'made now, let go by release' }),
    max_retries: whole('maxRetries').optional(),
    max_attempts: whole('maxAttempts').optional(),
    timeout_ms: whole('timeoutMs').optional(),
    token_limit: between(0, Number.MAX_SAFE_INTEGER).optional(),
    target_count: between(1, Number.MAX_SAFE_INTEGER).optional(),
    collection: name.optional(),
    created_by: text('keyChars').optional().meta({ description: 'the name of the key if not given' }),
    trace: text('keyChars').optional(),
    labels: z.record(name, text('keyChars')).optional(),
    parent_id: jobId.optional(),
  })
  .meta({ id: 'NewJob' })

export const madeJob = z
  .object({
    id: jobId,
    deduplicated: z.boolean().meta({ description: 'a live job had the key already, and this is its id' }),
  })
  .meta({ id: 'MadeJob' })

export const listedJob = z
  .object({
    id: jobId,
    queue: z.string(),
    kind: z.string(),
    state,
    priority: z.int(),
    attempt: z.int(),
    max_retries: z.int(),
    key: z.string().nullable(),
    target: z.string().nullable(),
    lease_owner: z.string().nullable(),
    created_at: instant,
    visible_at: instant,
    finished_at: instant.nullable(),
    reason: z.string().nullable(),
    last_error: z.string().nullable(),
  })
  .meta({ id: 'ListedJob' })

export const job = z
  .object({
    id: jobId,
    tenant: z.string(),
    queue: z.string(),
    preset: z.string(),
    kind: z.string(),
    state,
    input: z.unknown(),
    key: z.string().nullable(),
    subject: z.string().nullable(),
    target: z.string().nullable(),
    priority: z.int(),
    priority_asked: z.int(),
    attempt: z.int(),
    max_retries: z.int(),
    failures: z.int(),
    losses: z.int().nullable(),
    interruptions: z.int().nullable(),
    lease_owner: z.string().nullable(),
    lease_expires_at: instant.nullable(),
    heartbeat_at: instant.nullable(),
    cancel_requested: z.boolean(),
    claimed_at: instant.nullable(),
    started_at: instant.nullable(),
    finished_at: instant.nullable(),
    visible_at: instant,
    duration_ms: z.number().nullable(),
    created_by: z.string(),
    created_at: instant,
    updated_at: instant,
    reason: z.string().nullable(),
    last_error: z.string().nullable(),
    last_cursor: z.unknown(),
    progress: z.unknown(),
    progress_count: z.int(),
    result_count: z.int(),
    target_count: z.int().nullable(),
    last_progress_at: instant.nullable(),
    tokens_used: z.int(),
    token_limit: z.int().nullable(),
    result: z.unknown(),
    labels: z.record(z.string(), z.string()).nullable(),
    trace: z.string().nullable(),
    parent_id: jobId.nullable(),
    retry_of: jobId.nullable(),
  })
  .meta({ id: 'Job' })
