/** What producers and operators do, in the model: operatorMove decides, the model carries it out. */
import type { ErrorCode } from 'holdfast'
import {
  type OperatorMove,
  type OperatorVerb,
  operatorMove,
  type Situation,
} from '../../src/domain/states/operator.js'
import { isEnded, type State } from '../../src/domain/states/states.js'
import { PRESETS, type PresetName } from '../../src/presets/presets.js'
import { endAttempt, endIdle } from './endings.js'
import {
  isLiveJob,
  isRunning,
  isTargetBusy,
  jobsOf,
  type Model,
  type ModelJob,
  move,
  needsLane,
  placeInLanes,
  policyOf,
  stateOf,
  toReady,
} from './model.js'

export interface Refused {
  readonly refused: ErrorCode
  readonly state?: State
}

export interface NewJobAsked {
  readonly queue: PresetName
  readonly key?: string
  readonly target?: string
  readonly subject?: string
  readonly priority?: number
  readonly delayMs?: number
  readonly pending?: boolean
  readonly maxRetries?: number
  readonly itemGoal?: number
}

/** The key a job is known by. */
function keyOf(asked: NewJobAsked): string | null {
  return asked.key ?? (PRESETS[asked.queue].dedupBy === 'subject' ? asked.subject : null) ?? null
}

function ownerOf(model: Model, queue: PresetName, key: string | null): ModelJob | undefined {
  return key === null
    ? undefined
    : jobsOf(model, (job) => job.queue === queue && job.key === key && isLiveJob(job))[0]
}

/**
 * Makes jobs under the ids the database gave them; the answers are the model's own. `settle`: not in a caller's transaction, so
 * jobs for a target get in line at once, after all of them were made.
 */
export function enqueue(
  model: Model,
  asked: readonly NewJobAsked[],
  ids: readonly number[],
  settle: boolean,
): { jobId: number; deduplicated: boolean }[] {
  const inLine: ModelJob[] = []
  const answers = asked.map((one, index) => {
    const owner = ownerOf(model, one.queue, keyOf(one))
    if (owner !== undefined) return { jobId: owner.id, deduplicated: true }
    const job = newJob(model, one, ids[index] ?? 0)
    model.jobs.set(job.id, job)
    if (one.pending === true) move(model, job, 'enqueue', 'pending')
    else if (job.runAt !== null && job.runAt > model.now) {
      move(model, job, 'enqueue', 'scheduled')
      job.dueAt = job.runAt
    } else if (!needsLane(job)) toReady(model, job, 'enqueue', null)
    else if (settle) inLine.push(job)
    else {
      move(model, job, 'enqueue', 'waiting')
      job.since = model.now
    }
    return { jobId: job.id, deduplicated: false }
  })
  placeInLanes(model, inLine, 'enqueue')
  return answers
}

function newJob(model: Model, asked: NewJobAsked, id: number): ModelJob {
  const newest = Math.max(0, ...model.jobs.keys())
  if (id <= newest) throw new Error(`the new job ${id} is numbered below job ${newest}`)
  const priority = asked.priority ?? 0
  return {
    id,
    queue: asked.queue,
    key: keyOf(asked),
    target: asked.target ?? null,
    runAt: asked.delayMs === undefined ? null : model.now + asked.delayMs,
    createdAt: model.now,
    maxRetries: asked.maxRetries ?? null,
    itemGoal: asked.itemGoal ?? null,
    initialPriority: priority,
    again: null,
    state: 'new',
    attempt: 0,
    priority,
    failures: 0,
    losses: 0,
    interruptions: 0,
    inLane: false,
    ord: 0,
    since: null,
    dueAt: null,
    claimedAt: null,
    movedAt: model.now,
    reason: null,
    lease: null,
    cancelRequested: false,
    cancelReason: null,
    progress: null,
    attempts: [],
  }
}

