/** HTTP routes that enqueue, list, count and read jobs. */
import { z } from 'zod'
import { LIMITS } from '../../domain/limits.js'
import { contract } from '../endpoint.js'
import {
  between,
  digits,
  idParams,
  instant,
  jobId,
  name,
  nextPageToken,
  pageQuery,
  state,
  status,
  text,
} from '../fields.js'
import { job, listedJob, madeJob, newJob, relatedJob } from './job.js'
import { kindStats } from './kind.js'
import { kind } from './kinds.js'
import { attempt, event, reason } from './story.js'

const makeHeaders = z.object({
  'idempotency-key': text('idempotencyKeyChars').optional(),
  traceparent: z
    .string()
    .optional()
    .meta({ description: 'W3C trace context of the caller, for jobs without their own.' }),
})

const attempts = digits(between(0, 2 ** 31 - 1))

const jobFilter = {
  state: state.optional(),
  queue: name.optional(),
  kind: name.optional(),
  key: text('keyChars').optional(),
  target: text('targetChars').optional(),
  worker: name.optional().meta({ description: 'Runs the job now, or ran an attempt.' }),
  error_fingerprint: z.string().min(1).max(100).optional(),
  attempts_min: attempts.optional(),
  attempts_max: attempts.optional(),
  created_after: instant.optional(),
  created_before: instant.optional(),
  finished_after: instant.optional(),
  finished_before: instant.optional(),
}

/** Listed by name for generated clients. */
const stateCounts = z.object(
  Object.fromEntries(state.options.map((each) => [each, z.int()])) as Record<
    z.output<typeof state>,
    z.ZodInt
  >,
)

const read = {
  method: 'GET',
  scope: ['read', 'enqueue'],
  tag: 'jobs',
  params: idParams,
  errors: ['unknown_job'],
} as const

const NOT_MADE = [
  'unknown_kind',
  'wrong_preset',
  'payload_too_large',
  'too_deep',
  'key_taken',
  'limit_exceeded',
  'idempotency_mismatch',
  'idempotency_in_flight',
] as const

export const jobsContract = contract({
  createJob: {
    method: 'POST',
    path: '/api/v1/jobs',
    scope: 'enqueue',
    tag: 'jobs',
    summary: 'Create a job.',
    headers: makeHeaders,
    body: newJob,
    response: { 201: madeJob, 200: madeJob },
    errors: NOT_MADE,
  },
  createJobs: {
    method: 'POST',
    path: '/api/v1/jobs/batch',
    scope: 'enqueue',
    tag: 'jobs',
    summary: 'Create many jobs: all of them, or none if one is invalid.',
    headers: makeHeaders,
    bodyBytesMax: 6 * 1024 * 1024,
    body: z.strictObject({ jobs: z.array(newJob).min(1).max(LIMITS.batchMax.default) }),
    response: { 201: z.object({ jobs: z.array(madeJob) }) },
    errors: NOT_MADE,
  },
  listJobs: {
    method: 'GET',
    path: '/api/v1/jobs',
    scope: ['read', 'enqueue'],
    tag: 'jobs',
    summary: 'List jobs, newest first; failed and canceled ones by the time they ended.',
    query: z.strictObject({ ...jobFilter, ...pageQuery }),
    response: { 200: z.object({ jobs: z.array(listedJob), next_page_token: nextPageToken }) },
    errors: ['unknown_queue'],
  },
  countJobs: {
    method: 'GET',
    path: '/api/v1/jobs/counts',
    scope: 'read',
    tag: 'jobs',
    summary: 'Count jobs by state. Each count stops at `counted_max`; `capped` names those that stopped.',
    query: z.strictObject({ queue: name.optional() }),
    response: {
      200: z.object({
        counts: stateCounts,
        capped: z.array(state).meta({ description: 'States of which there may be more.' }),
        counted_max: z.int(),
      }),
    },
    errors: ['unknown_queue'],
  },
  listKinds: {
    method: 'GET',
    path: '/api/v1/kinds',
    scope: 'read',
    tag: 'jobs',
    summary:
      'List kinds with their number of live jobs, sampled from at most `counted_max` jobs of each state, and the declared kinds.',
    response: {
      200: z.object({
        kinds: z.array(z.object({ kind: z.string(), jobs: z.int(), parked: z.int() })),
        declared: z.array(kind),
        stats: z
          .array(kindStats)
          .meta({ description: 'Of each counted kind; see GET /api/v1/kinds/{kind}.' }),
        counted_max: z.int(),
      }),
    },
    errors: [],
  },
  lookUpJobs: {
    method: 'POST',
    path: '/api/v1/jobs/lookup',
    scope: ['read', 'enqueue'],
    tag: 'jobs',
    summary: 'Look up jobs by id. Unknown jobs and those of other tenants are left out.',
    body: z.strictObject({ job_ids: z.array(jobId).min(1).max(LIMITS.bulkIdsMax.default) }),
    response: {
      200: z.object({
        jobs: z.array(z.object({ id: jobId, queue_id: z.int(), kind: z.string(), state, status })),
      }),
    },
    errors: [],
    unsafe: false,
  },
  getJob: {
    ...read,
    path: '/api/v1/jobs/{id}',
    summary: 'Get a job.',
    response: { 200: job },
  },
  listAttempts: {
    ...read,
    path: '/api/v1/jobs/{id}/attempts',
    summary: 'List the ended attempts of a job, first to last.',
    response: { 200: z.object({ attempts: z.array(attempt) }) },
  },
  listJobEvents: {
    ...read,
    path: '/api/v1/jobs/{id}/events',
    summary: 'List the events of a job.',
    response: { 200: z.object({ events: z.array(event) }) },
  },
  explainJob: {
    ...read,
    path: '/api/v1/jobs/{id}/explain',
    summary: 'Explain why a job is in its state.',
    response: { 200: z.object({ reasons: z.array(reason) }) },
  },
  relatedJobs: {
    ...read,
    path: '/api/v1/jobs/{id}/related',
    summary: 'List the family of a job: what enqueued it, its children, its retries, the jobs of its trace.',
    response: {
      200: z.object({
        jobs: z.array(relatedJob).meta({ description: 'With the job itself, oldest first; at most 200.' }),
        complete: z.boolean().meta({ description: 'False: more jobs could belong to it.' }),
      }),
    },
  },
  jobHistory: {
    ...read,
    path: '/api/v1/jobs/{id}/history',
    summary: 'Get the complete history of a job as one document.',
    response: { 200: z.record(z.string(), z.unknown()) },
  },
})
