/** A job in requests and responses of the HTTP API: what callers enqueue and what they get. */
import { z } from 'zod'
import { PRESET_NAMES } from '../../presets/presets.js'
import { between, instant, jobId, name, state, status, text, whole } from '../fields.js'

export const newJob = z
  .strictObject({
    queue: name,
    preset: z
      .enum(PRESET_NAMES)
      .optional()
      .meta({ description: 'Of the queue, if it does not exist yet; refused if it has another one.' }),
    kind: name,
    input: z.unknown().optional().meta({ description: 'Any JSON. Default: null.' }),
    key: text('keyChars')
      .optional()
      .meta({ description: 'Deduplication key: a queue has at most one live job per key.' }),
    target: text('targetChars').optional().meta({ description: 'Jobs of one target run one at a time.' }),
    subject: text('keyChars').optional(),
    target_id: z
      .union([z.int(), text('targetChars')])
      .optional()
      .meta({ description: 'Another name of `target`; a number is stored as text.' }),
    subreddit_id: z
      .union([z.int(), text('keyChars')])
      .optional()
      .meta({ description: 'Another name of `subject`; a number is stored as text.' }),
    priority: whole('priority').optional(),
    run_at: instant.optional(),
    visible_at: instant.optional().meta({ description: 'Another name of `run_at`.' }),
    delay_ms: whole('delayMs').optional(),
    pending: z.boolean().optional().meta({ description: 'Created as pending; publish makes it claimable.' }),
    max_retries: whole('maxRetries').optional(),
    max_attempts: whole('maxAttempts').optional(),
    timeout_ms: whole('timeoutMs').optional(),
    token_limit: between(0, Number.MAX_SAFE_INTEGER).optional(),
    item_goal: between(1, Number.MAX_SAFE_INTEGER).optional(),
    target_count: between(1, Number.MAX_SAFE_INTEGER)
      .optional()
      .meta({ description: 'Another name of `item_goal`.' }),
    collection: name.optional(),
    created_by: text('keyChars').optional().meta({ description: 'Default: the name of the API key.' }),
    trace: text('keyChars').optional(),
    labels: z.record(name, text('keyChars')).optional(),
    parent_id: jobId.optional(),
  })
  .meta({ id: 'NewJob' })

export const madeJob = z
  .object({
    id: jobId,
    deduplicated: z.boolean().meta({ description: 'True if a live job had the same key; `id` is that job.' }),
    status: status
      .optional()
      .meta({ description: "The state word of the queue's preset. Left out where the preset is `default`." }),
  })
  .meta({ id: 'MadeJob' })

export const listedJob = z
  .object({
    id: jobId,
    queue: z.string(),
    kind: z.string(),
    state,
    status,
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

export const relatedJob = z
  .object({
    id: jobId,
    queue: z.string(),
    kind: z.string(),
    state,
    status,
    created_at: instant,
    finished_at: instant.nullable(),
    trace: z.string().nullable(),
    parent_id: jobId.nullable(),
    retry_of: jobId.nullable(),
  })
  .meta({ id: 'RelatedJob' })

export const job = z
  .object({
    id: jobId,
    tenant: z.string(),
    queue: z.string(),
    preset: z.string(),
    kind: z.string(),
    state,
    status,
    input: z.unknown(),
    key: z.string().nullable(),
    subject: z.string().nullable(),
    target: z.string().nullable(),
    priority: z.int(),
    initial_priority: z.int(),
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
    item_goal: z.int().nullable(),
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
