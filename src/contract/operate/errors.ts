/** Groups of errors: failed attempts with the same fingerprint. */
import { z } from 'zod'
import { contract } from '../endpoint.js'
import { instant, jobId, name, nextPageToken, pageQuery } from '../fields.js'

const errorGroup = z
  .object({
    fingerprint: z
      .string()
      .meta({ description: 'Empty: errors beyond the number of groups that are stored.' }),
    error_class: z.string().nullable(),
    message: z.string().meta({ description: 'The last message, shortened.' }),
    first_seen_at: instant,
    last_seen_at: instant,
    count: z.int().meta({ description: 'Attempts since it was first seen.' }),
    count_24h: z.int(),
    trend: z
      .array(z.int())
      .meta({ description: 'Attempts in each of the last 24 hours, oldest first; the last is the current.' }),
    kinds: z.array(z.string()),
    queues: z.array(z.string()),
    first_version: z
      .string()
      .nullable()
      .meta({ description: 'The version of the worker that had it first.' }),
    last_version: z.string().nullable(),
    last_job_id: jobId,
  })
  .meta({ id: 'ErrorGroup' })

const sample = z
  .object({
    job_id: jobId,
    attempt: z.int(),
    at: instant,
    queue: z.string(),
    kind: z.string(),
    state: z.string().nullable().meta({ description: 'Of the job now.' }),
    worker: z.string().nullable(),
    message: z.string().nullable(),
    stack: z.string().nullable(),
  })
  .meta({ id: 'ErrorSample' })

export const errorsContract = contract({
  listErrors: {
    method: 'GET',
    path: '/api/v1/errors',
    scope: 'read',
    tag: 'stats',
    summary: 'List groups of errors, the last seen first.',
    query: z.strictObject({ queue: name.optional(), kind: name.optional(), ...pageQuery }),
    response: { 200: z.object({ groups: z.array(errorGroup), next_page_token: nextPageToken }) },
    errors: ['unknown_queue'],
  },
  getError: {
    method: 'GET',
    path: '/api/v1/errors/{fingerprint}',
    scope: 'read',
    tag: 'stats',
    summary: 'Get a group of errors with samples, and the search that finds its failed jobs.',
    params: z.strictObject({ fingerprint: z.string().min(1).max(100) }),
    response: {
      200: errorGroup.extend({
        samples: z.array(sample),
        search: z.string().meta({ description: 'The search query of its failed jobs, to retry them.' }),
      }),
    },
    errors: ['unknown_error_group'],
  },
})
