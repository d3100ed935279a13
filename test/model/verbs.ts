/** What workers and the system do, in the model. */

import type { JobAttempt } from 'holdfast/store'
import { resolvePolicy, SETTINGS_DEFAULTS } from '../../src/domain/settings.js'
import type { Outcome, State } from '../../src/domain/states/states.js'
import { PRESETS, type PresetName } from '../../src/presets/presets.js'
import { type Due, endAttempt } from './endings.js'
import {
  hasArrived,
  isRunning,
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

export interface Fence {
  readonly jobId: number
  readonly attempt: number
  readonly lease: number
}

export interface ClaimAsked {
  readonly lease: number | null
  readonly queues: readonly PresetName[]
  readonly limit: number
  readonly leaseMs: number | null
}

/** A claimed job whose lease is not known yet: the database numbers them. `leaseMs` null: under the worker's lease. */
export interface Claimed {
  readonly job: ModelJob
  readonly leaseMs: number | null
}

/** `lease_gone`: nothing of it happened. */
export function claim(model: Model, asked: ClaimAsked): Claimed[] | 'lease_gone' {
  const trial = structuredClone(model)
  const claimed = take(trial, asked, asked.limit)
  if (claimed.length > 0 && isGone(trial, asked.lease)) return 'lease_gone'
  if (claimed.length < asked.limit && bringInDue(trial)) {
    const more = take(trial, asked, asked.limit - claimed.length)
    if (more.length > 0 && isGone(trial, asked.lease)) return 'lease_gone'
    claimed.push(...more)
  }
  Object.assign(model, trial)
  return claimed
}

/** Nobody gets more than a fair share in the first round; what is left goes to whoever has more. */
function take(model: Model, asked: ClaimAsked, limit: number): Claimed[] {
  const queues = asked.queues.length
  const share = queues <= 1 ? asked.limit : Math.ceil(asked.limit / Math.min(queues, 8))
  const fair = round(model, asked, limit, share)
  if (queues <= 1 || fair.length === limit || fair.length < share) return fair
  return [...fair, ...round(model, asked, limit - fair.length, limit)]
}

function round(model: Model, asked: ClaimAsked, limit: number, share: number): Claimed[] {
  const level = (job: ModelJob) => (policyOf(job).order === 'priority' ? -job.priority : 0)
  const order = (left: ModelJob, right: ModelJob) => level(left) - level(right) || left.id - right.id
  const ready = (queue: PresetName) =>
    jobsOf(model, (job) => job.queue === queue && job.state === 'queued').sort(order)
  return asked.queues
    .filter((queue) => !model.paused.has(queue))
    .flatMap((queue) => ready(queue).slice(0, share))
    .slice(0, limit)
    .map((job) => assign(model, job, asked))
}

function assign(
  model: Model,
  job: ModelJob,
  { lease, leaseMs }: Pick<ClaimAsked, 'lease' | 'leaseMs'>,
): Claimed {
  move(model, job, 'claim', 'assigned')
  job.attempt += 1
  job.since = null
  job.claimedAt = model.now
  const shared = lease !== null && policyOf(job).renewedBy === 'heartbeat'
  if (shared) job.lease = lease
  return { job, leaseMs: shared ? null : (leaseMs ?? leaseMsOf(job.queue)) }
}

const leaseMsOf = (queue: PresetName) => resolvePolicy(PRESETS[queue], SETTINGS_DEFAULTS).leaseMs

function isGone(model: Model, lease: number | null): boolean {
  if (lease === null) return false
  const { expiresAt, ended } = model.leases.get(lease) ?? { expiresAt: 0, ended: true }
  return ended || expiresAt <= model.now
}

export function claimById(
  model: Model,
  jobId: number,
  asked: Pick<ClaimAsked, 'lease' | 'leaseMs'>,
): Claimed | 'lease_gone' | undefined {
  const trial = structuredClone(model)
  const job = trial.jobs.get(jobId)
  if (job === undefined || trial.paused.has(job.queue)) return undefined
  const gone = job.lease
  if (isRunning(job) && isGone(trial, gone)) {
    lose(trial, [job], unstarted(trial, job.lease))
    const lease = trial.leases.get(gone ?? 0)
    if (lease !== undefined) lease.ended = true
  }
  if (job.dueAt !== null && job.dueAt <= trial.now) promoteJobs(trial, [job])
  if (hasArrived(job)) placeInLanes(trial, [job], 'advance')
  const claimed = job.state === 'queued' ? assign(trial, job, asked) : undefined
  if (claimed?.leaseMs === null && isGone(trial, asked.lease)) return 'lease_gone'
  Object.assign(model, trial)
  return claimed
}

/** Those that have begun, now or before. */
export function start(model: Model, fences: readonly Fence[]): number[] {
  const begun = fences.map((fence) => held(model, fence)).filter((job): job is ModelJob => job !== undefined)
  for (const job of begun) if (job.state === 'assigned') move(model, job, 'start', 'running')
  return begun.map(({ id }) => id)
}

/** The running job this fence belongs to. */
export function held(model: Model, { jobId, attempt, lease }: Fence): ModelJob | undefined {
  const job = model.jobs.get(jobId)
  return job !== undefined && isRunning(job) && job.attempt === attempt && job.lease === lease
    ? job
    : undefined
}

export interface EndingAsked extends Fence {
  readonly outcome: Outcome
  readonly retryable?: boolean
  readonly delayMs?: number
  readonly reason?: string
  readonly errorMessage?: string
}

export interface EndedAnswer {
  readonly accepted: boolean
  readonly state: State | null
  readonly due: Due | null
}

export function finish(model: Model, ending: EndingAsked): EndedAnswer {
  const job = held(model, ending)
  if (job !== undefined) return { accepted: true, ...endAttempt(model, job, ending.outcome, ending) }
  const ended = model.jobs.get(ending.jobId)
  const row = ended?.attempts.find(
    ({ attempt, lease }) => attempt === ending.attempt && lease === ending.lease,
  )
  // The same call again, because its reply was lost. What ended otherwise (a lost lease, above all) was not this call.
  const same =
    row?.outcome === ending.outcome || (row?.outcome === 'canceled' && ending.outcome !== 'succeeded')
  if (ended === undefined || row === undefined || !same) return { accepted: false, state: null, due: null }
  const dueAt = ended.attempt === ending.attempt ? ended.dueAt : null
  return {
    accepted: true,
    state: row.movedTo,
    due: dueAt === null ? null : { earliest: dueAt, latest: dueAt },
  }
}

export function closeLease(model: Model, lease: number, reason: string): number {
  const jobs = jobsOf(model, (job) => isRunning(job) && job.lease === lease)
  for (const job of jobs) endAttempt(model, job, reason === 'shutdown' ? 'released' : 'lost', { reason })
  model.leases.delete(lease)
  return jobs.length
}

export function renew(model: Model, leases: readonly number[], seen: readonly JobAttempt[]) {
  const isSeen = (one: JobAttempt) =>
    seen.some(({ jobId, attempt }) => jobId === one.jobId && attempt === one.attempt)
  return leases.map((id) => {
    const known = model.leases.get(id)
    if (known !== undefined) known.revoked = known.revoked.filter((one) => !isSeen(one))
    const lease = known?.ended === true ? undefined : known
    const job = model.jobs.get(lease?.jobId ?? 0)
    // A heartbeat says that a process lives, which is not enough where reports or nothing renew a lease.
    if (lease !== undefined && (job === undefined || policyOf(job).renewedBy === 'heartbeat'))
      lease.expiresAt = Math.max(lease.expiresAt, model.now + lease.leaseMs)
    const cancel = jobsOf(model, (job) => job.lease === id && job.cancelRequested).map(
      (one): JobAttempt => ({ jobId: one.id, attempt: one.attempt }),
    )
    const revoked = [...(known?.revoked ?? [])]
    return { lease: id, alive: lease !== undefined, expiresAt: lease?.expiresAt ?? null, cancel, revoked }
  })
}

function bringInDue(model: Model): boolean {
  const moved = promoteJobs(model, dueJobs(model)) + settleTargets(model) + reclaim(model)
  return moved > 0
}

export function promote(model: Model): number {
  const moved = promoteJobs(model, dueJobs(model))
  settleTargets(model)
  return moved
}

const dueJobs = (model: Model) => jobsOf(model, ({ dueAt }) => dueAt !== null && dueAt <= model.now)

/** A job that is due for its target arrives there; it is put in line with the others that have arrived. */
function promoteJobs(model: Model, due: readonly ModelJob[]): number {
  for (const job of due) {
    const { dueAt } = job
    if (needsLane(job)) {
      move(model, job, 'promote', 'waiting')
      job.since = dueAt
    } else toReady(model, job, 'promote', dueAt)
  }
  return due.length
}

export function reclaim(model: Model): number {
  const expired = [...model.leases.values()].filter(({ id }) => isGone(model, id))
  const lost = jobsOf(model, (job) => isRunning(job) && expired.some(({ id }) => id === job.lease))
  const blameless = expired.flatMap(({ id }) => unstarted(model, id))
  lose(model, lost, blameless)
  for (const { id } of expired) model.leases.delete(id)
  return lost.length
}

/** It has lost two leases before, and has this one in common with others. */
const isSuspect = (model: Model, { lease, losses }: ModelJob) =>
  losses >= 2 && model.leases.get(lease ?? 0)?.jobId === null

/** Of the jobs that have lost two leases, those of which a worker has not said that they begin, unless one is all that it held. */
function unstarted(model: Model, lease: number | null): ModelJob[] {
  const held = jobsOf(model, (job) => isRunning(job) && job.lease === lease)
  const isAll = held.length < 2 && model.leases.get(lease ?? 0)?.ended !== true
  return isAll ? [] : held.filter((job) => isSuspect(model, job) && job.state === 'assigned')
}

function lose(model: Model, lost: readonly ModelJob[], blameless: readonly ModelJob[]): void {
  for (const job of lost) endAttempt(model, job, 'lost', blameless.includes(job) ? { started: false } : {})
}

export function settleTargets(model: Model): number {
  return placeInLanes(model, jobsOf(model, hasArrived), 'advance')
}

export function age(
  model: Model,
  { afterMs, step, cap, everyMs }: Record<'afterMs' | 'step' | 'cap' | 'everyMs', number>,
): number {
  if (model.agedAt !== null && model.agedAt > model.now - everyMs) return 0
  model.agedAt = model.now
  const old = jobsOf(
    model,
    (job) =>
      stateOf(job) === 'queued' &&
      policyOf(job).order === 'priority' &&
      job.priority < cap &&
      (job.since ?? job.createdAt) <= model.now - afterMs,
  )
  for (const job of old) {
    job.priority = Math.min(cap, job.priority + step)
    job.since ??= job.createdAt
  }
  return old.length
}
