/** What people do to jobs. Each is kept with who and why; each is refused, with the state named, when it cannot be. */
import { z } from 'zod'
import { LIMITS } from '../domain/limits.js'
import { contract } from './endpoint.js'
import { between, idParams, jobId, reasonBody, state, whole, why } from './fields.js'
import { madeJob, newJob } from './job.js'

const command = {
  method: 'POST',
  scope: 'operate',
  tag: 'commands',
  params: idParams,
  errors: ['unknown_job', 'wrong_state', 'conflict'],
} as const

const moved = z.object({ id: jobId, state })

export const COMMANDS = [
  'cancel',
  'retry',
  'resume',
  'skip',
  'discard',
  'release',
  'boost',
  'priority',
] as const

const canceled = z.object({
  id: jobId,
  result: z.enum(['canceled', 'requested', 'already_ended']),
  state,
  request_job_id: jobId
    .optional()
    .meta({ description: 'in a strict queue: the job of kind holdfast.cancel that asks for it' }),
})

/** What came of a command for one of many jobs. */
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
    summary: 'Cancel it: at once where it waits, by asking where it runs (202)',
    body: reasonBody,
    response: { 200: canceled, 202: canceled },
  },
  retryJob: {
    ...command,
    path: '/api/v1/jobs/{id}/retry',
    summary: 'Run it again now; in a strict queue as a new job',
    body: reasonBody,
    response: { 200: moved },
  },
  resumeJob: {
    ...command,
    path: '/api/v1/jobs/{id}/resume',
    summary: 'Let a paused, errored or parked job go on',
    body: reasonBody,
    response: { 200: moved },
  },
  skipJob: {
    ...command,
    path: '/api/v1/jobs/{id}/skip',
    summary: 'End it as canceled, so that its target goes on',
    body: reasonBody,
    response: { 200: moved },
  },
  discardJob: {
    ...command,
    scope: ['operate', 'work'],
    path: '/api/v1/jobs/{id}/discard',
    summary: 'Give it up: no more attempts',
    body: reasonBody,
    response: { 200: moved },
  },
  releaseJob: {
    ...command,
    scope: ['operate', 'enqueue'],
    path: '/api/v1/jobs/{id}/release',
    summary: 'Let a pending job go',
    body: reasonBody,
    response: { 200: moved },
  },
  boostJob: {
    ...command,
    path: '/api/v1/jobs/{id}/boost',
    summary: 'Raise its priority, up to 100',
    body: z.strictObject({ by: between(1, 100).default(10), reason: why }).prefault({}),
    response: { 200: z.object({ id: jobId, priority: z.int() }) },
  },
  setPriority: {
    ...command,
    method: 'PUT',
    path: '/api/v1/jobs/{id}/priority',
    summary: 'Set its priority',
    body: z.strictObject({ priority: whole('priority'), reason: why }),
    response: { 200: z.object({ id: jobId, priority: z.int() }) },
  },
  cloneJob: {
    ...command,
    scope: ['operate', 'enqueue'],
    path: '/api/v1/jobs/{id}/clone',
    summary:
      'Make a new job like it, with what you give in place of its own; its key and times are not taken over',
    body: newJob.partial().prefault({}),
    response: { 201: madeJob, 200: madeJob },
    errors: ['unknown_job', 'payload_too_large', 'too_deep', 'key_taken', 'limit_exceeded'],
  },
  commandJobs: {
    method: 'POST',
    path: '/api/v1/jobs/bulk',
    scope: 'operate',
    tag: 'commands',
    summary: 'One command for many jobs; the answer says for each what came of it',
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
