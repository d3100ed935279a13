/**
 * Document 000: workers in any language pull one job at a time and report what they find. Its words: queued, processing, done, failed.
 * The addresses with `.php` are the same ones, for workers that were written for them.
 */
import { z } from 'zod'
import { LIMITS } from '../domain/limits.js'
import { contract } from './endpoint.js'
import { between, digits, instant, jobId, name, text } from './fields.js'

const leaseSec = between(LIMITS.leaseMs.min / 1000, LIMITS.leaseMs.hardMax / 1000)

const ask = {
  lease_sec: digits(leaseSec).optional().meta({ description: 'the queue’s own lease if not given' }),
  wait_sec: digits(between(0, LIMITS.waitMs.hardMax / 1000))
    .default(0)
    .meta({ description: 'how long to wait for a job where none is due' }),
  worker_id: name.optional(),
  queue: name.optional().meta({ description: 'this queue; all queues of the preset harvest if not given' }),
}

const pulled = z.object({
  job_id: jobId,
  lease_token: z.string().meta({ description: 'send it with every report of this job' }),
  lease_expires_at: instant.nullable(),
  last_cursor: z.unknown().meta({ description: 'where the attempt before stood; null at the beginning' }),
  job: z.object({
    id: jobId,
    queue: z.string(),
    kind: z.string(),
    status: z.string(),
    input: z.unknown(),
    attempts: z.int(),
    lease_expires_at: instant.nullable(),
    last_cursor: z.unknown(),
    progress_count: z.int(),
    result_count: z.int(),
    target_count: z.int().nullable(),
    last_progress_at: instant.nullable(),
    created_at: instant,
  }),
})

const pull = {
  scope: 'work',
  tag: 'harvest',
  summary: 'Claim one due job; 204 when there is none',
  query: z.strictObject(ask),
  headers: z.object({ 'x-worker-id': name.optional() }),
  response: { 200: pulled, 204: null },
  errors: ['unknown_queue'],
} as const

const asking = z.strictObject({ ...ask, wait_sec: ask.wait_sec.optional() }).optional()
const byGet = { ...pull, method: 'GET', unsafe: true } as const
const byPost = { ...pull, method: 'POST', body: asking } as const

const report = {
  method: 'POST',
  scope: 'work',
  tag: 'harvest',
  rank: 'first',
  summary: 'Report items and a cursor, the end (`done`), or a failure (`error`); one fenced transaction',
  body: z.strictObject({
    job_id: jobId,
    lease_token: z.string().max(100).optional().meta({ description: 'from the pull; needed' }),
    items: z.array(z.unknown()).max(LIMITS.itemsPerReportMax.hardMax).default([]),
    cursor: z.unknown().optional(),
    done: z.boolean().default(false),
    done_reason: text('reasonChars').optional(),
    extend_lease_sec: leaseSec.optional(),
    error: z.string().min(1).optional().meta({ description: 'instead of items and done' }),
    log: z.string().optional().meta({ description: 'with error; its end is kept' }),
  }),
  bodyBytesMax: LIMITS.reportBytesMax.hardMax + LIMITS.cursorBytesMax.hardMax + 64 * 1024,
  response: {
    200: z.object({
      job_id: jobId,
      status: z.string(),
      done_reason: z.string().nullable(),
      added: z.int().meta({ description: 'items of this report that were new' }),
      duplicates: z.int(),
      progress_count: z.int().nullable().meta({ description: 'items received, over all attempts' }),
      result_count: z.int().nullable().meta({ description: 'new ones among them' }),
      lease_expires_at: instant.nullable(),
      next_retry_at: instant.nullable(),
      cancel_requested: z.boolean().meta({ description: 'somebody wants this job stopped' }),
    }),
  },
  errors: ['lease_token_required', 'lease_lost', 'unknown_job', 'payload_too_large', 'too_deep'],
} as const

export const harvestContract = contract({
  pullJob: { ...byGet, path: '/api/pull_job' },
  pullJobByPost: { ...byPost, path: '/api/pull_job' },
  pullJobPhp: { ...byGet, path: '/api/pull_job.php' },
  pullJobPhpByPost: { ...byPost, path: '/api/pull_job.php' },
  reportResults: { ...report, path: '/api/report_results' },
  reportResultsPhp: { ...report, path: '/api/report_results.php' },
})
