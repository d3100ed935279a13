/** Queues, their policies, and what stands still in them. */
import { z } from 'zod'
import { POLICY_WORDS, type Policy } from '../domain/policy.js'
import { PRESET_NAMES } from '../domain/words.js'
import { contract } from './endpoint.js'
import { between, digits, instant, jobId, name, reasonBody, state, whole, why } from './fields.js'

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : ''

const ms = between(0, Number.MAX_SAFE_INTEGER)

/** Every field of a policy; what makes sense together is decided where it is set. */
const POLICY = {
  order: z.enum(POLICY_WORDS.order),
  max_retries: whole('maxRetries').nullable(),
  retry_base_ms: ms.nullable(),
  retry_factor: z.number(),
  retry_cap_ms: ms.nullable(),
  jitter_low: z.number(),
  jitter_high: z.number(),
  lease_ms: whole('leaseMs').nullable(),
  heartbeat_ms: ms.nullable(),
  renewed_by: z.enum(POLICY_WORDS.renewedBy),
  on_lease_lost: z.enum(POLICY_WORDS.onLeaseLost),
  crash_budget: z.int().nullable(),
  on_cancel: z.enum(POLICY_WORDS.onCancel),
  on_shutdown: z.enum(POLICY_WORDS.onShutdown),
  serialize_targets: z.boolean(),
  on_error: z.enum(POLICY_WORDS.onError),
  dedup: z.enum(POLICY_WORDS.dedup),
  dedup_by: z.enum(POLICY_WORDS.dedupBy),
  strict: z.boolean(),
  timeout_ms: z.int().nullable(),
  items_key: z.string().nullable(),
  external_trigger: z.string().nullable(),
  max_running: z.int().nullable(),
  max_running_per_target: z.int(),
  rate_limit: z.int().nullable(),
  rate_period_ms: z.int(),
  rate_burst: z.int().nullable(),
  rate_per_key: z.boolean(),
  retention_ms: ms.nullable(),
} satisfies Record<Snake<keyof Policy>, z.ZodType>

const policyChange = z.strictObject(POLICY).partial().meta({ id: 'PolicyChange' })

const counts = z.object({
  queued: z.int(),
  running: z.int(),
  delayed: z.int().meta({ description: 'scheduled or retrying' }),
  waiting: z.int(),
  blocked: z.int().meta({ description: 'paused, errored or parked: somebody has to do something' }),
})

const queue = z
  .object({
    id: z.int().meta({ description: 'the queue_id of events and of claimed jobs' }),
    name: z.string(),
    tenant: z.string(),
    preset: z.enum(PRESET_NAMES),
    paused_at: instant.nullable(),
    paused_by: z.string().nullable(),
    pause_reason: z.string().nullable(),
    created_at: instant,
    policy: z.object(POLICY),
  })
  .meta({ id: 'Queue' })

const blockedTarget = z
  .object({
    queue: z.string(),
    target: z.string(),
    job_id: jobId.meta({ description: 'the job in front, which somebody must resume, skip or cancel' }),
    kind: z.string(),
    state,
    reason: z.string().nullable(),
    last_error: z.string().nullable(),
    since: instant,
    blocked_ms: z.number(),
    behind: z.int().meta({ description: 'jobs that wait behind it, as far as they were counted' }),
    actions: z.array(z.object({ command: z.string(), href: z.string() })),
  })
  .meta({ id: 'BlockedTarget' })

const params = z.strictObject({ name })
const flagged = z.object({ name: z.string(), changed: z.boolean() })
const at = '/api/v1/queues' as const

export const queuesContract = contract({
  listQueues: {
    method: 'GET',
    path: at,
    scope: 'read',
    tag: 'queues',
    summary: 'Queues with how much is in them; every count stops at counted_at_most',
    response: { 200: z.object({ queues: z.array(queue.extend({ counts })), counted_at_most: z.int() }) },
    errors: [],
  },
  createQueue: {
    method: 'POST',
    path: at,
    scope: 'operate',
    tag: 'queues',
    summary: 'Make a queue from a preset',
    body: z.strictObject({
      name,
      preset: z.enum(PRESET_NAMES).default('default'),
      policy: policyChange.optional(),
    }),
    response: { 201: queue },
    errors: ['queue_exists'],
  },
  getQueue: {
    method: 'GET',
    path: `${at}/{name}`,
    scope: ['read', 'enqueue'],
    tag: 'queues',
    summary: 'A queue and its policy',
    params,
    response: { 200: queue },
    errors: ['unknown_queue'],
  },
  setPolicy: {
    method: 'PATCH',
    path: `${at}/{name}`,
    scope: 'operate',
    tag: 'queues',
    summary: 'Change its policy and limits; what is not named stays',
    params,
    body: z.strictObject({ policy: policyChange, reason: why }),
    response: { 200: queue },
    errors: ['unknown_queue'],
  },
  pauseQueue: {
    method: 'POST',
    path: `${at}/{name}/pause`,
    scope: 'operate',
    tag: 'queues',
    summary: 'Give out no more jobs of it; running ones go on',
    params,
    body: reasonBody,
    response: { 200: flagged },
    errors: ['unknown_queue'],
  },
  resumeQueue: {
    method: 'POST',
    path: `${at}/{name}/resume`,
    scope: 'operate',
    tag: 'queues',
    summary: 'Give out jobs of it again',
    params,
    body: reasonBody,
    response: { 200: flagged },
    errors: ['unknown_queue'],
  },
  listBlockedTargets: {
    method: 'GET',
    path: '/api/v1/targets',
    scope: 'read',
    tag: 'queues',
    summary: 'Targets that stand still: the job that blocks each, why, since when; the longest first',
    query: z.strictObject({ queue: name.optional(), page_size: digits(whole('pageMax')).default(100) }),
    response: { 200: z.object({ targets: z.array(blockedTarget) }) },
    errors: [],
  },
})
