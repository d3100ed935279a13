/**
 * The worker protocol: the calls of a worker in any language. Every write carries the fence of its claim (job, attempt, lease); a stale
 * fence changes nothing, and the response reports it. docs/worker-protocol.md explains the calls in order.
 */
import { z } from 'zod'
import { LIMITS } from '../../domain/limits.js'
import { OUTCOMES } from '../../domain/states/states.js'
import { contract } from '../endpoint.js'
import { between, idParams, instant, jobId, name, state, text, whole, why } from '../fields.js'
import { declaredKind } from '../jobs/kinds.js'
import { attempt, claimedJob, fence, jobAttempt, lease } from './claimed-job.js'

const MIB = 1024 * 1024
const INT4_MAX = 2 ** 31 - 1
const batchMax = LIMITS.batchMax.default
/** Whose lines one call may show. */
const LOGGED_JOBS_MAX = 100

/** An impossible duration is ignored: it must not fail the whole call. */
const agoMs = z.number()
const waitMs = whole('waitMs')

/** In order of precedence. */
const queueNames = z.array(name).min(1).max(LIMITS.batchMax.default)

/** What a worker reports about itself with a heartbeat. */
const presence = z
  .strictObject({
    worker: name,
    host: text('keyChars'),
    pid: between(0, INT4_MAX),
    version: text('keyChars').meta({ description: 'Of the worker program of Holdfast, or of your own.' }),
    app_version: text('nameChars')
      .optional()
      .meta({ description: 'Of your program: kinds are counted by it.' }),
    kinds: z.array(name).max(LIMITS.batchMax.default),
    queues: queueNames,
    slots: between(0, INT4_MAX),
    busy: between(0, INT4_MAX),
    lag_ms: z.number().min(0).default(0),
    draining: z.boolean().default(false),
  })
  .meta({ id: 'Presence' })

const scaleDecision = z
  .strictObject({
    worker: name,
    group: name,
    from: between(0, INT4_MAX),
    to: between(0, INT4_MAX),
    depth: between(0, INT4_MAX).meta({ description: 'Due, unclaimed jobs that it found.' }),
    reason: z.enum(['depth', 'wait']),
  })
  .meta({ id: 'ScaleDecision' })

const ending = z
  .strictObject({
    ...fence,
    outcome: z.enum(OUTCOMES),
    started_ago_ms: agoMs.optional().meta({ description: 'How long ago the handler began.' }),
    result: z.unknown().optional(),
    reason: z.string().optional(),
    error: z
      .union([
        z.string(),
        z.object({
          name: z.string().optional(),
          message: z.string().optional(),
          stack: z.string().optional(),
        }),
      ])
      .optional(),
    log: z.string().optional().meta({ description: 'Only the last part is stored.' }),
    retryable: z.boolean().optional().meta({ description: 'False: no retry, whatever the policy allows.' }),
    delay_ms: whole('delayMs').optional().meta({ description: 'With `snoozed`: how long to wait.' }),
    started: z
      .boolean()
      .optional()
      .meta({ description: 'With `released`: false if the handler was never called.' }),
  })
  .meta({ id: 'Ending' })

const ended = z
  .object({
    job_id: jobId,
    attempt,
    accepted: z.boolean().meta({ description: 'False if the lease was lost; nothing was written.' }),
    state: state.nullable(),
    due_at: instant.nullable(),
  })
  .meta({ id: 'Ended' })

const reported = z
  .object({
    done: z.boolean(),
    done_reason: z.string().nullable(),
    new_items: z.int(),
    duplicate_items: z.int(),
    progress_count: z.int(),
    result_count: z.int(),
    tokens_used: z.int(),
    token_limit: z.int().nullable(),
    cancel_requested: z.boolean(),
    expires_at: instant.nullable(),
  })
  .meta({ id: 'Reported' })

const renewed = z.object({
  lease,
  alive: z
    .boolean()
    .meta({ description: 'False if the lease was closed or has expired: abort all its jobs.' }),
  expires_at: instant.nullable(),
  cancel: z
    .array(jobAttempt)
    .meta({ description: 'Attempts whose cancellation was requested. Repeated until they have ended.' }),
  revoked: z
    .array(jobAttempt)
    .meta({ description: 'Attempts that an operator ended. Repeated until `seen` acknowledges them.' }),
})
const attempts = z.array(jobAttempt).max(LIMITS.batchMax.hardMax)

const part = { method: 'POST', scope: 'work', tag: 'work', errors: [] } as const
const base = '/api/v1/work' as const

