/**
 * The worker protocol: what a worker in any language says to the server. Every write carries the fence of its claim (job, attempt, lease);
 * one that no longer holds changes nothing and says so. docs/worker-protocol.md tells it in order.
 */
import { z } from 'zod'
import { LIMITS } from '../domain/limits.js'
import { OUTCOMES } from '../domain/states.js'
import { attempt, claimedJob, fence, jobAttempt, lease } from './claimed-job.js'
import { contract } from './endpoint.js'
import { between, instant, jobId, name, state, whole, why } from './fields.js'
import { presence, queueNames, scaleDecision } from './presence.js'

const MIB = 1024 * 1024
const most = LIMITS.batchMax.default

/** A duration that makes no sense is not worth a refusal of what comes with it. */
const agoMs = z.number()
const waitMs = whole('waitMs')

const ending = z
  .strictObject({
    ...fence,
    outcome: z.enum(OUTCOMES),
    started_ago_ms: agoMs.optional().meta({ description: 'how long ago the handler began' }),
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
    log: z.string().optional().meta({ description: 'its end is kept' }),
    retryable: z
      .boolean()
      .optional()
      .meta({ description: 'false: do not try again, whatever the policy allows' }),
    delay_ms: whole('delayMs').optional().meta({ description: 'with `snoozed`: how long to wait' }),
    began: z
      .boolean()
      .optional()
      .meta({ description: 'with `released`: false when the handler was never called' }),
  })
  .meta({ id: 'Ending' })

const ended = z
  .object({
    job_id: jobId,
    attempt,
    accepted: z.boolean().meta({ description: 'false: the lease was lost, and nothing was written' }),
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
  alive: z.boolean().meta({ description: 'false: closed, or ended by a sweep; stop all its jobs' }),
  expires_at: instant.nullable(),
  cancel: z
    .array(jobAttempt)
    .meta({ description: 'attempts somebody wants stopped; answered until they have ended' }),
  revoked: z
    .array(jobAttempt)
    .meta({ description: 'attempts that an operator ended; answered until `seen` acknowledges them' }),
})
const attempts = z.array(jobAttempt).max(LIMITS.batchMax.hardMax)

const part = { method: 'POST', scope: 'work', tag: 'work', errors: [] } as const
const at = '/api/v1/work' as const

