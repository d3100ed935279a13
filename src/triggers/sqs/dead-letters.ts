/**
 * Keeps the dead-letter queue and the failed jobs in agreement. SQS moves messages there that were received too often, whatever the state of
 * their jobs, and we send a message for every job that failed for good. This compares each message with the state of its job, and each failed
 * job with the messages.
 */
import { type HoldfastError, holdfastError } from '../../domain/errors/errors.js'
import type { State } from '../../domain/states/states.js'
import type { Attribution } from '../../store/job-commands.js'
import type { Store } from '../../store/store.js'
import type { JobWhereabouts, TriggerName } from '../../store/triggers/triggers.js'
import { BATCH_MAX, type Received, type Refusal, type SqsCalls } from './calls.js'
import type { Counts } from './counts.js'
import { bodyOf, readBody } from './message.js'

export interface DeadLetterParts {
  readonly sqs: SqsCalls
  readonly store: Store
  readonly of: TriggerName
  readonly deadLetterUrl: string
  readonly counts: Counts
}

export interface Reconciled {
  /** Messages that were read. */
  readonly examined: number
  /** Messages of failed jobs: they stay. */
  readonly kept: number
  /** Messages of claimable jobs: the jobs are announced again, and the messages removed. */
  readonly redriven: number
  /** Messages of jobs that did not fail, were retried, run, or wait for an event that will announce them: removed. */
  readonly settled: number
  /** Messages of unknown jobs, or of jobs of another trigger: removed. */
  readonly unknown: number
  /** Messages that are not ours: they stay. */
  readonly unrecognized: number
  /** Duplicate messages of failed jobs: removed. */
  readonly duplicates: number
  /** Failed jobs without a message, not handled by an operator, that were sent one. */
  readonly deadLettersAdded: number
  /** True if everything was compared; false if there were more than the limit. */
  readonly complete: boolean
}

export interface Redriven extends Omit<Reconciled, 'deadLettersAdded' | 'kept' | 'duplicates'> {
  /** Failed jobs that were retried; in a strict queue, as a new job. */
  readonly retried: readonly { readonly jobId: number; readonly as: number }[]
  /** Failed jobs that could not be retried, and why: their messages stay. */
  readonly refused: readonly { readonly jobId: number; readonly problem: string }[]
  /** Failed jobs that were not selected: their messages stay. */
  readonly left: number
}

export interface RedriveOptions extends Attribution {
  /** Only these jobs; all that failed if not given. */
  readonly jobIds?: readonly number[]
  readonly limit?: number
}

/** How thorough to be; the periodic run is less thorough than a command. */
export interface Thoroughness {
  /** At most this many messages to read, and failed jobs to announce. */
  readonly limit?: number
  /** How many pages of failed jobs to read at most, the latest failures first. */
  readonly pages?: number
  /** Only jobs that failed at least this long ago count as missing: the message of a later one may be on its way. */
  readonly failedForMs?: number
  /** Stops early and cleans up. */
  readonly stopping?: AbortSignal
}

const LIMIT = 1_000
/** Long enough for a whole pass, so that no message is read twice. Messages that stay are made visible at the end. */
const HIDDEN_SECONDS = 300
const WAIT_SECONDS = 1
/** Failed jobs of one page. */
const PAGE = 500
/** How long a pass may take, so that it can make messages visible again before their time is up. */
export const PASS_MS = (HIDDEN_SECONDS * 1_000) / 2

export async function reconcile(parts: DeadLetterParts, how: Thoroughness = {}): Promise<Reconciled> {
  const { counts } = parts
  const failed = new Set<number>()
  let duplicates = 0
  try {
    const { tally, complete } = await sift(parts, how, async (jobId) => {
      if (!failed.has(jobId)) {
        failed.add(jobId)
        return 'keep'
      }
      duplicates += 1
      return 'remove'
    })
    counts.add('redriven', tally.redriven)
    counts.add('cleared', tally.settled + tally.unknown + duplicates)
    const deadLettersAdded = complete ? await announce(parts, failed, how) : 0
    counts.add('deadLettersAdded', deadLettersAdded)
    if (!how.stopping?.aborted) counts.add('reconciled')
    return { ...tally, kept: failed.size, duplicates, deadLettersAdded, complete }
  } catch (error) {
    counts.add('reconcileFailures')
    throw error
  }
}

export async function redrive(parts: DeadLetterParts, options: RedriveOptions = {}): Promise<Redriven> {
  const { jobIds, limit = LIMIT, ...act } = options
  const asked = jobIds === undefined ? undefined : new Set(jobIds)
  const retried = new Map<number, number>()
  const refused: { jobId: number; problem: string }[] = []
  let left = 0
  const { tally, complete } = await sift(parts, { limit }, async (jobId) => {
    if (asked !== undefined && !asked.has(jobId)) {
      left += 1
      return 'keep'
    }
    // A second message of the same job, which has just been retried.
    if (retried.has(jobId)) return 'remove'
    try {
      retried.set(jobId, (await parts.store.commands.retry(jobId, act)).jobId)
      return 'remove'
    } catch (error) {
      if (!((error as HoldfastError).status < 500)) throw error
      refused.push({ jobId, problem: (error as Error).message })
      return 'keep'
    }
  })
  return {
    ...tally,
    complete,
    retried: [...retried].map(([jobId, as]) => ({ jobId, as })),
    refused,
    left,
  }
}

