/** Things that are worked on again and again, in queues that keep one job per subject. */
import { z } from 'zod'
import { contract } from './endpoint.js'
import { idParams, instant, name, nextPageToken, pageQuery, reasonBody, text, whole, why } from './fields.js'

const subject = z
  .object({
    id: z.int(),
    queue: z.string(),
    tenant: z.string(),
    name: z.string(),
    kind: z.string(),
    input: z.unknown().meta({ description: 'of the job it is asked for with' }),
    priority: z.int(),
    last_success_at: instant.nullable(),
    last_job_id: z.int().nullable(),
    stale_after_ms: z.number().nullable().meta({ description: 'null: as the setting STALE_DAYS says' }),
    enabled: z.boolean(),
    added_at: instant,
    added_by: z.string().nullable(),
    asked_at: instant
      .nullable()
      .meta({ description: 'when it was last asked for because it was stale; null again after a success' }),
    stale_at: instant.meta({ description: 'when it will not have succeeded for too long' }),
  })
  .meta({ id: 'Subject' })

const at = '/api/v1/subjects' as const
const staleAfter = whole('staleAfterMs').nullable().optional()

export const subjectsContract = contract({
  listSubjects: {
    method: 'GET',
    path: at,
    scope: 'read',
    tag: 'subjects',
    summary: 'Subjects with when they last succeeded and when they are due again',
    query: z.strictObject({
      queue: name.optional(),
      name: text('keyChars').optional(),
      stale: z
        .enum(['true', 'false'])
        .default('false')
        .meta({ description: 'only those that are due again' }),
      ...pageQuery,
    }),
    response: { 200: z.object({ subjects: z.array(subject), next_page_token: nextPageToken }) },
    errors: ['unknown_queue'],
  },
  addSubject: {
    method: 'POST',
    path: at,
    scope: 'operate',
    tag: 'subjects',
    summary: 'Register a subject, or change the job it is asked for with',
    body: z.strictObject({
      queue: name,
      name: text('keyChars'),
      kind: name,
      input: z.unknown().optional(),
      priority: whole('priority').default(0),
      stale_after_ms: staleAfter,
      reason: why,
    }),
    response: { 201: subject },
    errors: ['unknown_queue'],
  },
  getSubject: {
    method: 'GET',
    path: `${at}/{id}`,
    scope: 'read',
    tag: 'subjects',
    summary: 'One subject',
    params: idParams,
    response: { 200: subject },
    errors: ['unknown_subject'],
  },
  setSubject: {
    method: 'PATCH',
    path: `${at}/{id}`,
    scope: 'operate',
    tag: 'subjects',
    summary: 'Change after how long it is due again, or whether it is asked for at all',
    params: idParams,
    body: z.strictObject({ stale_after_ms: staleAfter, enabled: z.boolean().optional(), reason: why }),
    response: { 200: subject },
    errors: ['unknown_subject'],
  },
  removeSubject: {
    method: 'DELETE',
    path: `${at}/{id}`,
    scope: 'operate',
    tag: 'subjects',
    summary: 'Forget a subject; its next success brings it back',
    params: idParams,
    body: reasonBody,
    response: { 204: null },
    errors: ['unknown_subject'],
  },
})
