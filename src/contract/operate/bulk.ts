/** Bulk operations: one command for every job that a search finds, carried out in the background, page by page. */
import { z } from 'zod'
import { BULK_COMMANDS, BULK_STATES } from '../../domain/bulk.js'
import { contract } from '../endpoint.js'
import {
  between,
  idParams,
  instant,
  jobId,
  nextPageToken,
  pageQuery,
  reasonBody,
  state,
  text,
  whole,
  why,
} from '../fields.js'
import { listedJob } from '../jobs/job.js'

const asked = {
  command: z.enum(BULK_COMMANDS),
  q: text('searchChars').meta({ description: 'The search, such as `state:failed kind:x`.' }),
  until: instant.optional().meta({
    description: 'Only jobs created, and if they have ended, ended, up to this time. Default: now.',
  }),
  priority: whole('priority').optional().meta({ description: 'Required by the command `priority`.' }),
  by: between(1, 100).optional().meta({ description: 'Of the command `boost`. Default: 10.' }),
}

const bulkOperation = z
  .object({
    id: z.int(),
    command: z.enum(BULK_COMMANDS),
    q: z.string(),
    priority: z.int().nullable(),
    by: z.int().nullable(),
    until: instant,
    state: z.enum(BULK_STATES),
    expected: z.int().nullable().meta({ description: 'How many jobs the search found when it was created.' }),
    expected_capped: z.boolean().meta({ description: 'There were more: the count stopped.' }),
    matched: z.int().meta({ description: 'Jobs found so far.' }),
    done: z.int().meta({ description: 'Jobs that the command changed.' }),
    failed: z.int().meta({ description: 'Jobs that refused the command; their results have the reason.' }),
    progress: z.number().nullable().meta({ description: '0 to 1; null while it is unknown.' }),
    limit_reached: z.boolean().meta({ description: 'It ended at bulkJobsMax; more jobs may match.' }),
    created_at: instant,
    created_by: z.string().nullable(),
    reason: z.string().nullable(),
    started_at: instant.nullable(),
    ended_at: instant.nullable(),
    runner: z.string().nullable().meta({ description: 'The process that has the operation now.' }),
    aborted_by: z.string().nullable(),
    abort_reason: z.string().nullable(),
    error: z.string().nullable().meta({ description: 'Why the last page failed; it is tried again.' }),
  })
  .meta({ id: 'BulkOperation' })

const bulkResult = z
  .object({
    job_id: jobId,
    ok: z.boolean(),
    state: state.nullable().meta({ description: 'The state after the command, or the one that refused it.' }),
    new_job_id: jobId.nullable().meta({
      description: 'In a strict queue: the job that a retry or a cancellation enqueued.',
    }),
    code: z.string().nullable(),
    detail: z.string().nullable(),
    at: instant,
  })
  .meta({ id: 'BulkResult' })

const bulkPreview = z
  .object({
    matched: z.int(),
    matched_capped: z.boolean().meta({ description: 'There are more: counting stopped at `matched`.' }),
    applicable: z
      .int()
      .meta({ description: 'Of the matched jobs, those that the command would change now.' }),
    states: z.array(z.object({ state, matched: z.int(), applicable: z.int() })),
    until: instant.meta({ description: 'Send it with the operation, so that later jobs do not count.' }),
    samples: z.array(listedJob.extend({ applies: z.boolean() })),
  })
  .meta({ id: 'BulkPreview' })

export const bulkContract = contract({
  previewBulk: {
    method: 'POST',
    path: '/api/v1/bulk/preview',
    scope: 'read',
    tag: 'bulk',
    summary:
      'Preview a bulk operation: how many jobs match, how many the command would change, and a few of them.',
    body: z.strictObject(asked),
    response: { 200: bulkPreview },
    errors: ['unknown_queue', 'invalid_search'],
    unsafe: false,
  },
  startBulk: {
    method: 'POST',
    path: '/api/v1/bulk',
    scope: 'operate',
    tag: 'bulk',
    summary: 'Start a bulk operation. The same Idempotency-Key returns the same operation.',
    headers: z.object({ 'idempotency-key': text('idempotencyKeyChars').optional() }),
    body: z.strictObject({
      ...asked,
      expected: z
        .strictObject({ matched: between(0, Number.MAX_SAFE_INTEGER), capped: z.boolean() })
        .optional()
        .meta({ description: 'The count of the preview, for the progress. Default: counted now.' }),
      reason: why,
    }),
    response: { 202: bulkOperation, 200: bulkOperation },
    errors: ['unknown_queue', 'invalid_search', 'limit_exceeded', 'idempotency_mismatch'],
  },
  listBulk: {
    method: 'GET',
    path: '/api/v1/bulk',
    scope: 'read',
    tag: 'bulk',
    summary: 'List bulk operations, newest first.',
    query: z.strictObject({ state: z.enum(['open', ...BULK_STATES]).optional(), ...pageQuery }),
    response: { 200: z.object({ operations: z.array(bulkOperation), next_page_token: nextPageToken }) },
    errors: [],
  },
  getBulk: {
    method: 'GET',
    path: '/api/v1/bulk/{id}',
    scope: 'read',
    tag: 'bulk',
    summary: 'Get a bulk operation with its progress.',
    params: idParams,
    response: { 200: bulkOperation },
    errors: ['unknown_bulk'],
  },
  listBulkResults: {
    method: 'GET',
    path: '/api/v1/bulk/{id}/results',
    scope: 'read',
    tag: 'bulk',
    summary: 'List the results of a bulk operation, one per job, newest job first.',
    params: idParams,
    query: z.strictObject({ ok: z.enum(['true', 'false']).optional(), ...pageQuery }),
    response: { 200: z.object({ results: z.array(bulkResult), next_page_token: nextPageToken }) },
    errors: ['unknown_bulk'],
  },
  abortBulk: {
    method: 'POST',
    path: '/api/v1/bulk/{id}/abort',
    scope: 'operate',
    tag: 'bulk',
    summary: 'Abort a bulk operation. Jobs that it has changed stay changed.',
    params: idParams,
    body: reasonBody,
    response: { 200: bulkOperation },
    errors: ['unknown_bulk', 'bulk_ended'],
  },
})
