/** Making jobs, finding them, looking at one. */
import { z } from 'zod'
import { LIMITS } from '../domain/limits.js'
import { contract } from './endpoint.js'
import { jobParams, name, nextPageToken, pageQuery, state, text } from './fields.js'
import { job, listedJob, madeJob, newJob } from './job.js'

const idempotency = z.object({ 'idempotency-key': text('idempotencyKeyChars').optional() })

export const jobsContract = contract({
  createJob: {
    method: 'POST',
    path: '/api/v1/jobs',
    scope: 'enqueue',
    tag: 'jobs',
    summary: 'Make a job',
    headers: idempotency,
    body: newJob,
    response: { 201: madeJob, 200: madeJob },
    errors: [
      'payload_too_large',
      'too_deep',
      'key_taken',
      'limit_exceeded',
      'idempotency_mismatch',
      'idempotency_in_flight',
    ],
  },
  createJobs: {
    method: 'POST',
    path: '/api/v1/jobs/batch',
    scope: 'enqueue',
    tag: 'jobs',
    summary: 'Make many jobs: all of them or, when one is refused, none',
    headers: idempotency,
    body: z.strictObject({ jobs: z.array(newJob).min(1).max(LIMITS.batchMax.default) }),
    response: { 201: z.object({ jobs: z.array(madeJob) }) },
    errors: [
      'payload_too_large',
      'too_deep',
      'key_taken',
      'limit_exceeded',
      'idempotency_mismatch',
      'idempotency_in_flight',
    ],
  },
  listJobs: {
    method: 'GET',
    path: '/api/v1/jobs',
    scope: ['read', 'enqueue'],
    tag: 'jobs',
    summary: 'Jobs, the newest first; failed and canceled ones by when they ended',
    query: z.strictObject({
      state: state.optional(),
      queue: name.optional(),
      kind: name.optional(),
      target: text('targetChars').optional(),
      ...pageQuery,
    }),
    response: { 200: z.object({ jobs: z.array(listedJob), next_page_token: nextPageToken }) },
    errors: ['unknown_queue'],
  },
  getJob: {
    method: 'GET',
    path: '/api/v1/jobs/{id}',
    scope: ['read', 'enqueue'],
    tag: 'jobs',
    summary: 'One job as it is now',
    params: jobParams,
    response: { 200: job },
    errors: ['unknown_job'],
  },
})