interface Tally {
  examined: number
  redriven: number
  settled: number
  unknown: number
  unrecognized: number
}

type WhatToDo = 'keep' | 'remove'

/** Reads the queue once. The caller decides about messages of failed jobs; the state of the job decides about all others. */
async function sift(
  parts: DeadLetterParts,
  { limit = LIMIT, stopping }: Thoroughness,
  onFailed: (jobId: number) => Promise<WhatToDo>,
): Promise<{ tally: Tally; complete: boolean }> {
  const { sqs, deadLetterUrl } = parts
  const tally: Tally = { examined: 0, redriven: 0, settled: 0, unknown: 0, unrecognized: 0 }
  const kept: Received[] = []
  const until = performance.now() + PASS_MS
  try {
    while (tally.examined < limit && performance.now() < until && !stopping?.aborted) {
      const max = Math.min(BATCH_MAX, limit - tally.examined)
      const how = { max, waitSeconds: WAIT_SECONDS, hiddenSeconds: HIDDEN_SECONDS }
      const messages = await sqs.receive(deadLetterUrl, how)
      if (messages.length === 0) return { tally, complete: true }
      tally.examined += messages.length
      // Messages whose handling failed stay, too.
      kept.push(...messages)
      const removed = await siftBatch(parts, messages, tally, onFailed)
      kept.splice(
        kept.length - messages.length,
        messages.length,
        ...messages.filter((each) => !removed.has(each)),
      )
    }
    return { tally, complete: false }
  } finally {
    await inTens(kept, (tens) =>
      sqs.hide(
        deadLetterUrl,
        tens.map(({ receipt }) => ({ receipt, seconds: 0 })),
      ),
    )
  }
}

async function siftBatch(
  { sqs, store, of, deadLetterUrl }: DeadLetterParts,
  messages: readonly Received[],
  tally: Tally,
  onFailed: (jobId: number) => Promise<WhatToDo>,
): Promise<ReadonlySet<Received>> {
  const jobIds = new Map(
    messages.flatMap((each) => {
      const parsed = readBody(each.body)
      return parsed === undefined ? [] : [[each, parsed.jobId] as const]
    }),
  )
  const where = await store.triggers.statesOf([...jobIds.values()])
  const redriven = new Set(await store.triggers.requeue(inState(where, 'queued')))
  const seenTo = await store.triggers.retriesOf(inState(where, 'failed'))
  const removed = new Set<Received>()
  for (const message of messages) {
    const jobId = jobIds.get(message)
    const job = jobId === undefined ? undefined : where.get(jobId)
    if (jobId === undefined) tally.unrecognized += 1
    else if (job === undefined || job.trigger !== of.trigger || job.tenant !== (of.tenant ?? 'default'))
      tally.unknown += 1
    else if (redriven.has(jobId)) tally.redriven += 1
    else if (job.state !== 'failed' || seenTo.has(jobId)) tally.settled += 1
    else if ((await onFailed(jobId)) === 'keep') continue
    if (jobId !== undefined) removed.add(message)
  }
  const receipts = [...removed].map(({ receipt }) => receipt)
  await inTens(receipts, (tens) => sqs.remove(deadLetterUrl, tens))
  return removed
}

function inState(where: ReadonlyMap<number, JobWhereabouts>, wanted: State): number[] {
  return [...where.values()].filter(({ state }) => state === wanted).map(({ jobId }) => jobId)
}

/** Sends a message for each failed job that has none, unless a relay is about to send one. */
async function announce(
  { sqs, store, of, deadLetterUrl }: DeadLetterParts,
  known: ReadonlySet<number>,
  { limit = LIMIT, pages = Number.POSITIVE_INFINITY, failedForMs = 0, stopping }: Thoroughness,
): Promise<number> {
  const { tenant = 'default' } = of
  const listed = await store.queues.list({ tenant })
  const queues = new Set(listed.filter((each) => each.externalTrigger === of.trigger).map(({ name }) => name))
  const missing: { jobId: number; queue: string }[] = []
  let after: string | null | undefined
  for (let page = 0; page < pages && after !== null && missing.length < limit && !stopping?.aborted; page++) {
    const { rows, next } = await store.list.jobs({
      tenant,
      state: 'failed',
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    })
    const ours = rows.filter(({ id, queue }) => queues.has(queue) && !known.has(id))
    const ids = ours.map(({ id }) => id)
    const unannounced = new Set(await store.triggers.failedWithoutDeadLetter(ids, failedForMs))
    missing.push(
      ...ours.filter(({ id }) => unannounced.has(id)).map(({ id, queue }) => ({ jobId: id, queue })),
    )
    after = next
  }
  const chosen = missing.slice(0, limit)
  await inTens(chosen, (tens) =>
    sqs.send(
      deadLetterUrl,
      tens.map((each) => ({
        body: bodyOf(each, true),
        group: String(each.jobId),
        once: `failed-${each.jobId}`,
      })),
    ),
  )
  return chosen.length
}

/** Sends ten at a time. A message that SQS refuses is an error, because a caller waits for the result. */
async function inTens<T>(all: readonly T[], call: (tens: readonly T[]) => Promise<Refusal[]>): Promise<void> {
  for (let from = 0; from < all.length; from += BATCH_MAX) {
    const [refusal] = await call(all.slice(from, from + BATCH_MAX))
    if (refusal !== undefined) throw holdfastError('sqs_refused', { problem: refusal.problem })
  }
}
