/** How attempts and jobs end in the model: the decision is the domain's, the model carries it out. */
import type { EndingFacts } from '../../src/domain/states/endings.js'
import type { Verb } from '../../src/domain/states/moves.js'
import type { AttemptOutcome, EndState, State } from '../../src/domain/states/states.js'
import { decide } from '../../src/domain/states/transition.js'
import { leaveLane, type Model, type ModelJob, move, resolvedPolicyOf, toReady } from './model.js'

/** When a job is due is partly chance; the model knows only between which times. */
export interface Due {
  readonly earliest: number
  readonly latest: number
}

export interface EndedAttempt {
  readonly state: State
  readonly due: Due | null
}

export function endAttempt(
  model: Model,
  job: ModelJob,
  outcome: AttemptOutcome,
  facts: EndingFacts = {},
  by?: Verb,
): EndedAttempt {
  const policy = resolvedPolicyOf(job)
  const next = decide(job, outcome, policy, { ...facts, random: 0 })
  const latest = decide(job, outcome, policy, { ...facts, random: 1 })
  model.ended.push(next)
  const { lease } = job
  if (lease !== null && model.leases.get(lease)?.jobId === job.id) model.leases.delete(lease)
  log(
    job,
    {
      outcome: next.outcome,
      movedTo: next.state,
      lease,
      reason: attemptReason(next.reason, next.state, facts),
    },
    next.counters.failures,
  )
  Object.assign(job, next.counters, { lease: null, cancelRequested: false, cancelReason: null })
  // Named for what the attempt row says: a lost lease of a job that was to be canceled is a cancellation.
  const verb: Verb = by ?? (next.outcome === 'lost' ? 'reclaim' : 'finish')
  if (next.state === 'queued') toReady(model, job, verb, model.now)
  else move(model, job, verb, next.state)
  if (next.place === 'held' || next.ended !== null) job.reason = next.reason
  if (next.ended !== null) leaveLane(model, job)
  if (next.dueInMs === null || latest.dueInMs === null) return { state: next.state, due: null }
  const due = { earliest: model.now + next.dueInMs, latest: model.now + latest.dueInMs }
  job.dueAt = due.earliest
  return { state: next.state, due }
}

/** The log of an errored attempt has the error beside the reason; what holds the job shows people the error itself. */
function attemptReason(reason: string | null, state: State, facts: EndingFacts): string | null {
  if (state !== 'errored' || facts.errorMessage === undefined) return reason
  return facts.reason ?? (facts.retryable === false ? 'not_retryable' : 'exhausted')
}

/** Ends a job that no worker holds. Its row takes the next number, because numbers are never used twice. */
export function endIdle(model: Model, job: ModelJob, verb: Verb, to: EndState, reason: string): void {
  job.attempt += 1
  const outcome = to === 'failed' ? 'failed' : 'canceled'
  move(model, job, verb, to)
  log(job, { outcome, movedTo: to, lease: null, reason }, job.failures)
  job.reason = reason
  leaveLane(model, job)
}

function log(
  job: ModelJob,
  row: { outcome: AttemptOutcome; movedTo: State; lease: number | null; reason: string | null },
  failures: number,
): void {
  const final = ['succeeded', 'failed', 'canceled'].includes(row.movedTo)
  job.attempts.push({ ...row, attempt: job.attempt, failures, priority: job.priority, final })
}
