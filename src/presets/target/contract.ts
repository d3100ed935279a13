/**
 * The target preset over HTTP: resume the job that blocks its target. State words: PENDING, QUEUED, RUNNING, PAUSED, ERROR, SUCCESS,
 * CANCELED.
 */
import { z } from 'zod'
import { contract } from '../../contract/endpoint.js'
import { digits, idParams, instant, jobId, name, reasonBody, text } from '../../contract/fields.js'

const resume = {
  method: 'POST',
  scope: 'operate',
  tag: 'target',
  unknownQuery: 'ignored',
  summary: 'Resume a PAUSED or ERROR job. It becomes QUEUED, ahead of the other jobs of its target.',
  query: z.strictObject({
    queue: name
      .optional()
      .meta({ description: 'Only this queue. Default: all queues of the target preset.' }),
  }),
  body: reasonBody,
  response: {
    200: z.object({
      id: jobId,
      target_id: z.string().nullable(),
      status: z.string(),
      lease_owner: z.string().nullable(),
      lease_expires_at: instant.nullable(),
      cancel_requested: z.boolean(),
    }),
  },
  errors: ['unknown_job', 'unknown_queue', 'wrong_state', 'conflict'],
} as const

const byTarget = {
  ...resume,
  params: z.strictObject({ target_id: text('targetChars'), job_id: digits(jobId) }),
} as const
const byId = { ...resume, params: idParams } as const

export const targetContract = contract({
  resumeAtTarget: { ...byTarget, path: '/targets/{target_id}/jobs/{job_id}/resume/' },
  resumeAtTargetPlain: { ...byTarget, path: '/targets/{target_id}/jobs/{job_id}/resume' },
  resumeById: { ...byId, path: '/jobs/{id}/resume' },
  resumeByIdSlash: { ...byId, path: '/jobs/{id}/resume/' },
})