/** `newId` is the id the database gave if it made a new job. */
export function operate(
  model: Model,
  verb: OperatorVerb,
  jobId: number,
  reason: string | undefined,
  newId: number,
): Refused | { ok: unknown } {
  const job = model.jobs.get(jobId)
  if (job === undefined) return { refused: 'unknown_job' }
  const state = stateOf(job)
  const answer = operatorMove(verb, state, situationOf(model, job))
  if (answer.answer === 'already_ended') return { ok: { result: 'already_ended', state } }
  if (answer.answer === 'requested') {
    job.cancelRequested = true
    job.cancelReason ??= reason ?? null
    return { ok: { result: 'requested', state } }
  }
  if (answer.answer === 'refused')
    return answer.code === 'wrong_state' ? { refused: answer.code, state } : { refused: answer.code }
  const again = answer.answer === 'new_job' ? model.jobs.get(job.again ?? 0) : undefined
  if (again !== undefined) {
    if (stateOf(again) === 'failed' || stateOf(again) === 'canceled')
      return operate(model, verb, again.id, reason, newId)
    return { ok: { jobId: again.id, state: stateOf(again) } }
  }
  if (isEnded(state) && ownerOf(model, job.queue, job.key) !== undefined) return { refused: 'key_taken' }
  if (answer.answer === 'new_job') return { ok: makeAgain(model, job, newId) }
  carryOut(model, job, answer.move, reason)
  if (job.state !== answer.move.to)
    throw new Error(`the domain says ${answer.move.to}, the model ${job.state}`)
  if (verb === 'retry') return { ok: { jobId, state: job.state } }
  return { ok: verb === 'cancel' ? { result: 'canceled', state: job.state } : job.state }
}

/** Ends what runs, over the head of its worker; a cancel that was asked for no longer decides. */
export function forceFinish(
  model: Model,
  jobId: number,
  outcome: 'succeeded' | 'failed',
  reason: string | undefined,
): Refused | { ok: State } {
  const job = model.jobs.get(jobId)
  if (job === undefined) return { refused: 'unknown_job' }
  if (policyOf(job).strict) return { refused: 'strict_queue' }
  if (!isRunning(job)) return { refused: 'wrong_state', state: stateOf(job) }
  const lease = model.leases.get(job.lease ?? 0)
  if (lease?.jobId === null) lease.revoked.push({ jobId: job.id, attempt: job.attempt })
  Object.assign(job, { cancelRequested: false, cancelReason: null })
  const facts = { reason: reason ?? 'ended by an operator', retryable: false }
  return { ok: endAttempt(model, job, outcome, facts, 'force_finish').state }
}

function situationOf(model: Model, job: ModelJob): Situation {
  return {
    strict: policyOf(job).strict,
    attempted: job.attempt > 0,
    notDue: job.runAt !== null && job.runAt > model.now,
    targetBusy: isTargetBusy(model, job),
  }
}

function makeAgain(model: Model, job: ModelJob, newId: number) {
  const { queue, key, target, maxRetries, itemGoal, initialPriority } = job
  const asked: NewJobAsked = {
    queue,
    priority: initialPriority,
    ...(key === null ? {} : { key }),
    ...(target === null ? {} : { target }),
    ...(maxRetries === null ? {} : { maxRetries }),
    ...(itemGoal === null ? {} : { itemGoal }),
  }
  enqueue(model, [asked], [newId], false)
  job.again = newId
  return { jobId: newId, state: 'queued' }
}

function carryOut(
  model: Model,
  job: ModelJob,
  { verb, from, to, reason, forgives }: OperatorMove,
  said?: string,
): void {
  if (isEnded(to)) {
    endIdle(model, job, verb, to, (verb === 'cancel' ? said : undefined) ?? reason ?? '')
    return
  }
  if (forgives) Object.assign(job, { failures: 0, losses: 0 })
  if (isEnded(from)) {
    // What ended is not kept in counters but in its attempts, so a job that starts over has none of the past.
    job.interruptions = 0
    for (const attempt of job.attempts) attempt.final = false
  }
  if (to === 'scheduled') {
    move(model, job, verb, to)
    job.dueAt = job.runAt
  } else if (needsLane(job)) placeInLanes(model, [job], verb)
  else toReady(model, job, verb, model.now)
}

export function setPriority(
  model: Model,
  jobId: number,
  priorityOf: (old: number) => number,
): Refused | { ok: number } {
  const job = model.jobs.get(jobId)
  if (job === undefined) return { refused: 'unknown_job' }
  if (!isLiveJob(job)) return { refused: 'wrong_state', state: stateOf(job) }
  job.priority = priorityOf(job.priority)
  if (job.state === 'queued') job.since ??= job.createdAt
  return { ok: job.priority }
}
