/**
 * The dead-letter queue and the jobs that failed for good say the same. SQS moves a message there that was received too often, which says
 * nothing about its job; and we send one for every job that failed. Here each message is compared with where its job is, and
 * each failed job with the messages there are.
 */
import { type HoldfastError, holdfastError } from '../../domain/errors.js'
import type { State } from '../../domain/states.js'
import type { Act } from '../../store/operate.js'
import type { Store } from '../../store/store.js'
import type { TriggerName, WhereItIs } from '../../store/triggers.js'
import { BATCH_MOST, type Received, type Refusal, type SqsCalls } from './calls.js'
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
  /** Messages looked at. */
  readonly looked: number
  /** Their jobs failed: they stay. */
  readonly agreed: number
  /** Their jobs can be claimed: told again, and the messages removed. */
  readonly retold: number
  /** Their jobs have ended otherwise, were made again, are at work or wait for something that will tell of them: removed. */
  readonly settled: number
  /** No such job, or none of this trigger: removed. */
  readonly unknown: number
  /** None of ours: they stay. */
  readonly foreign: number
  /** Their failed jobs have another message: removed. */
  readonly doubled: number
  /** Failed jobs that nobody has seen to, had no message and got one. */
  readonly announced: number
  /** Everything was looked at; otherwise there were more than the limit. */
  readonly complete: boolean
}

export interface Redriven extends Omit<Reconciled, 'announced' | 'agreed' | 'doubled'> {
  /** Failed jobs that were sent back to work; in a strict queue as a new job. */
  readonly retried: readonly { readonly jobId: number; readonly as: number }[]
  /** Those that could not be, and why: their messages stay. */
  readonly refused: readonly { readonly jobId: number; readonly problem: string }[]
  /** Failed jobs nobody asked for: their messages stay. */
  readonly left: number
}

export interface RedriveOptions extends Act {
  /** Only these jobs; all that failed if not given. */
  readonly jobIds?: readonly number[]
  readonly limit?: number
}

/** How thorough to be; whoever does it by itself all the time is not. */
export interface Thoroughness {
  /** Messages to look at, and failed jobs to tell of, at most. */
  readonly limit?: number
  /** Pages of failed jobs to look at, at most, the last that failed first. */
  readonly pages?: number
  /** Only failed jobs are missed that failed so long ago: of others somebody may be telling this moment. */
  readonly failedForMs?: number
  /** Ends it early and in order. */
  readonly stopping?: AbortSignal
}

const LIMIT = 1_000
/** Long enough for a whole pass: what we have seen must not come again. What stays is made visible at the end. */
const HIDDEN_SECONDS = 300
const WAIT_SECONDS = 1
/** Failed jobs of one page. */
const PAGE = 500
/** So that what was looked at is visible again before its time. */
export const PASS_MS = (HIDDEN_SECONDS * 1_000) / 2

export async function reconcile(parts: DeadLetterParts, how: Thoroughness = {}): Promise<Reconciled> {
  const { counts } = parts
  const failed = new Set<number>()
  let doubled = 0
  try {
    const { tally, complete } = await sift(parts, how, async (jobId) => {
      if (!failed.has(jobId)) {
        failed.add(jobId)
        return 'keep'
      }
      doubled += 1
      return 'remove'
    })
    counts.add('retold', tally.retold)
    counts.add('cleared', tally.settled + tally.unknown + doubled)
    const announced = complete ? await announce(parts, failed, how) : 0
    counts.add('announced', announced)
    if (!how.stopping?.aborted) counts.add('reconciled')
    return { ...tally, agreed: failed.size, doubled, announced, complete }
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
    // A second message of the same job: it was sent back a moment ago.
    if (retried.has(jobId)) return 'remove'
    try {
      retried.set(jobId, (await parts.store.operate.retry(jobId, act)).jobId)
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
  looked: number
  retold: number
  settled: number
  unknown: number
  foreign: number
}

type WhatToDo = 'keep' | 'remove'

/** Goes through the queue once. What to do with the message of a failed job, the caller says; of all others, where the job is. */
async function sift(
  parts: DeadLetterParts,
  { limit = LIMIT, stopping }: Thoroughness,
  onFailed: (jobId: number) => Promise<WhatToDo>,
): Promise<{ tally: Tally; complete: boolean }> {
  const { sqs, deadLetterUrl } = parts
  const tally: Tally = { looked: 0, retold: 0, settled: 0, unknown: 0, foreign: 0 }
  const kept: Received[] = []
  const until = performance.now() + PASS_MS
  try {
    while (tally.looked < limit && performance.now() < until && !stopping?.aborted) {
      const most = Math.min(BATCH_MOST, limit - tally.looked)
      const how = { most, waitSeconds: WAIT_SECONDS, hiddenSeconds: HIDDEN_SECONDS }
      const messages = await sqs.receive(deadLetterUrl, how)
      if (messages.length === 0) return { tally, complete: true }
      tally.looked += messages.length
      // Those we fail over stay, too.
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
  const words = new Map(
    messages.flatMap((each) => {
      const word = readBody(each.body)
      return word === undefined ? [] : [[each, word.jobId] as const]
    }),
  )
  const where = await store.triggers.statesOf([...words.values()])
  const retold = new Set(await store.triggers.tellAgain(inState(where, 'queued')))
  const seenTo = await store.triggers.retriesOf(inState(where, 'failed'))
  const removed = new Set<Received>()
  for (const message of messages) {
    const jobId = words.get(message)
    const job = jobId === undefined ? undefined : where.get(jobId)
    if (jobId === undefined) tally.foreign += 1
    else if (job === undefined || job.trigger !== of.trigger || job.tenant !== (of.tenant ?? 'default'))
      tally.unknown += 1
    else if (retold.has(jobId)) tally.retold += 1
    else if (job.state !== 'failed' || seenTo.has(jobId)) tally.settled += 1
    else if ((await onFailed(jobId)) === 'keep') continue
    if (jobId !== undefined) removed.add(message)
  }
  const receipts = [...removed].map(({ receipt }) => receipt)
  await inTens(receipts, (tens) => sqs.remove(deadLetterUrl, tens))
  return removed
}

function inState(where: ReadonlyMap<number, WhereItIs>, wanted: State): number[] {
  return [...where.values()].filter(({ state }) => state === wanted).map(({ jobId }) => jobId)
}

/** Sends a message for each failed job that has none, and of which nobody else is about to tell. */
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
    const untold = new Set(await store.triggers.unannounced(ids, failedForMs))
    missing.push(...ours.filter(({ id }) => untold.has(id)).map(({ id, queue }) => ({ jobId: id, queue })))
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

/** Ten at a time; what SQS does not take is an error, because somebody is waiting for the answer. */
async function inTens<T>(all: readonly T[], call: (tens: readonly T[]) => Promise<Refusal[]>): Promise<void> {
  for (let from = 0; from < all.length; from += BATCH_MOST) {
    const [refusal] = await call(all.slice(from, from + BATCH_MOST))
    if (refusal !== undefined) throw holdfastError('sqs_refused', { problem: refusal.problem })
  }
}
