/** Document 001: the admin API of crawl jobs. Its words: queued, crawling, success, failed; its rows have the columns of crawl_jobs. */
import { z } from 'zod'
import { LIMITS } from '../domain/limits.js'
import { contract } from './endpoint.js'
import { between, digits, idParams, instant, jobId, name, reasonBody, whole, why } from './fields.js'

export const CRAWL_WORDS = ['queued', 'crawling', 'success', 'failed'] as const

const wanted = z.enum(CRAWL_WORDS, { error: `must be one of ${CRAWL_WORDS.join(', ')}` })
const queue = z.strictObject({
  queue: name.optional().meta({ description: 'this queue; all queues of the preset crawl if not given' }),
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
      status: z.string().nullable().meta({ description: 'what it is now; null for a job that is not there' }),
      changed: z.boolean(),
      code: z.string().optional(),
      detail: z.string().optional(),
    }),
  ),
})

const look = { method: 'GET', scope: 'read', tag: 'crawl', errors: ['unknown_queue'] } as const
const change = {
  scope: 'operate',
  tag: 'crawl',
  query: queue,
  errors: ['unknown_job', 'unknown_queue', 'wrong_state', 'strict_queue', 'key_taken', 'conflict'],
} as const
const one = { ...change, params: idParams, response: { 200: crawlJob } } as const
const at = '/api/admin/jobs' as const

export const crawlContract = contract({
  crawlStats: {
    ...look,
    path: `${at}/stats`,
    summary: 'How many jobs are queued, running, failed and completed; each is counted up to 100,000',
    query: queue,
    response: {
      200: z.strictObject({ queued: z.int(), running: z.int(), failed: z.int(), completed: z.int() }),
    },
  },
  crawlJobs: {
    ...look,
    path: at,
    summary: 'Jobs by status, the newest first',
    query: queue.extend({
      status: wanted.optional(),
      limit: digits(whole('pageMax')).default(100),
      offset: digits(between(0, 100_000)).default(0),
    }),
    response: { 200: z.object({ jobs: z.array(crawlJob), limit: z.int(), offset: z.int() }) },
  },
  crawlStatus: {
    ...one,
    method: 'PUT',
    path: `${at}/{id}/status`,
    summary: 'Ask for the command that leads to this status',
    body: z.strictObject({ status: wanted, reason: why }),
  },
  crawlPriority: {
    ...one,
    method: 'PUT',
    path: `${at}/{id}/priority`,
    summary: 'Set the priority',
    body: z.strictObject({ priority: whole('priority'), reason: why }),
  },
  crawlBoost: {
    ...one,
    method: 'POST',
    path: `${at}/{id}/boost`,
    summary: 'Raise the priority, up to 100',
    body: z.strictObject({ boost: between(1, 100), reason: why }),
  },
  crawlRetry: {
    ...one,
    method: 'POST',
    path: `${at}/{id}/retry`,
    summary: 'Start a failed job over, with retry_count 0',
    body: reasonBody,
  },
  crawlBulkStatus: {
    ...change,
    method: 'PUT',
    path: `${at}/bulk/status`,
    summary: 'The same status for many jobs; the answer says for each what came of it',
    body: z.strictObject({ job_ids: ids, status: wanted, reason: why }),
    response: { 200: outcomes },
  },
  crawlBulkRetry: {
    ...change,
    method: 'POST',
    path: `${at}/bulk/retry`,
    summary: 'Start many failed jobs over; the answer says for each what came of it',
    body: z.strictObject({ job_ids: ids, reason: why }),
    response: { 200: outcomes },
  },
})
