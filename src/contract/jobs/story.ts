/** The history of a job: its attempts, its events, and the reasons for its state. */
import { z } from 'zod'
import { ATTEMPT_OUTCOMES } from '../../domain/states/states.js'
import { instant, jobId, state } from '../fields.js'

export const attempt = z
  .object({
    job_id: jobId,
    attempt: z.int(),
    worker: z.string().nullable(),
    claimed_at: instant.nullable(),
    started_at: instant.nullable(),
    finished_at: instant,
    outcome: z.enum(ATTEMPT_OUTCOMES),
    moved_to: state,
    final: z.boolean(),
    failures: z.int(),
    result: z.unknown(),
    reason: z.string().nullable(),
    error_class: z.string().nullable(),
    error_message: z.string().nullable(),
    error_fingerprint: z.string().nullable(),
    error_stack: z.string().nullable(),
    log_excerpt: z.string().nullable(),
    cleaned: z.array(z.string()).nullable(),
  })
  .meta({ id: 'Attempt' })

export const event = z
  .object({
    id: z.int(),
    at: instant,
    type: z.string(),
    job_ids: z.array(jobId),
    actor: z.string().nullable(),
    reason: z.string().nullable(),
    data: z.unknown(),
  })
  .meta({ id: 'Event' })

export const reason = z
  .object({
    code: z.string(),
    blocking: z.boolean(),
    sentence: z.string(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Reason' })
