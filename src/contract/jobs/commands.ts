/** Commands of operators on jobs. The history records actor and reason; an impossible command fails and names the state. */
import { z } from 'zod'
import { LIMITS } from '../../domain/limits.js'
import { contract } from '../endpoint.js'
import { between, idParams, jobId, reasonBody, state, status, whole, why } from '../fields.js'
import { madeJob, newJob } from './job.js'

const command = {
  method: 'POST',
  scope: 'operate',
  tag: 'commands',
  params: idParams,
  errors: ['unknown_job', 'wrong_state', 'conflict'],
} as const

const moved = z.object({ id: jobId, state, status })

export const COMMANDS = [
  'cancel',
  'retry',
  'resume',
  'skip',
  'discard',
  'publish',
  'boost',
  'priority',
] as const

const canceled = z.object({
  id: jobId,
  result: z.enum(['canceled', 'requested', 'already_ended']),
  state,
  status,
  request_job_id: jobId
    .optional()
    .meta({ description: 'In a strict queue: the job of kind holdfast.cancel that requests it.' }),
})

/** The result of a bulk command for one job. */
const outcome = z
  .object({
    id: jobId,
    ok: z.boolean(),
    result: z.record(z.string(), z.unknown()).optional(),
    code: z.string().optional(),
    detail: z.string().optional(),
  })
  .meta({ id: 'CommandOutcome' })

export const commandsContract = contract({
  cancelJob: {
    ...command,
    scope: ['operate', 'enqueue'],
    path: '/api/v1/jobs/{id}/cancel',
    summary: 'Cancel a job. At once if it waits; by request to its worker if it runs (202).',
    body: z
      .strictObject({
        reason: why,
        if_state: state.optional().meta({
          description:
            'Cancel only in this state; otherwise 409 wrong_state names the state. `running` is every job that a worker holds.',
        }),
      })
      .optional(),
    response: { 200: canceled, 202: canceled },
  },
  retryJob: {
    ...command,
    path: '/api/v1/jobs/{id}/retry',
    summary: 'Retry a job now. In a strict queue this creates a new job.',
    body: reasonBody,
    response: { 200: moved },
  },
  resumeJob: {
    ...command,
    path: '/api/v1/jobs/{id}/resume',
    summary: 'Resume a paused, errored or parked job.',
    body: reasonBody,
    response: { 200: moved },
  },
  skipJob: {
    ...command,
    path: '/api/v1/jobs/{id}/skip',
    summary: 'Skip a job: it ends as canceled and its target continues.',
    body: reasonBody,
    response: { 200: moved },
  },
  discardJob: {
    ...command,
    scope: ['operate', 'work'],
    path: '/api/v1/jobs/{id}/discard',
    summary: 'Discard a job: it fails without further attempts.',
    body: reasonBody,
    response: { 200: moved },
  },
  publishJob: {
    ...command,
    scope: ['operate', 'enqueue'],
    path: '/api/v1/jobs/{id}/publish',
    summary: 'Publish a pending job: it becomes claimable.',
    body: reasonBody,
    response: { 200: moved },
  },
  boostJob: {
    ...command,
    path: '/api/v1/jobs/{id}/boost',
    summary: 'Raise the priority of a job, up to 100.',
    body: z.strictObject({ by: between(1, 100).default(10), reason: why }).prefault({}),
    response: { 200: z.object({ id: jobId, priority: z.int() }) },
  },
  setPriority: {
    ...command,
    method: 'PUT',
    path: '/api/v1/jobs/{id}/priority',
    summary: 'Set the priority of a job.',
    body: z.strictObject({ priority: whole('priority'), reason: why }),
    response: { 200: z.object({ id: jobId, priority: z.int() }) },
  },
  cloneJob: {
    ...command,
    scope: ['operate', 'enqueue'],
    path: '/api/v1/jobs/{id}/clone',
    summary: 'Clone a job, with the given fields replaced. Key and times are not copied.',
    body: newJob.partial().prefault({}),
    response: { 201: madeJob, 200: madeJob },
    errors: ['unknown_job', 'payload_too_large', 'too_deep', 'key_taken', 'limit_exceeded'],
  },
  commandJobs: {
    method: 'POST',
    path: '/api/v1/jobs/bulk',
    scope: 'operate',
    tag: 'commands',
    summary: 'Run one command on many jobs. The response has a result for each.',
    body: z.strictObject({
      command: z.enum(COMMANDS),
      job_ids: z.array(jobId).min(LIMITS.bulkIdsMax.min).max(LIMITS.bulkIdsMax.default),
      priority: whole('priority').optional(),
      by: between(1, 100).optional(),
      reason: why,
    }),
    response: { 200: z.object({ outcomes: z.array(outcome) }) },
    errors: [],
  },
})
