/**
 * The engine as plain data, one job after the other and nothing else: no tables, no locks. What a job does next is asked of
 * the domain (decide, operatorMove, PRESETS); the model adds only where jobs stand: order, lanes, leases, time.
 * It is plain data so that a verb that is refused half way is undone by dropping a copy.
 */
import type { JobAttempt } from 'holdfast/store'
import type { Policy } from '../../src/domain/policy.js'
import { resolvePolicy } from '../../src/domain/settings.js'
import { MOVES, type Verb } from '../../src/domain/states/moves.js'
import { type AttemptOutcome, isEnded, type State } from '../../src/domain/states/states.js'
import { PRESETS, type PresetName } from '../../src/presets/presets.js'
import { stateWord } from '../../src/presets/state-words.js'

export interface ModelAttempt {
  readonly attempt: number
  readonly lease: number | null
  readonly outcome: AttemptOutcome
  readonly movedTo: State
  readonly failures: number
  readonly priority: number
  readonly reason: string | null
  final: boolean
}

export interface ModelProgress {
  cursor: unknown
  progress: unknown
  progressCount: number
  resultCount: number
  tokensUsed: number
  lastReport: string
}

export interface ModelJob {
  readonly id: number
  /** The queues are named like their presets. */
  readonly queue: PresetName
  readonly key: string | null
  readonly target: string | null
  readonly runAt: number | null
  readonly createdAt: number
  readonly maxRetries: number | null
  readonly itemGoal: number | null
  readonly initialPriority: number
  /** The job that a retry made in its place, in a strict queue. */
  again: number | null
  /** `new` only while it is being made. */
  state: State | 'new'
  attempt: number
  priority: number
  failures: number
  losses: number
  interruptions: number
  inLane: boolean
  /** Its place in the line of its target. */
  ord: number
  /** Since when it waits where it is; null: it was never anywhere else. */
  since: number | null
  dueAt: number | null
  /** Of the attempt that runs, or that ended it. */
  claimedAt: number | null
  /** When it came into its state. */
  movedAt: number
  reason: string | null
  lease: number | null
  cancelRequested: boolean
  cancelReason: string | null
  progress: ModelProgress | null
  attempts: ModelAttempt[]
}

export interface ModelLease {
  readonly id: number
  readonly leaseMs: number
  expiresAt: number
  /** The one job it is for; null: a worker's, for all its jobs. */
  readonly jobId: number | null
  /** A claim by id has taken a job of it after its time: it is never renewed again. */
  ended: boolean
  /** Attempts that an operator ended, until a renewal acknowledges them. */
  revoked: JobAttempt[]
}

export interface Step {
  readonly verb: Verb
  readonly from: State | 'new'
  readonly to: State
  readonly words: readonly [preset: PresetName, from: string, to: string]
}

export interface Model {
  now: number
  jobs: Map<number, ModelJob>
  /** Head of each busy target. */
  lanes: Map<string, number>
  leases: Map<number, ModelLease>
  paused: Set<PresetName>
  items: Set<string>
  agedAt: number | null
  nextOrd: number
  /** Every claim ever made, and every worker's lease ever opened: what a late worker may still hold in its hand. */
  fences: { jobId: number; attempt: number; lease: number }[]
  workerLeases: number[]
  /** Moves since somebody last looked. */
  steps: Step[]
  ended: { readonly outcome: AttemptOutcome; readonly reason: string | null }[]
}

export function emptyModel(now: number): Model {
  return {
    now,
    jobs: new Map(),
    lanes: new Map(),
    leases: new Map(),
    paused: new Set(),
    items: new Set(),
    agedAt: null,
    nextOrd: 1,
    fences: [],
    workerLeases: [],
    steps: [],
    ended: [],
  }
}

export function jobsOf(model: Model, which: (job: ModelJob) => boolean): ModelJob[] {
  return [...model.jobs.values()].filter(which)
}

export function stateOf(job: ModelJob): State {
  if (job.state === 'new') throw new Error(`job ${job.id} is still being made`)
  return job.state
}