export const workContract = contract({
  workTerms: {
    ...part,
    path: `${at}/terms`,
    summary:
      'How long a lease of a worker of these queues should be, how often it should beat, how long it should drain',
    body: z.strictObject({ queues: queueNames, lease_ms: whole('leaseMs').optional() }),
    response: { 200: z.object({ lease_ms: z.int(), heartbeat_ms: z.int(), grace_ms: z.int() }) },
    unsafe: false,
  },
  openLease: {
    ...part,
    rank: 'first',
    path: `${at}/leases`,
    summary: "Open a worker's lease: all its claims carry it, and one renewal keeps them all",
    body: z.strictObject({ worker: name, lease_ms: whole('leaseMs') }),
    response: { 201: z.object({ lease, expires_at: instant }) },
  },
  claimJobs: {
    ...part,
    path: `${at}/claim`,
    summary: 'Take up to `limit` jobs; with `wait_ms` the answer waits for some',
    body: z.strictObject({
      worker: name,
      queues: queueNames,
      lease: lease.optional().meta({ description: 'without it each job gets a lease of its own' }),
      lease_ms: whole('leaseMs')
        .optional()
        .meta({ description: "length of the leases of their own, instead of the queue's" }),
      limit: between(1, most).default(1),
      wait_ms: waitMs.default(0),
    }),
    response: { 200: z.object({ jobs: z.array(claimedJob) }) },
    errors: ['lease_gone', 'lease_stale'],
  },
  waitForWork: {
    ...part,
    path: `${at}/wait`,
    summary: 'Wait until there may be work in these queues; takes none',
    body: z.strictObject({
      queues: queueNames,
      wait_ms: waitMs,
      seen: z
        .string()
        .max(100)
        .optional()
        .meta({ description: 'of the answer before: what came since is not missed' }),
    }),
    response: { 200: z.object({ woken: z.boolean(), seen: z.string() }) },
    unsafe: false,
  },
  renewLeases: {
    ...part,
    rank: 'first',
    path: `${at}/renew`,
    summary:
      'A heartbeat: renews leases, and tells what was canceled, taken away, paused, and whether to drain',
    body: z.strictObject({
      leases: z.array(lease).max(LIMITS.batchMax.hardMax),
      seen: attempts
        .optional()
        .meta({ description: '`revoked` of earlier answers: they need not be answered again' }),
      presence: presence.optional().meta({ description: 'who you are: the same as a beat' }),
    }),
    response: {
      200: z.object({
        leases: z.array(renewed),
        drain: z.boolean().meta({ description: 'somebody asked this worker to go; only with presence' }),
        paused: z
          .array(z.string())
          .meta({ description: 'queues of yours that give out no jobs now; only with presence' }),
      }),
    },
  },
  startJobs: {
    ...part,
    rank: 'first',
    path: `${at}/start`,
    summary:
      'Say that jobs have begun; answers those noted as begun, now or before. One that is locked just then is not: send it again later',
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
    path: `${at}/report`,
    summary: 'Items found, where to go on, tokens spent; the same report twice counts once',
    body: z.strictObject({
      ...fence,
      items: z.array(z.unknown()).max(LIMITS.itemsPerReportMax.default).optional(),
      cursor: z.unknown().optional(),
      progress: z.unknown().optional(),
      tokens: between(0, Number.MAX_SAFE_INTEGER).optional(),
      extend_ms: whole('leaseMs').optional(),
      seq: between(0, 2 ** 31 - 1)
        .optional()
        .meta({ description: 'rises with every report of an attempt' }),
      done: z.boolean().optional(),
      done_reason: z.string().optional(),
      result: z.unknown().optional(),
    }),
    response: { 200: reported },
    errors: ['lease_lost', 'payload_too_large', 'too_deep'],
    bodyBytesMax: LIMITS.reportBytesMax.default + MIB,
  },
  finishJobs: {
    ...part,
    rank: 'first',
    path: `${at}/finish`,
    summary:
      'End attempts, each with its own outcome; the same ending twice is accepted twice and counts once',
    body: z.strictObject({ jobs: z.array(ending).min(1).max(most) }),
    response: { 200: z.object({ jobs: z.array(ended) }) },
    errors: ['payload_too_large', 'job_locked'],
    bodyBytesMax: 8 * MIB,
  },
  keepJobs: {
    ...part,
    rank: 'first',
    path: `${at}/keep`,
    summary: 'Give back what the lease holds beyond these attempts: a claim whose answer was lost',
    body: z.strictObject({
      lease,
      jobs: attempts,
      older_than_ms: z.number().min(0).meta({ description: 'longer than any claim under way may take' }),
    }),
    response: { 200: z.object({ released: z.int() }) },
  },
  closeLease: {
    ...part,
    rank: 'first',
    path: `${at}/leases/close`,
    summary: 'End a lease now; what it still holds goes back, uncharged',
    body: z.strictObject({ lease, reason: why }),
    response: { 200: z.object({ released: z.int() }) },
  },
  beat: {
    ...part,
    rank: 'first',
    path: `${at}/beat`,
    summary: 'A sign of life, for people to look at; says whether somebody asked this worker to drain',
    body: presence,
    response: { 200: z.object({ drain: z.boolean() }) },
  },
  leave: {
    ...part,
    path: `${at}/leave`,
    summary: 'Good-bye: the worker is no longer shown. Its leases are another matter',
    body: z.strictObject({ worker: name }),
    response: { 204: null },
  },
  unparkJobs: {
    ...part,
    path: `${at}/unpark`,
    summary:
      'A worker that knows these kinds has come: parked jobs of them go back to work, up to 1,000 at a time',
    body: z.strictObject({ queues: queueNames, kinds: z.array(name).max(1_000) }),
    response: { 200: z.object({ unparked: z.int() }) },
  },
  depth: {
    ...part,
    path: `${at}/depth`,
    summary: 'Due, unclaimed jobs of these queues, counted up to `most`',
    body: z.strictObject({ queues: queueNames, most: between(1, LIMITS.batchMax.hardMax).default(1_000) }),
    response: { 200: z.object({ depth: z.int() }) },
    unsafe: false,
  },
  depthByKind: {
    ...part,
    path: `${at}/depths`,
    summary: 'The same by kind, each queue counted up to `most`',
    body: z.strictObject({ queues: queueNames, most: between(1, LIMITS.batchMax.hardMax).default(1_000) }),
    response: {
      200: z.object({ kinds: z.array(z.object({ queue_id: z.int(), kind: z.string(), jobs: z.int() })) }),
    },
    unsafe: false,
  },
  noteScale: {
    ...part,
    path: `${at}/scale`,
    summary: 'A group of workers has changed its size; kept for whoever asks later',
    body: scaleDecision,
    response: { 204: null },
  },
})
