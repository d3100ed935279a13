/** What a producer may ask for, checked before it costs a round trip, and turned into the JSON the verb takes. */
import { invalidInput } from '../domain/errors.js'
import { LIMITS } from '../domain/limits.js'
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
} from '../domain/validate.js'

export interface NewJob {
  readonly queue: string
  readonly kind: string
  readonly input?: unknown
  /** One live job per key and queue. */
  readonly key?: string
  /** Jobs of one target run one after the other, where the queue serialises targets. */
  readonly target?: string
  readonly subject?: string
  /** 0 to 100; higher first. */
  readonly priority?: number
  readonly runAt?: Date | string
  readonly delayMs?: number
  /** Made now, enqueued by `release`. */
  readonly pending?: boolean
  readonly maxRetries?: number
  readonly maxAttempts?: number
  readonly timeoutMs?: number
  readonly tokenLimit?: number
  /** The job is done when it has reported this many new items. */
  readonly targetCount?: number
  readonly collection?: string
  readonly createdBy?: string
  readonly trace?: string
  readonly labels?: Record<string, string>
  readonly parentId?: number
}

const FIELDS = new Set([
  'queue',
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
  'targetCount',
  'collection',
  'createdBy',
  'trace',
  'labels',
  'parentId',
])

/** A job ready to be sent. */
export interface WrittenJob {
  readonly json: string
  /** Characters at the end of `json` that are no part of what is asked for: where a call belongs in a trace differs from try to try. */
  readonly unasked: number
  readonly queue: string
  /** Nothing but work to do: no key, target, subject, delay, and not pending. A batch of such jobs goes a shorter way. */
  readonly plain: boolean
  /** What it is known by among live jobs, so that it may have to wait for another transaction: its key, or its subject where the queue says so. */
  readonly key: string | undefined
  /** What its kind declares in the database holds where it gives no value. */
  readonly byKind: boolean
  /** Claimable as soon as it is made, unless its target is busy. */
  readonly due: boolean
}

/** The job as JSON text, or a refusal that names the field. The input is stringified once, here. */
export function writeJob(job: NewJob, path = '', byKind = true): WrittenJob {
  for (const field of Object.keys(job)) {
    if (!FIELDS.has(field)) throw invalidInput(`${path}/${field}`, 'there is no such field')
  }
  const input = checkJson(job.input ?? null, { path: `${path}/input` })
  const rest: Record<string, unknown> = {
    queue: checkName(job.queue, `${path}/queue`),
    kind: checkName(job.kind, `${path}/kind`),
  }
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
    rest.token_limit = checkWhole(job.tokenLimit, `${path}/tokenLimit`, { least: 0 })
  if (job.targetCount !== undefined)
    rest.target_count = checkWhole(job.targetCount, `${path}/targetCount`, { least: 1 })
  if (job.collection !== undefined) rest.collection = checkName(job.collection, `${path}/collection`)
  if (job.createdBy !== undefined) rest.created_by = checkKey(job.createdBy, `${path}/createdBy`)
  if (job.labels !== undefined) rest.labels = checkLabels(job.labels, `${path}/labels`)
  if (job.parentId !== undefined) rest.parent_id = checkWhole(job.parentId, `${path}/parentId`, { least: 1 })
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

const SPECIAL = ['key', 'target', 'subject', 'runAt', 'delayMs', 'pending'] as const

/** How many jobs one call may bring. */
export const BATCH_MAX = LIMITS.batchMax.hardMax