export const isLiveJob = ({ state }: ModelJob): boolean => state === 'new' || !isEnded(state)
export const isRunning = ({ state }: ModelJob): boolean => state === 'assigned' || state === 'running'
export const policyOf = (job: ModelJob): Policy => PRESETS[job.queue]
export const resolvedPolicyOf = (job: ModelJob) => resolvePolicy(policyOf(job), undefined, job)

/** The only way a job changes its state: by a move the domain knows, for this verb and this queue. */
export function move(model: Model, job: ModelJob, verb: Verb, to: State): void {
  const from = job.state === 'new' ? null : job.state
  const known = MOVES.some(
    (row) => row.verb === verb && row.from === from && row.to === to && (row.strict || !policyOf(job).strict),
  )
  if (!known) throw new Error(`the domain knows no ${verb} from ${job.state} to ${to} in ${job.queue}`)
  const wordBefore = from === null ? '' : wordOf(job, from)
  job.state = to
  job.dueAt = null
  job.reason = null
  job.movedAt = model.now
  if (to !== 'running' && !isEnded(to)) job.claimedAt = null
  model.steps.push({ verb, from: from ?? 'new', to, words: [job.queue, wordBefore, wordOf(job, to)] })
}

function wordOf(job: ModelJob, state: State): string {
  // The number of the claim is raised before the move, so a job on its way to its first worker counts as not attempted.
  return stateWord(job.queue, state, { attempted: job.attempts.length > 0 })
}

export function toReady(model: Model, job: ModelJob, verb: Verb, since: number | null): void {
  move(model, job, verb, 'queued')
  job.since = since
}

/** Whether its queue makes it wait for others of its target, and it is not in that line yet. */
export function needsLane(job: ModelJob): boolean {
  return job.target !== null && !job.inLane && policyOf(job).serializeTargets
}

const laneOf = (job: ModelJob) => `${job.queue} ${job.target}`

/** Enqueued in a caller's transaction, which may not touch the line itself. */
export const hasArrived = (job: ModelJob): boolean => job.state === 'waiting' && !job.inLane

export function isTargetBusy(model: Model, job: ModelJob): boolean {
  if (!needsLane(job)) return false
  const ahead = (other: ModelJob) => other !== job && hasArrived(other) && laneOf(other) === laneOf(job)
  return model.lanes.has(laneOf(job)) || jobsOf(model, ahead).length > 0
}

/** Puts jobs in line, each behind its target: first those that arrived earlier, then these, the oldest first. */
export function placeInLanes(model: Model, comers: readonly ModelJob[], verb: Verb): number {
  const lanes = new Set(comers.map(laneOf))
  const arrived = jobsOf(model, (job) => hasArrived(job) && lanes.has(laneOf(job))).sort(byId)
  const coming = comers.filter((job) => !hasArrived(job)).sort(byId)
  for (const job of [...arrived, ...coming]) {
    const isComing = coming.includes(job)
    const isFirst = !model.lanes.has(laneOf(job))
    if (isFirst) {
      model.lanes.set(laneOf(job), job.id)
      toReady(model, job, isComing ? verb : 'advance', isComing ? model.now : job.since)
    } else if (isComing) {
      move(model, job, verb, 'waiting')
      job.since = model.now
    }
    job.inLane = true
    job.ord = model.nextOrd++
  }
  return arrived.length + coming.length
}

const byId = (left: ModelJob, right: ModelJob) => left.id - right.id

/** After a job ended: the next of its target goes on. */
export function leaveLane(model: Model, job: ModelJob): void {
  if (!job.inLane) return
  job.inLane = false
  const lane = laneOf(job)
  if (model.lanes.get(lane) !== job.id) return
  const [next] = jobsOf(
    model,
    (other) => other.inLane && laneOf(other) === lane && other.state === 'waiting',
  ).sort((left, right) => left.ord - right.ord)
  if (next === undefined) {
    model.lanes.delete(lane)
    return
  }
  model.lanes.set(lane, next.id)
  toReady(model, next, 'advance', next.since)
}
