/** Making jobs, finding them, looking at one. */
import { z } from 'zod'
import { LIMITS } from '../domain/limits.js'
import { contract } from './endpoint.js'
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
  text,
} from './fields.js'
import { job, listedJob, madeJob, newJob } from './job.js'
import { kind } from './kinds.js'
import { attempt, event, reason } from './story.js'

const makeHeaders = z.object({
  'idempotency-key': text('idempotencyKeyChars').optional(),
  traceparent: z
    .string()
    .optional()
    .meta({ description: 'W3C trace context of the caller: the trace of jobs that say none themselves' }),
})

const attempts = digits(between(0, 2 ** 31 - 1))

const jobFilter = {
  state: state.optional(),
  queue: name.optional(),
  kind: name.optional(),
  key: text('keyChars').optional(),
  target: text('targetChars').optional(),
  worker: name.optional().meta({ description: 'has it now, or had it in an attempt' }),
  error_fingerprint: z.string().min(1).max(100).optional(),
  attempts_min: attempts.optional(),
  attempts_max: attempts.optional(),
  created_after: instant.optional(),
  created_before: instant.optional(),
  finished_after: instant.optional(),
  finished_before: instant.optional(),
}

/** Each by its name, so that a generated client knows them. */
const stateCounts = z.object(
  Object.fromEntries(state.options.map((each) => [each, z.int()])) as Record<
    z.output<typeof state>,
    z.ZodInt
  >,
)

const look = {
  method: 'GET',
  scope: ['read', 'enqueue'],
  tag: 'jobs',
  params: idParams,
  errors: ['unknown_job'],
} as const

const NOT_MADE = [
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
    summary: 'Make a job',
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
    summary: 'Make many jobs: all of them or, when one is refused, none',
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
    summary: 'Jobs, the newest first; failed and canceled ones by when they ended',
    query: z.strictObject({ ...jobFilter, ...pageQuery }),
    response: { 200: z.object({ jobs: z.array(listedJob), next_page_token: nextPageToken }) },
    errors: ['unknown_queue'],
  },
  countJobs: {
    method: 'GET',
    path: '/api/v1/jobs/counts',
    scope: 'read',
    tag: 'jobs',
    summary: 'How many jobs are in each state; every count stops at counted_at_most',
    query: z.strictObject({ queue: name.optional() }),
    response: {
      200: z.object({ counts: stateCounts, counted_at_most: z.int() }),
    },
    errors: ['unknown_queue'],
  },
  listKinds: {
    method: 'GET',
    path: '/api/v1/kinds',
    scope: 'read',
    tag: 'jobs',
    summary:
      'Kinds of live jobs, with how many there are, seen in counted_at_most jobs of each state; and what programs declare of kinds',
    response: {
      200: z.object({
        kinds: z.array(z.object({ kind: z.string(), jobs: z.int(), parked: z.int() })),
        declared: z.array(kind),
        counted_at_most: z.int(),
      }),
    },
    errors: [],
  },
  lookUpJobs: {
    method: 'POST',
    path: '/api/v1/jobs/lookup',
    scope: ['read', 'enqueue'],
    tag: 'jobs',
    summary: 'What these jobs are and where; those that are not there, or not yours, are left out',
    body: z.strictObject({ job_ids: z.array(jobId).min(1).max(LIMITS.bulkIdsMax.default) }),
    response: {
      200: z.object({
        jobs: z.array(z.object({ id: jobId, queue_id: z.int(), kind: z.string(), state })),
      }),
    },
    errors: [],
    unsafe: false,
  },
  getJob: {
    ...look,
    path: '/api/v1/jobs/{id}',
    summary: 'One job as it is now',
    response: { 200: job },
  },
  listAttempts: {
    ...look,
    path: '/api/v1/jobs/{id}/attempts',
    summary: 'Its ended attempts, first to last',
    response: { 200: z.object({ attempts: z.array(attempt) }) },
  },
  listJobEvents: {
    ...look,
    path: '/api/v1/jobs/{id}/events',
    summary: 'What people and the system did to it',
    response: { 200: z.object({ events: z.array(event) }) },
  },
  explainJob: {
    ...look,
    path: '/api/v1/jobs/{id}/explain',
    summary: 'Why it is where it is',
    response: { 200: z.object({ reasons: z.array(reason) }) },
  },
  reportJob: {
    ...look,
    path: '/api/v1/jobs/{id}/report',
    summary: 'Its whole story as one document',
    response: { 200: z.record(z.string(), z.unknown()) },
  },
})
