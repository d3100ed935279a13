/** A new job: its fields, checked before they cost a round trip, and encoded as the JSON that `enqueue_many` takes. */
import { invalidInput } from '../../domain/errors/errors.js'
import { LIMITS } from '../../domain/limits.js'
import { unknownField } from '../../domain/nearest.js'
import {
  checkDelayMs,
  checkJson,
  checkKey,
  checkLabels,
  checkMaxRetries,
  checkName,
  checkPriority,
  checkRunAt,
  checkTarget,
  checkTimeoutMs,
  checkWhole,
  retriesFromAttempts,
} from '../../domain/validate.js'
import { type PresetName, parsePreset } from '../../presets/presets.js'

export interface NewJob {
  readonly queue: string
  /** Of the queue, if it does not exist yet; refused if it has another one. */
  readonly preset?: PresetName
  readonly kind: string
  readonly input?: unknown
  /** At most one live job has this key in its queue. */
  readonly key?: string
  /** Jobs of one target run one after the other in queues that serialise targets. */
  readonly target?: string
  readonly subject?: string
  /** 0 to 100; higher runs first. */
  readonly priority?: number
  readonly runAt?: Date | string
  readonly delayMs?: number
  /** Created now, enqueued by `publish`. */
  readonly pending?: boolean
  readonly maxRetries?: number
  readonly maxAttempts?: number
  readonly timeoutMs?: number
  readonly tokenLimit?: number
  /** The job is complete when it has reported this many new items. */
  readonly itemGoal?: number
  readonly collection?: string
  readonly createdBy?: string
  readonly trace?: string
  readonly labels?: Record<string, string>
  readonly parentId?: number
}

const FIELDS = new Set([
  'queue',
  'preset',
  'kind',
  'input',
  'key',
  'target',
  'subject',
  'priority',
  'runAt',
  'delayMs',
  'pending',
  'maxRetries',
  'maxAttempts',
  'timeoutMs',
  'tokenLimit',
  'itemGoal',
  'collection',
  'createdBy',
  'trace',
  'labels',
  'parentId',
])

/** An input that is already checked and encoded, so that `writeJob` does not encode it again. */
export class EncodedInput {
  constructor(readonly json: string) {}
}

/** A job ready to send. */
export interface WrittenJob {
  readonly json: string
  /** Characters at the end of `json` that do not belong to the request: the trace context differs between retries of the same call. */
  readonly unasked: number
  readonly queue: string
  /** No preset, key, target, subject or delay, and not pending. A batch of such jobs takes a shorter path in the database. */
  readonly plain: boolean
  /** Its identity among live jobs, for which it may have to wait for another transaction: the key, or the subject where the queue uses it. */
  readonly key: string | undefined
  /** Fields without a value get what the kind declares in the database. */
  readonly byKind: boolean
  /** Claimable as soon as it is created, unless its target is busy. */
  readonly due: boolean
}

/** The job as JSON text, or a refusal that names the field. */
export function writeJob(job: NewJob, path = '', byKind = true): WrittenJob {
  for (const field of Object.keys(job)) {
    if (!FIELDS.has(field)) throw invalidInput(`${path}/${field}`, unknownField(field, [...FIELDS]))
  }
  const input =
    job.input instanceof EncodedInput
      ? job.input.json
      : checkJson(job.input ?? null, { path: `${path}/input` })
  const rest: Record<string, unknown> = {
    queue: checkName(job.queue, `${path}/queue`),
    kind: checkName(job.kind, `${path}/kind`),
  }
  if (job.preset !== undefined) rest.preset = parsePreset(job.preset, `${path}/preset`)
  if (job.key !== undefined) rest.key = checkKey(job.key, `${path}/key`)
  if (job.target !== undefined) rest.target = checkTarget(job.target, `${path}/target`)
  if (job.subject !== undefined) rest.subject = checkKey(job.subject, `${path}/subject`)
  if (job.priority !== undefined) rest.priority = checkPriority(job.priority, `${path}/priority`)
  if (job.runAt !== undefined) rest.run_at = checkRunAt(job.runAt, new Date(), `${path}/runAt`).toISOString()
  if (job.delayMs !== undefined) rest.delay_ms = checkDelayMs(job.delayMs, `${path}/delayMs`)
  if (job.pending !== undefined) rest.pending = job.pending === true
  if (job.maxRetries !== undefined) rest.max_retries = checkMaxRetries(job.maxRetries, `${path}/maxRetries`)
  if (job.maxAttempts !== undefined)
    rest.max_retries = retriesFromAttempts(job.maxAttempts, `${path}/maxAttempts`)
  if (job.timeoutMs !== undefined) rest.timeout_ms = checkTimeoutMs(job.timeoutMs, `${path}/timeoutMs`)
  if (job.tokenLimit !== undefined)
    rest.token_limit = checkWhole(job.tokenLimit, `${path}/tokenLimit`, { min: 0 })
  if (job.itemGoal !== undefined) rest.item_goal = checkWhole(job.itemGoal, `${path}/itemGoal`, { min: 1 })
  if (job.collection !== undefined) rest.collection = checkName(job.collection, `${path}/collection`)
  if (job.createdBy !== undefined) rest.created_by = checkKey(job.createdBy, `${path}/createdBy`)
  if (job.labels !== undefined) rest.labels = checkLabels(job.labels, `${path}/labels`)
  if (job.parentId !== undefined) rest.parent_id = checkWhole(job.parentId, `${path}/parentId`, { min: 1 })
  const trace =
    job.trace === undefined ? '' : `,"trace":${JSON.stringify(checkKey(job.trace, `${path}/trace`))}`
  return {
    json: `${JSON.stringify(rest).slice(0, -1)},"input":${input}${trace}}`,
    unasked: trace.length,
    queue: job.queue,
    key: job.key ?? job.subject,
    byKind,
    plain: !SPECIAL.some((field) => job[field] !== undefined),
    due: job.runAt === undefined && job.delayMs === undefined && job.pending !== true,
  }
}

const SPECIAL = ['preset', 'key', 'target', 'subject', 'runAt', 'delayMs', 'pending'] as const

/** How many jobs one call may contain. */
export const BATCH_MAX = LIMITS.batchMax.hardMax
