/** Subjects: things that are worked on repeatedly, in queues with one live job per subject. */
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
    input: z.unknown().meta({ description: 'Input of the jobs enqueued for it.' }),
    priority: z.int(),
    last_success_at: instant.nullable(),
    last_job_id: z.int().nullable(),
    stale_after_ms: z.number().nullable().meta({ description: 'Null: the setting STALE_DAYS.' }),
    enabled: z.boolean(),
    added_at: instant,
    added_by: z.string().nullable(),
    enqueued_at: instant
      .nullable()
      .meta({ description: 'When a job was last enqueued because it was stale; null after a success.' }),
    stale_at: instant.meta({ description: 'When it becomes stale.' }),
  })
  .meta({ id: 'Subject' })

const base = '/api/v1/subjects' as const
const staleAfter = whole('staleAfterMs').nullable().optional()

export const subjectsContract = contract({
  listSubjects: {
    method: 'GET',
    path: base,
    scope: 'read',
    tag: 'subjects',
    summary: 'List subjects with their last success and when they become stale.',
    query: z.strictObject({
      queue: name.optional(),
      name: text('keyChars').optional(),
      stale: z.enum(['true', 'false']).default('false').meta({ description: 'Only stale subjects.' }),
      ...pageQuery,
    }),
    response: { 200: z.object({ subjects: z.array(subject), next_page_token: nextPageToken }) },
    errors: ['unknown_queue'],
  },
  addSubject: {
    method: 'POST',
    path: base,
    scope: 'operate',
    tag: 'subjects',
    summary: 'Add a subject, or change the job that is enqueued for it.',
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
    path: `${base}/{id}`,
    scope: 'read',
    tag: 'subjects',
    summary: 'Get a subject.',
    params: idParams,
    response: { 200: subject },
    errors: ['unknown_subject'],
  },
  setSubject: {
    method: 'PATCH',
    path: `${base}/{id}`,
    scope: 'operate',
    tag: 'subjects',
    summary: 'Change when a subject becomes stale, or disable it.',
    params: idParams,
    body: z.strictObject({ stale_after_ms: staleAfter, enabled: z.boolean().optional(), reason: why }),
    response: { 200: subject },
    errors: ['unknown_subject'],
  },
  removeSubject: {
    method: 'DELETE',
    path: `${base}/{id}`,
    scope: 'operate',
    tag: 'subjects',
    summary: 'Delete a subject. Its next success adds it again.',
    params: idParams,
    body: reasonBody,
    response: { 204: null },
    errors: ['unknown_subject'],
  },
})