export const workContract = contract({
  workTerms: {
    ...part,
    path: `${base}/terms`,
    summary: 'Get lease, heartbeat interval and drain time for a worker of these queues.',
    body: z.strictObject({ queues: queueNames, lease_ms: whole('leaseMs').optional() }),
    response: { 200: z.object({ lease_ms: z.int(), heartbeat_ms: z.int(), grace_ms: z.int() }) },
    unsafe: false,
  },
  declareKinds: {
    ...part,
    path: `${base}/kinds`,
    summary: 'Declare kinds of jobs. Their values apply to every job that does not give its own.',
    body: z.strictObject({ kinds: z.array(declaredKind).min(1).max(batchMax) }),
    response: { 200: z.object({ changed: z.int() }) },
  },
  openLease: {
    ...part,
    rank: 'first',
    path: `${base}/leases`,
    summary: "Open a worker's lease. All its claims carry it, and one renewal extends them all.",
    body: z.strictObject({ worker: name, lease_ms: whole('leaseMs') }),
    response: { 201: z.object({ lease, expires_at: instant }) },
  },
  claimJobs: {
    ...part,
    path: `${base}/claim`,
    summary: 'Claim up to `limit` jobs. With `wait_ms` it is a long poll.',
    body: z.strictObject({
      worker: name,
      queues: queueNames,
      lease: lease.optional().meta({ description: 'Without it each job gets a lease of its own.' }),
      lease_ms: whole('leaseMs')
        .optional()
        .meta({ description: 'Lease of each job in milliseconds. Default: the lease of the queue.' }),
      limit: between(1, batchMax).default(1),
      start_now: between(0, batchMax).optional().meta({
        description:
          'How many of the jobs start at once; call `start` before each other job that is `unstarted`. Default: all claimed jobs have started.',
      }),
      eager: z.boolean().optional().meta({
        description:
          'For short jobs: mark as `unstarted` only jobs for which a lost lease has immediate consequences.',
      }),
      wait_ms: waitMs.default(0),
    }),
    response: { 200: z.object({ jobs: z.array(claimedJob) }) },
    errors: ['lease_gone', 'lease_stale'],
  },
  claimJob: {
    ...part,
    path: `${base}/claim/{id}`,
    summary: 'Claim one job by its id. Returns no job if it cannot be claimed now.',
    params: idParams,
    body: z.strictObject({
      worker: name,
      lease: lease.optional().meta({ description: 'Without it the job gets a lease of its own.' }),
      lease_ms: whole('leaseMs')
        .optional()
        .meta({ description: 'Lease of the job in milliseconds. Default: the lease of the queue.' }),
    }),
    response: { 200: z.object({ jobs: z.array(claimedJob) }) },
    errors: ['unknown_job', 'lease_gone', 'lease_stale'],
  },
  waitForWork: {
    ...part,
    path: `${base}/wait`,
    summary: 'Wait until there may be a job in these queues. Claims none.',
    body: z.strictObject({
      queues: queueNames,
      wait_ms: waitMs,
      seen: z
        .string()
        .max(100)
        .optional()
        .meta({ description: '`seen` of the last response, so that no wake-up since then is missed.' }),
    }),
    response: { 200: z.object({ woken: z.boolean(), seen: z.string() }) },
    unsafe: false,
  },
  renewLeases: {
    ...part,
    rank: 'first',
    path: `${base}/renew`,
    summary:
      'Heartbeat: renew leases. Returns canceled and revoked attempts, paused queues, and whether to drain.',
    body: z.strictObject({
      leases: z.array(lease).max(LIMITS.batchMax.hardMax),
      seen: attempts
        .optional()
        .meta({ description: '`revoked` attempts of earlier responses, which are not sent again.' }),
      presence: presence.optional().meta({ description: 'Also registers the worker, like `heartbeat`.' }),
    }),
    response: {
      200: z.object({
        leases: z.array(renewed),
        drain: z
          .boolean()
          .meta({ description: 'True if an operator asked this worker to drain. Only with presence.' }),
        paused: z
          .array(z.string())
          .meta({ description: 'Paused queues of this worker. Only with presence.' }),
      }),
    },
  },
  startJobs: {
    ...part,
    rank: 'first',
    path: `${base}/start`,
    summary:
      'Mark claimed jobs as started. Returns those that are marked. A locked job is not: send it again later.',
    body: z.strictObject({
      jobs: z
        .array(z.strictObject({ ...fence, started_ago_ms: agoMs.optional() }))
        .min(1)
        .max(LIMITS.batchMax.hardMax),
    }),
    response: { 200: z.object({ jobs: z.array(jobAttempt) }) },
    bodyBytesMax: MIB,
  },
  reportWork: {
    ...part,
    rank: 'first',
    path: `${base}/report`,
    summary: 'Save progress: items, cursor, tokens. The same report twice counts once.',
    body: z.strictObject({
      ...fence,
      items: z.array(z.unknown()).max(LIMITS.itemsPerReportMax.default).optional(),
      cursor: z.unknown().optional(),
      progress: z.unknown().optional(),
      tokens: between(0, Number.MAX_SAFE_INTEGER).optional(),
      extend_ms: whole('leaseMs').optional(),
      seq: between(0, 2 ** 31 - 1)
        .optional()
        .meta({ description: 'Increases with every report of an attempt.' }),
      done: z.boolean().optional(),
      done_reason: z.string().optional(),
      result: z.unknown().optional(),
    }),
    response: { 200: reported },
    errors: ['lease_lost', 'payload_too_large', 'too_deep'],
    bodyBytesMax: LIMITS.reportBytesMax.default + MIB,
  },
  logWork: {
    ...part,
    path: `${base}/log`,
    summary:
      'Show lines that running jobs have logged. The log that is stored comes with the end of the attempt.',
    body: z.strictObject({
      jobs: z
        .array(z.strictObject({ ...fence, text: z.string().max(LIMITS.logExcerptBytesMax.default) }))
        .min(1)
        .max(LOGGED_JOBS_MAX),
    }),
    response: {
      200: z.object({ logged: z.int().meta({ description: 'Of so many jobs; the others were lost.' }) }),
    },
    bodyBytesMax: MIB,
  },
  finishJobs: {
    ...part,
    rank: 'first',
    path: `${base}/finish`,
    summary:
      'Finish attempts, each with its outcome. The same finish twice is accepted twice and counts once.',
    body: z.strictObject({ jobs: z.array(ending).min(1).max(batchMax) }),
    response: { 200: z.object({ jobs: z.array(ended) }) },
    errors: ['payload_too_large', 'job_locked'],
    bodyBytesMax: 8 * MIB,
  },
  releaseUnlisted: {
    ...part,
    rank: 'first',
    path: `${base}/release-unlisted`,
    summary:
      'Release jobs of the lease that are not listed, such as those of a claim whose response was lost.',
    body: z.strictObject({
      lease,
      jobs: attempts,
      older_than_ms: z.number().min(0).meta({ description: 'Longer than any running claim can take.' }),
    }),
    response: { 200: z.object({ released: z.int() }) },
  },
  closeLease: {
    ...part,
    rank: 'first',
    path: `${base}/leases/close`,
    summary:
      'Close a lease. At a "shutdown", the default, its jobs are released and not charged; for any other reason those that had started are lost.',
    body: z.strictObject({
      lease,
      reason: why,
      started: z
        .array(jobId)
        .max(LIMITS.batchMax.hardMax)
        .optional()
        .meta({ description: 'Jobs of the lease that had started.' }),
    }),
    response: { 200: z.object({ released: z.int() }) },
  },
  heartbeat: {
    ...part,
    rank: 'first',
    path: `${base}/heartbeat`,
    summary: 'Register a worker or update it. Returns whether it should drain.',
    body: presence,
    response: { 200: z.object({ drain: z.boolean() }) },
  },
  removeWorker: {
    ...part,
    path: `${base}/remove-worker`,
    summary: 'Remove a worker from the list. Does not close its leases.',
    body: z.strictObject({ worker: name }),
    response: { 204: null },
  },
  unparkJobs: {
    ...part,
    path: `${base}/unpark`,
    summary: 'Requeue parked jobs of these kinds, up to 1,000 per call.',
    body: z.strictObject({ queues: queueNames, kinds: z.array(name).max(1_000) }),
    response: { 200: z.object({ unparked: z.int() }) },
  },
  depth: {
    ...part,
    path: `${base}/depth`,
    summary: 'Count due, unclaimed jobs of these queues, up to `max`.',
    body: z.strictObject({ queues: queueNames, max: between(1, LIMITS.batchMax.hardMax).default(1_000) }),
    response: { 200: z.object({ depth: z.int() }) },
    unsafe: false,
  },
  depthByKind: {
    ...part,
    path: `${base}/depths`,
    summary: 'Count due, unclaimed jobs by kind, each queue up to `max`.',
    body: z.strictObject({ queues: queueNames, max: between(1, LIMITS.batchMax.hardMax).default(1_000) }),
    response: {
      200: z.object({ kinds: z.array(z.object({ queue_id: z.int(), kind: z.string(), jobs: z.int() })) }),
    },
    unsafe: false,
  },
  recordScale: {
    ...part,
    path: `${base}/scale`,
    summary: 'Record that a group of workers changed its size.',
    body: scaleDecision,
    response: { 204: null },
  },
})
