/**
 * How a job moves. The whole model:
 *
 * A job is always in exactly one place, and a place is a table. It arrives in `ready` (queued), in `delayed` (scheduled)
 * or in `held` (pending: made but not released; waiting: behind another job of its target). A worker claims it from
 * `ready` into `running`. Each claim is an attempt; its number only ever rises and is part of the fence, so a worker that
 * lost its lease can never write again.
 *
 * An attempt ends through one door, for every cause: a result, an exception, a snooze, a drain and an expired
 * lease are all an outcome, and `decide` says what the job does next. It always leaves one attempt row behind. Either the
 * job goes on (ready, delayed, held) or that row ends it.
 *
 * Three counters keep the reasons apart, because they mean different things about the job:
 *   failures       its own code failed, or its lease was lost where that counts as a failed attempt (onLeaseLost = count).
 *                  Compared with maxRetries; the exponent of the backoff.
 *   losses         leases that expired in a row. A job that kills its worker never reports a failure, so without this
 *                  it would be handed out for ever. Every other ending sets it back to 0. A job that has lost two is tried
 *                  alone, so that the others its worker holds are not blamed for what it does.
 *   interruptions  sent back through no fault of its own: snoozed, released, parked. Never charged.
 *
 * A request to cancel a running job wins over every outcome but success: work that is done stays done, everything else
 * would only bring back a job with a cancel request.
 *
 * What may never happen: a job in two places, or in none; a row that leaves `running` without an attempt row; an ended job
 * that changes by itself. The only ways back from an end are the operator's (operator.ts), and a strict queue has none.
 *
 * The moves are data: ENDINGS (endings.ts) for attempts, OPERATOR_MOVES (operator.ts) for people, and both together with
 * the system's own in MOVES (moves.ts). The diagram in the docs is drawn from that table, and the SQL that moves the rows
 * is checked against it.
 */

import { backoffMs } from '../retry.js'
import {
  type Case,
  type Counters,
  ENDINGS,
  type EndingFacts,
  type EndingPolicy,
  type EndingRule,
  type Live,
} from './endings.js'
import { type AttemptOutcome, type EndState, isEnded, type Place, placeOf, type State } from './states.js'

export interface Next {
  readonly place: Place
  readonly state: State
  /** What the attempt row says: the outcome given, or `canceled` when a cancel request won. */
  readonly outcome: AttemptOutcome
  readonly counters: Counters
  readonly reason: string | null
  /** Set when the job is delayed. */
  readonly dueInMs: number | null
  /** Set when the job is over. */
  readonly ended: EndState | null
}

/** What becomes of a running job whose attempt ends like this. */
export function decide(
  live: Live,
  reported: AttemptOutcome,
  policy: EndingPolicy,
  reportedFacts: EndingFacts = {},
): Next {
  const canceled = live.cancelRequested && reported !== 'succeeded' && reported !== 'canceled'
  const outcome = canceled ? 'canceled' : reported
  // "shutdown" or an error message explains the outcome that did not happen, not the cancellation that did.
  const facts = canceled ? {} : reportedFacts
  const c: Case = { live, policy, facts }
  const ending = ENDINGS.find((row) => row.outcome === outcome && row.applies(c))
  if (ending === undefined) throw new Error(`no ending for outcome ${String(reported)}`)
  return {
    place: placeOf(ending.to),
    state: ending.to,
    outcome,
    counters: count(live, ending.counts, policy),
    reason: ending.reason(c),
    dueInMs: dueInMs(ending.to, c),
    ended: isEnded(ending.to) ? ending.to : null,
  }
}

function count(
  { failures, losses, interruptions }: Counters,
  what: EndingRule['counts'],
  { onLeaseLost }: EndingPolicy,
): Counters {
  if (what === 'failure') return { failures: failures + 1, losses: 0, interruptions }
  if (what === 'unchanged') return { failures, losses, interruptions }
  if (what === 'loss') {
    return { failures: failures + (onLeaseLost === 'count' ? 1 : 0), losses: losses + 1, interruptions }
  }
  if (what === 'interruption') return { failures, losses: 0, interruptions: interruptions + 1 }
  return { failures, losses: 0, interruptions }
}

function dueInMs(to: State, { live, policy, facts }: Case): number | null {
  if (to === 'scheduled') return Math.max(0, facts.delayMs ?? 0)
  if (to !== 'retrying') return null
  return backoffMs({
    failures: live.failures,
    baseMs: policy.retryBaseMs,
    factor: policy.retryFactor,
    capMs: policy.retryCapMs,
    jitterLow: policy.jitterLow,
    jitterHigh: policy.jitterHigh,
    ...(facts.random === undefined ? {} : { random: facts.random }),
  })
}
