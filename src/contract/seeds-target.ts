/** Document 003: resuming what stands in front of its target. Its words: PENDING, QUEUED, RUNNING, PAUSED, ERROR, SUCCESS, CANCELED. */
import { z } from 'zod'
import { contract } from './endpoint.js'
import { digits, idParams, instant, jobId, name, reasonBody, text } from './fields.js'

const resume = {
  method: 'POST',
  scope: 'operate',
  tag: 'target',
  summary: 'Send a PAUSED or ERROR job back to QUEUED, ahead of the jobs behind it',
  query: z.strictObject({
    queue: name.optional().meta({ description: 'this queue; all queues of the preset target if not given' }),
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

const ofTarget = {
  ...resume,
  params: z.strictObject({ target_id: text('targetChars'), job_id: digits(jobId) }),
} as const
const byId = { ...resume, params: idParams } as const

export const targetContract = contract({
  resumeAtTarget: { ...ofTarget, path: '/targets/{target_id}/jobs/{job_id}/resume/' },
  resumeAtTargetPlain: { ...ofTarget, path: '/targets/{target_id}/jobs/{job_id}/resume' },
  resumeById: { ...byId, path: '/jobs/{id}/resume' },
  resumeByIdSlash: { ...byId, path: '/jobs/{id}/resume/' },
})
