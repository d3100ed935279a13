/** A worker's report, in the model: items are kept once, the same report again changes nothing, an end is a success. */
import { endAttempt } from './endings.js'
import { type Model, type ModelJob, policyOf } from './model.js'
import { type Fence, held } from './verbs.js'

export interface ReportAsked extends Fence {
  readonly items: readonly Readonly<Record<string, number>>[]
  readonly cursor?: unknown
  readonly progress?: unknown
  readonly tokens?: number
  readonly extendMs?: number
  readonly done?: boolean
  readonly doneReason?: string
}

export interface Reported {
  readonly done: boolean
  readonly doneReason: string | null
  readonly newItems: number
  readonly duplicateItems: number
  readonly progressCount: number
  readonly resultCount: number
  readonly tokensUsed: number
  readonly cancelRequested: boolean
  readonly expiresAt: number | null
}

export function report(model: Model, asked: ReportAsked): Reported | 'lease_lost' {
  const job = held(model, asked)
  const { attempt, items, cursor, progress, tokens, done, doneReason } = asked
  const words = JSON.stringify([
    attempt,
    items,
    cursor ?? null,
    progress ?? null,
    tokens ?? 0,
    done ?? false,
    doneReason ?? null,
  ])
  if (job === undefined) return repeatedReport(model, asked, words)
  const newItems = job.progress?.lastReport === words ? null : keep(model, job, asked, words)
  const { progressCount, resultCount, tokensUsed } = job.progress as NonNullable<typeof job.progress>
  const expiresAt = extend(model, job, asked)
  const reached = job.itemGoal !== null && resultCount >= job.itemGoal
  const isDone = done === true || reached
  const answer = {
    done: isDone,
    doneReason: isDone ? reasonOf(asked, reached) : null,
    newItems: newItems ?? 0,
    duplicateItems: newItems === null ? 0 : items.length - newItems,
    progressCount,
    resultCount,
    tokensUsed,
    cancelRequested: job.cancelRequested,
    expiresAt: isDone ? null : expiresAt,
  }
  if (isDone) endAttempt(model, job, 'succeeded', { reason: answer.doneReason as string })
  return answer
}

/** The report that ended the job, sent again because its reply was lost, is no stale write. */
function repeatedReport(
  model: Model,
  { jobId, attempt, lease }: ReportAsked,
  words: string,
): Reported | 'lease_lost' {
  const job = model.jobs.get(jobId)
  const row = job?.attempts.find((one) => one.attempt === attempt && one.lease === lease)
  if (row?.outcome !== 'succeeded' || !job?.progress || job.progress.lastReport !== words) return 'lease_lost'
  const { progressCount, resultCount, tokensUsed } = job.progress
  const counts = { newItems: 0, duplicateItems: 0, progressCount, resultCount, tokensUsed }
  return { done: true, doneReason: row.reason, ...counts, cancelRequested: false, expiresAt: null }
}

function keep(model: Model, job: ModelJob, asked: ReportAsked, words: string): number {
  const before = model.items.size
  const field = policyOf(job).itemsKey
  for (const item of asked.items) {
    const key = field !== null && item[field] !== undefined ? String(item[field]) : JSON.stringify(item)
    model.items.add(`${job.queue} ${key}`)
  }
  const newItems = model.items.size - before
  const old = job.progress
  job.progress = {
    cursor: asked.cursor ?? old?.cursor ?? null,
    progress: asked.progress ?? old?.progress ?? null,
    progressCount: (old?.progressCount ?? 0) + asked.items.length,
    resultCount: (old?.resultCount ?? 0) + newItems,
    tokensUsed: (old?.tokensUsed ?? 0) + (asked.tokens ?? 0),
    lastReport: words,
  }
  return newItems
}

/** A lease is never shortened; where nothing renews it, only an explicit wish does. */
function extend(model: Model, job: ModelJob, { extendMs }: ReportAsked): number | null {
  const lease = model.leases.get(job.lease ?? 0)
  if (lease === undefined || lease.ended) return null
  // A worker's lease is renewed by its heartbeats alone.
  if (lease.jobId === null) return lease.expiresAt
  const ms = extendMs ?? (policyOf(job).renewedBy === 'nothing' ? 0 : lease.leaseMs)
  lease.expiresAt = Math.max(lease.expiresAt, model.now + ms)
  return lease.expiresAt
}

function reasonOf({ doneReason, items, cursor }: ReportAsked, reached: boolean): string {
  if (reached) return 'target_reached'
  return doneReason ?? (items.length === 0 && (cursor ?? null) === null ? 'no_more_results' : 'worker_done')
}
