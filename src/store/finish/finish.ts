/**
 * Ends attempts, in three ways: `finish_succeeded` for plain successes, which returns only refused attempts; `finish`, which returns the
 * next state of each job; and `complete`, the last statement of a transaction that also holds the job's own writes.
 */

import type { Session } from '../../database/database.js'
import type { StoreObservers } from '../../database/instrumented.js'
import { listOf } from '../../database/values.js'
import { HoldfastError, holdfastError, invalidInput, LeaseLost } from '../../domain/errors/errors.js'
import { mapInSlices } from '../../domain/give-way.js'
import { attemptName } from '../../domain/port.js'
import { OUTCOMES } from '../../domain/states/states.js'
import { checkBatch, checkDelayMs } from '../../domain/validate.js'
import { type Ended, type Ending, endedFromRow, type Fence, type JobAttempt } from '../rows.js'
import { encodeEndDetails, wholeMs } from './encode-details.js'

export async function finishAttempts(
  session: Session,
  endings: readonly Ending[],
  observers: StoreObservers,
): Promise<Ended[]> {
  checkBatch(endings, '/endings')
  const ended = await finishUnlocked(session, endings)
  if (!observers.none) observers.refused(ended.filter(({ accepted }) => !accepted).length)
  return ended
}

async function finishUnlocked(session: Session, endings: readonly Ending[]): Promise<Ended[]> {
  try {
    return await finishAllIn(session, endings)
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    return finishFreeIn(session, endings, error)
  }
}

function finishAllIn(session: Session, endings: readonly Ending[]): Promise<Ended[]> {
  return endings.every(isPlainSuccess) ? finishSucceededIn(session, endings) : finishEachIn(session, endings)
}

/** Another transaction has locked the row of a job. Ends the other attempts and throws `job_locked` with those that are left. */
async function finishFreeIn(
  session: Session,
  endings: readonly Ending[],
  timeout: unknown,
): Promise<Ended[]> {
  const found = await session.query<JobAttempt>(
    'select job_id as "jobId", attempt from holdfast.locked_claims($1::bigint[], $2::int[], $3::bigint[])',
    fenceColumns(endings),
    { repeatable: true },
  )
  // Another row was locked, or the lock is gone by now: the caller repeats the same call.
  if (found.length === 0) throw timeout
  const locked = new Set(found.map(attemptName))
  const free = endings.filter((ending) => !locked.has(attemptName(ending)))
  if (free.length > 0) await finishAllIn(session, free)
  throw holdfastError('job_locked', { locked: found.map(({ jobId, attempt }) => [jobId, attempt]) })
}

function isLockTimeout(error: unknown): boolean {
  return (
    error instanceof HoldfastError && (error.cause as { code?: string } | undefined)?.code === LOCK_TIMEOUT
  )
}

const LOCK_TIMEOUT = '55P03'

/** The most usual end: only refused attempts come back over the wire. */
async function finishSucceededIn(session: Session, endings: readonly Ending[]): Promise<Ended[]> {
  const rising = isRising(endings) ? endings : endings.toSorted((first, second) => first.jobId - second.jobId)
  const refused = await session.query<{ jobId: number; attempt: number }>(
    'select job_id as "jobId", attempt from holdfast.finish_succeeded($1::bigint[], $2::int[], $3::bigint[], $4::int[])',
    [...fenceColumns(rising), startedColumn(rising)],
    { repeatable: true, often: true },
  )
  const lost = new Set(refused.map(({ jobId, attempt }) => `${jobId} ${attempt}`))
  return endings.map(({ jobId, attempt }) => {
    const accepted = lost.size === 0 || !lost.has(`${jobId} ${attempt}`)
    return {
      jobId,
      attempt,
      accepted,
      state: accepted ? 'succeeded' : null,
      dueAt: null,
      error: accepted ? null : new LeaseLost({ job: jobId, attempt }),
    }
  })
}

async function finishEachIn(session: Session, endings: readonly Ending[]): Promise<Ended[]> {
  endings.forEach(checkEnding)
  const details = await mapInSlices(endings, encodeEndDetails)
  const rows = await session.query<Record<string, unknown>>(
    `select job_id as "jobId", attempt, accepted, state, due_at as "dueAt"
     from holdfast.finish($1::bigint[], $2::int[], $3::bigint[], $4::text[], $5::int[], $6::text[]::jsonb[])`,
    [
      ...fenceColumns(endings),
      endings.map(({ outcome }) => outcome),
      startedColumn(endings),
      details.every((detail) => detail === null) ? null : details,
    ],
    { repeatable: true, often: true },
  )
  return inOrderAsked(endings, rows.map(endedFromRow))
}

function isPlainSuccess(ending: Ending): boolean {
  return (
    ending.outcome === 'succeeded' &&
    ending.result === undefined &&
    ending.log === undefined &&
    ending.reason === undefined &&
    ending.error === undefined &&
    ending.retryable === undefined &&
    ending.delayMs === undefined
  )
}

function isRising(fences: readonly Fence[]): boolean {
  let last = 0
  for (const { jobId } of fences) {
    if (jobId <= last) return false
    last = jobId
  }
  return true
}

/** Restores the order of the call. Usually nothing is to do: the database returns only refused attempts out of order, at the end. */
function inOrderAsked(endings: readonly Ending[], ended: Ended[]): Ended[] {
  const same = (answer: Ended | undefined, { jobId, attempt }: Ending) =>
    answer?.jobId === jobId && answer.attempt === attempt
  if (endings.every((ending, index) => same(ended[index], ending))) return ended
  const answers = new Map(ended.map((answer) => [`${answer.jobId} ${answer.attempt}`, answer]))
  return endings.map(({ jobId, attempt }) => answers.get(`${jobId} ${attempt}`) as Ended)
}

function checkEnding(ending: Ending, index: number): void {
  if (!OUTCOMES.includes(ending.outcome)) {
    throw invalidInput(`/endings/${index}/outcome`, `must be one of ${OUTCOMES.join(', ')}`)
  }
  if (ending.delayMs !== undefined) checkDelayMs(ending.delayMs, `/endings/${index}/delayMs`)
}

export function attemptColumns(attempts: readonly JobAttempt[]): [string, string] {
  return [listOf(attempts.map(({ jobId }) => jobId)), listOf(attempts.map(({ attempt }) => attempt))]
}

export function fenceColumns(fences: readonly Fence[]): [string, string, string] {
  return [...attemptColumns(fences), listOf(fences.map(({ lease }) => lease))]
}

export function startedColumn(fences: readonly { startedAgoMs?: number | undefined }[]): string {
  return listOf(fences.map(({ startedAgoMs }) => wholeMs(startedAgoMs)))
}

/** No array among the parameters: the caller's own driver may not know how to send one. */
export const COMPLETE = 'select holdfast.complete($1, $2, $3, $4, $5, $6::text::jsonb) as state'

/** The parameters of COMPLETE. */
export function completeValues(ending: Ending): unknown[] {
  checkEnding(ending, 0)
  const { jobId, attempt, lease, outcome, startedAgoMs } = ending
  return [jobId, attempt, lease, outcome, wholeMs(startedAgoMs), encodeEndDetails(ending)]
}
