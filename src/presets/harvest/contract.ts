/**
 * The harvest preset over HTTP: workers in any language pull one job at a time and report the items they find. State words: queued,
 * processing, done, failed. Each path also exists with `.php`, for workers written against an older server.
 */
import { z } from 'zod'
import { contract } from '../../contract/endpoint.js'
import { between, digits, instant, jobId, name, text } from '../../contract/fields.js'
import { LIMITS } from '../../domain/limits.js'

const leaseSec = between(LIMITS.leaseMs.min / 1000, LIMITS.leaseMs.hardMax / 1000)

const pullOptions = {
  lease_sec: digits(leaseSec)
    .optional()
    .meta({ description: 'Lease of the job in seconds. Default: the lease of the queue.' }),
  wait_sec: digits(between(0, LIMITS.waitMs.hardMax / 1000))
    .default(0)
    .meta({ description: 'How long to wait, in seconds, if no job is due.' }),
  worker_id: name.optional(),
  queue: name
    .optional()
    .meta({ description: 'Claim only from this queue. Default: all queues of the harvest preset.' }),
}

const pulled = z.object({
  job_id: jobId,
  lease_token: z.string().meta({ description: 'Send it with every report of this job.' }),
  lease_expires_at: instant.nullable(),
  last_cursor: z.unknown().meta({ description: 'The last cursor an earlier attempt reported, or null.' }),
  job: z.object({
    id: jobId,
    queue: z.string(),
    kind: z.string(),
    status: z.string(),
    input: z.unknown(),
    attempts: z.int(),
    max_attempts: z
      .int()
      .meta({ description: 'Failed attempts and lost leases at most; then the job has failed.' }),
    last_error: z.string().nullable().meta({ description: 'How an earlier attempt failed.' }),
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
  summary: 'Claim one due job. Returns 204 if none is due.',
  unknownQuery: 'ignored',
  query: z.strictObject(pullOptions),
  headers: z.object({ 'x-worker-id': name.optional() }),
  response: { 200: pulled, 204: null },
  errors: ['unknown_queue', 'no_preset_queue'],
} as const

const pullBody = z.strictObject({ ...pullOptions, wait_sec: pullOptions.wait_sec.optional() }).optional()
const byGet = { ...pull, method: 'GET', unsafe: true } as const
const byPost = { ...pull, method: 'POST', body: pullBody } as const

const report = {
  method: 'POST',
  scope: 'work',
  tag: 'harvest',
  rank: 'first',
  unknownQuery: 'ignored',
  summary: 'Report items and a cursor, the end (`done`), or a failure (`error`), in one fenced transaction.',
  body: z.strictObject({
    job_id: digits(jobId),
    lease_token: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'The lease_token that the pull returned. Required.' }),
    items: z.array(z.unknown()).max(LIMITS.itemsPerReportMax.hardMax).default([]),
    cursor: z.unknown().optional(),
    done: z.boolean().default(false),
    done_reason: text('reasonChars').optional(),
    extend_lease_sec: digits(leaseSec)
      .optional()
      .meta({ description: 'Default: the lease of the queue, LEASE_SEC_DEFAULT.' }),
    error: z.string().min(1).optional().meta({
      description: 'Fails the attempt; items and cursor are stored. Not allowed together with done.',
    }),
    log: z
      .string()
      .optional()
      .meta({ description: 'Log of the failed attempt. Only the last part is stored.' }),
  }),
  bodyBytesMax: LIMITS.reportBytesMax.hardMax + LIMITS.cursorBytesMax.hardMax + 64 * 1024,
  response: {
    200: z.object({
      job_id: jobId,
      status: z.string(),
      done_reason: z.string().nullable(),
      added: z.int().meta({ description: 'New items in this report.' }),
      duplicates: z.int(),
      progress_count: z.int().nullable().meta({ description: 'Items received in all attempts of the job.' }),
      result_count: z.int().nullable().meta({ description: 'New items in all attempts of the job.' }),
      lease_expires_at: instant.nullable(),
      next_retry_at: instant.nullable(),
      attempts: z.int().optional().meta({ description: 'Only if the attempt has failed: its number.' }),
      max_attempts: z
        .int()
        .optional()
        .meta({ description: 'Only if the attempt has failed: how many there may be.' }),
      cancel_requested: z.boolean().meta({ description: 'True if cancellation of the job was requested.' }),
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
