/** Queues, their policies, and blocked targets. */
import { z } from 'zod'
import { POLICY_VALUES, type Policy } from '../domain/policy.js'
import { PRESET_NAMES } from '../presets/presets.js'
import { contract } from './endpoint.js'
import {
  between,
  count,
  digits,
  instant,
  jobId,
  name,
  reasonBody,
  state,
  status,
  whole,
  why,
} from './fields.js'

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : ''

const ms = between(0, Number.MAX_SAFE_INTEGER)

/** All fields of a policy. The store checks their combination. */
const POLICY = {
  order: z.enum(POLICY_VALUES.order),
  max_retries: whole('maxRetries').nullable(),
  retry_base_ms: ms.nullable(),
  retry_factor: z.number(),
  retry_cap_ms: ms.nullable(),
  jitter_low: z.number(),
  jitter_high: z.number(),
  lease_ms: whole('leaseMs').nullable(),
  heartbeat_ms: ms.nullable(),
  renewed_by: z.enum(POLICY_VALUES.renewedBy),
  on_lease_lost: z.enum(POLICY_VALUES.onLeaseLost),
  crash_budget: z.int().nullable(),
  on_cancel: z.enum(POLICY_VALUES.onCancel),
  on_shutdown: z.enum(POLICY_VALUES.onShutdown),
  serialize_targets: z.boolean(),
  on_error: z.enum(POLICY_VALUES.onError),
  dedup: z.enum(POLICY_VALUES.dedup),
  dedup_by: z.enum(POLICY_VALUES.dedupBy),
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
  record_starts: z.boolean(),
  unknown_kinds: z.enum(POLICY_VALUES.unknownKinds),
} satisfies Record<Snake<keyof Policy>, z.ZodType>

const policyChange = z.strictObject(POLICY).partial().meta({ id: 'PolicyChange' })

const counts = z.object({
  queued: z.int(),
  running: z.int(),
  delayed: z.int().meta({ description: 'Scheduled or retrying.' }),
  waiting: z.int(),
  blocked: z.int().meta({ description: 'Paused, errored or parked: needs an operator.' }),
  capped: z
    .array(z.enum(['queued', 'running', 'delayed', 'waiting', 'blocked']))
    .meta({ description: 'The counts that stopped before their end: there may be more.' }),
})

const queue = z
  .object({
    id: z.int().meta({ description: 'The queue_id of events and claimed jobs.' }),
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
    job_id: jobId.meta({
      description: 'The job that blocks the target until it is resumed, skipped or canceled.',
    }),
    kind: z.string(),
    state,
    status,
    reason: z.string().nullable(),
    last_error: z.string().nullable(),
    since: instant,
    blocked_ms: z.number(),
    behind: z.int().meta({ description: 'Jobs that wait behind it; the count is limited.' }),
    actions: z.array(z.object({ command: z.string(), href: z.string() })),
  })
  .meta({ id: 'BlockedTarget' })

const queueNow = z
  .object({
    name: z.string(),
    sentences: z.array(z.string()).meta({ description: 'The policy in sentences.' }),
    priorities: z
      .array(count.extend({ priority: z.int() }))
      .meta({ description: 'Ready jobs by priority, the highest first.' }),
    ready: count,
    oldest_ready_at: instant.nullable(),
    running: count,
    delayed: count,
    waiting: count.meta({ description: 'Behind the first job of their target.' }),
    blocked: count.meta({ description: 'Paused, errored or parked: needs an operator.' }),
    limits_reached: z
      .array(z.object({ code: z.string(), sentence: z.string() }))
      .meta({ description: 'Limits that keep it from starting a job now.' }),
    workers: z.int().meta({ description: 'Live workers that serve it.' }),
    slots: z.int(),
  })
  .meta({ id: 'QueueState' })

const params = z.strictObject({ name })
const flagged = z.object({ name: z.string(), changed: z.boolean() })
const base = '/api/v1/queues' as const

export const queuesContract = contract({
  listQueues: {
    method: 'GET',
    path: base,
    scope: 'read',
    tag: 'queues',
    summary:
      'List queues with their counts. Each count stops at `counted_max`; `capped` names those that stopped.',
    response: { 200: z.object({ queues: z.array(queue.extend({ counts })), counted_max: z.int() }) },
    errors: [],
  },
  createQueue: {
    method: 'POST',
    path: base,
    scope: 'operate',
    tag: 'queues',
    summary: 'Create a queue from a preset.',
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
    path: `${base}/{name}`,
    scope: ['read', 'enqueue'],
    tag: 'queues',
    summary: 'Get a queue and its policy.',
    params,
    response: { 200: queue },
    errors: ['unknown_queue'],
  },
  queueState: {
    method: 'GET',
    path: `${base}/{name}/state`,
    scope: 'read',
    tag: 'queues',
    summary:
      'Get a queue as it is now: jobs by priority, limits that are reached, and its policy in sentences.',
    params,
    response: { 200: queueNow },
    errors: ['unknown_queue'],
  },
  setPolicy: {
    method: 'PATCH',
    path: `${base}/{name}`,
    scope: 'operate',
    tag: 'queues',
    summary: 'Change the policy of a queue, or its preset while none of its live jobs was attempted.',
    params,
    body: z.strictObject({
      preset: z
        .enum(PRESET_NAMES)
        .optional()
        .meta({ description: 'The policy becomes that of the preset, except for the fields in `policy`.' }),
      policy: policyChange.optional().meta({ description: 'Fields not given stay as they are.' }),
      reason: why,
    }),
    response: { 200: queue },
    errors: ['unknown_queue', 'queue_in_use', 'conflict'],
  },
  renameQueue: {
    method: 'POST',
    path: `${base}/{name}/rename`,
    scope: 'operate',
    tag: 'queues',
    summary: 'Rename a queue, with its jobs, history, schedules and declared kinds.',
    params,
    body: z.strictObject({ to: name, reason: why }),
    response: { 200: queue },
    errors: ['unknown_queue', 'queue_exists', 'conflict'],
  },
  removeQueue: {
    method: 'DELETE',
    path: `${base}/{name}`,
    scope: 'operate',
    tag: 'queues',
    summary: 'Remove a queue without live jobs and schedules. Its ended jobs can no longer be read.',
    params,
    body: z
      .strictObject({
        with_items: z
          .boolean()
          .optional()
          .meta({ description: 'Also if it has items or subjects, which are deleted.' }),
        reason: why,
      })
      .optional(),
    response: { 204: null },
    errors: ['unknown_queue', 'queue_in_use', 'conflict'],
  },
  pauseQueue: {
    method: 'POST',
    path: `${base}/{name}/pause`,
    scope: 'operate',
    tag: 'queues',
    summary: 'Pause a queue: no more jobs are claimed; running ones continue.',
    params,
    body: reasonBody,
    response: { 200: flagged },
    errors: ['unknown_queue'],
  },
  resumeQueue: {
    method: 'POST',
    path: `${base}/{name}/resume`,
    scope: 'operate',
    tag: 'queues',
    summary: 'Resume a queue.',
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
    summary: 'List blocked targets with the job that blocks each, the reason and the time; longest first.',
    query: z.strictObject({ queue: name.optional(), page_size: digits(whole('pageMax')).default(100) }),
    response: { 200: z.object({ targets: z.array(blockedTarget) }) },
    errors: [],
  },
})
