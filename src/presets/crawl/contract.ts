/** The admin API of the crawl preset. State words: queued, crawling, success, failed. Rows have the columns of a table `crawl_jobs`. */
import { z } from 'zod'
import { contract } from '../../contract/endpoint.js'
import {
  between,
  digits,
  idParams,
  instant,
  jobId,
  name,
  reasonBody,
  whole,
  why,
} from '../../contract/fields.js'
import { LIMITS } from '../../domain/limits.js'

export const CRAWL_STATE_WORDS = ['queued', 'crawling', 'success', 'failed'] as const

const stateWord = z.enum(CRAWL_STATE_WORDS, { error: `must be one of ${CRAWL_STATE_WORDS.join(', ')}` })
const queue = z.strictObject({
  queue: name.optional().meta({ description: 'Only this queue. Default: all queues of the crawl preset.' }),
})

const crawlJob = z
  .object({
    id: jobId,
    subreddit_id: z.union([z.int(), z.string()]).nullable(),
    status: z.string(),
    priority: z.int(),
    retries: z.int(),
    last_attempt: instant.nullable(),
    duration_ms: z.number().nullable(),
    enqueued_by: z.string(),
    created_at: instant,
    updated_at: instant,
    visible_at: instant,
    retry_count: z.int(),
    max_retries: z.int(),
    next_retry_at: instant.nullable(),
  })
  .meta({ id: 'CrawlJob' })

const ids = z.array(jobId).min(LIMITS.bulkIdsMax.min).max(LIMITS.bulkIdsMax.default)

const outcomes = z.object({
  results: z.array(
    z.object({
      job_id: jobId,
      ok: z.boolean(),
      status: z
        .string()
        .nullable()
        .meta({ description: 'The status after the call; null if there is no such job.' }),
      changed: z.boolean(),
      code: z.string().optional(),
      detail: z.string().optional(),
    }),
  ),
})

const read = {
  method: 'GET',
  scope: 'read',
  tag: 'crawl',
  unknownQuery: 'ignored',
  errors: ['unknown_queue'],
} as const
const change = {
  scope: 'operate',
  tag: 'crawl',
  unknownQuery: 'ignored',
  query: queue,
  errors: ['unknown_job', 'unknown_queue', 'wrong_state', 'strict_queue', 'key_taken', 'conflict'],
} as const
const changeJob = { ...change, params: idParams, response: { 200: crawlJob } } as const
const base = '/api/admin/jobs' as const

export const crawlContract = contract({
  crawlStats: {
    ...read,
    path: `${base}/stats`,
    summary: 'Count queued, running, failed and completed jobs. Each count stops at 100,000.',
    query: queue,
    response: {
      200: z.strictObject({ queued: z.int(), running: z.int(), failed: z.int(), completed: z.int() }),
    },
  },
  crawlJobs: {
    ...read,
    path: base,
    summary: 'List jobs by status, newest first.',
    query: queue.extend({
      status: stateWord.optional(),
      limit: digits(between(1, Number.MAX_SAFE_INTEGER))
        .default(100)
        .meta({ description: 'Over 500 it is 500, and the response has a warning.' }),
      offset: digits(between(0, 100_000)).default(0),
    }),
    response: { 200: z.object({ jobs: z.array(crawlJob), limit: z.int(), offset: z.int() }) },
  },
  crawlStatus: {
    ...changeJob,
    method: 'PUT',
    path: `${base}/{id}/status`,
    summary: 'Request a status. The server runs the command that leads to it.',
    body: z.strictObject({ status: stateWord, reason: why }),
  },
  crawlPriority: {
    ...changeJob,
    method: 'PUT',
    path: `${base}/{id}/priority`,
    summary: 'Set the priority of a job.',
    body: z.strictObject({ priority: whole('priority'), reason: why }),
  },
  crawlBoost: {
    ...changeJob,
    method: 'POST',
    path: `${base}/{id}/boost`,
    summary: 'Raise the priority of a job, up to 100.',
    body: z.strictObject({ boost: between(1, Number.MAX_SAFE_INTEGER), reason: why }),
  },
  crawlRetry: {
    ...changeJob,
    method: 'POST',
    path: `${base}/{id}/retry`,
    summary: 'Retry a failed job, with retry_count set back to 0.',
    body: reasonBody,
  },
  crawlBulkStatus: {
    ...change,
    method: 'PUT',
    path: `${base}/bulk/status`,
    summary: 'Request the same status for many jobs. The response has a result for each.',
    body: z.strictObject({ job_ids: ids, status: stateWord, reason: why }),
    response: { 200: outcomes },
  },
  crawlBulkRetry: {
    ...change,
    method: 'POST',
    path: `${base}/bulk/retry`,
    summary: 'Retry many failed jobs. The response has a result for each.',
    body: z.strictObject({ job_ids: ids, reason: why }),
    response: { 200: outcomes },
  },
})
