/**
 * The ways an attempt can end and where each leads. For every case exactly one row applies, so the order of the rows does
 * not matter. transition.ts describes the model they belong to.
 */
import type { ResolvedPolicy } from '../settings.js'
import type { AttemptOutcome, State } from './states.js'

const INTERRUPTED = 'Job was interrupted by user'
const SHUTDOWN = 'shutdown'

export interface Counters {
  readonly failures: number
  readonly losses: number
  readonly interruptions: number
}

/** A running row, as far as its next place depends on it. */
export interface Live extends Counters {
  readonly cancelRequested: boolean
  /** The caller's reason. */
  readonly cancelReason?: string | null
}

export type EndingPolicy = Pick<
  ResolvedPolicy,
  | 'maxRetries'
  | 'retryBaseMs'
  | 'retryFactor'
  | 'retryCapMs'
  | 'jitterLow'
  | 'jitterHigh'
  | 'onLeaseLost'
  | 'crashBudget'
  | 'onCancel'
  | 'onShutdown'
  | 'onError'
>

export interface EndingFacts {
  /** Whether a failure may be tried again; true unless the worker says otherwise. */
  readonly retryable?: boolean
  readonly errorMessage?: string
  /** How long a snoozed job sleeps. */
  readonly delayMs?: number
  /** The worker's reason. */
  readonly reason?: string
  /** False: a released or lost job was never begun, so there is nothing to pause, and the end of its worker is not its doing. */
  readonly started?: boolean
  /** 0…1, for the jitter. */
  readonly random?: number
}

/** Everything an ending can depend on. */
export interface Case {
  readonly live: Live
  readonly policy: EndingPolicy
  readonly facts: EndingFacts
}

export interface EndingRule {
  readonly outcome: AttemptOutcome
  readonly when: string
  readonly applies: (c: Case) => boolean
  readonly to: State
  /** What it adds to; a loss is also a failure where onLeaseLost = count. `unchanged` also leaves the losses in a row as they are. */
  readonly counts: 'failure' | 'loss' | 'interruption' | 'nothing' | 'unchanged'
  readonly reason: (c: Case) => string | null
}

const always = () => true
const mayRetry = ({ live, policy, facts }: Case) =>
  facts.retryable !== false && live.failures < policy.maxRetries
const blocks = ({ policy }: Case) => policy.onError === 'block'
const lossIsError = ({ policy }: Case) => policy.onLeaseLost === 'error'
const isBlameless = ({ facts }: Case) => facts.started === false
const losesAttempt = ({ policy }: Case) => policy.onLeaseLost === 'count'
/** A loss that counts as an attempt was the last one allowed. */
const lostLast = (c: Case) => losesAttempt(c) && !mayRetry(c)
const hasCrashBudget = ({ live, policy }: Case) =>
  policy.crashBudget === null || live.losses + 1 < policy.crashBudget
const pausesOnCancel = ({ live, policy }: Case) => live.cancelRequested && policy.onCancel === 'pause'
const pausesOnShutdown = ({ policy, facts }: Case) => policy.onShutdown === 'pause' && facts.started !== false

/** A lease that its worker or an operator closed did not expire. */
const whyLost = ({ facts }: Case) => facts.reason ?? 'lease expired'
const given = ({ facts }: Case) => facts.reason ?? null
const whyFailed = ({ facts }: Case) =>
  facts.reason ?? (facts.retryable === false ? 'not_retryable' : 'exhausted')

export const ENDINGS: readonly EndingRule[] = [
  {
    outcome: 'succeeded',
    when: 'always, even if a cancel was requested',
    applies: always,
    to: 'succeeded',
    counts: 'nothing',
    reason: given,
  },
  {
    outcome: 'failed',
    when: 'it may be retried and retries are left',
    applies: mayRetry,
    to: 'retrying',
    counts: 'failure',
    reason: given,
  },
  {
    outcome: 'failed',
    when: 'no retry is left or allowed, onError = continue',
    applies: (c) => !mayRetry(c) && !blocks(c),
    to: 'failed',
    counts: 'failure',
    reason: whyFailed,
  },
  {
    outcome: 'failed',
    when: 'no retry is left or allowed, onError = block',
    applies: (c) => !mayRetry(c) && blocks(c),
    to: 'errored',
    counts: 'failure',
    // A person is to decide, so the error itself comes first.
    reason: (c) => c.facts.errorMessage ?? whyFailed(c),
  },
  {
    outcome: 'lost',
    when: 'onLeaseLost = error, begun',
    applies: (c) => lossIsError(c) && !isBlameless(c),
    to: 'errored',
    counts: 'loss',
    reason: whyLost,
  },
  {
    outcome: 'lost',
    when: 'not begun',
    applies: isBlameless,
    to: 'queued',
    counts: 'unchanged',
    reason: whyLost,
  },
  {
    outcome: 'lost',
    when: 'onLeaseLost = retry or count, crash budget left and, if it counts, retries left',
    applies: (c) => !lossIsError(c) && !isBlameless(c) && !lostLast(c) && hasCrashBudget(c),
    to: 'queued',
    counts: 'loss',
    reason: whyLost,
  },
  {
    outcome: 'lost',
    when: 'onLeaseLost = count, no retry left, onError = continue',
    applies: (c) => !isBlameless(c) && lostLast(c) && !blocks(c),
    to: 'failed',
    counts: 'loss',
    reason: () => 'exhausted',
  },
  {
    outcome: 'lost',
    when: 'onLeaseLost = count, no retry left, onError = block',
    applies: (c) => !isBlameless(c) && lostLast(c) && blocks(c),
    to: 'errored',
    counts: 'loss',
    reason: () => 'exhausted',
  },
  {
    outcome: 'lost',
    when: 'onLeaseLost = retry or count, crash budget used up, onError = continue',
    applies: (c) => !lossIsError(c) && !isBlameless(c) && !lostLast(c) && !hasCrashBudget(c) && !blocks(c),
    to: 'failed',
    counts: 'loss',
    reason: () => 'crashed',
  },
  {
    outcome: 'lost',
    when: 'onLeaseLost = retry or count, crash budget used up, onError = block',
    applies: (c) => !lossIsError(c) && !isBlameless(c) && !lostLast(c) && !hasCrashBudget(c) && blocks(c),
    to: 'errored',
    counts: 'loss',
    reason: () => 'crashed',
  },
  {
    outcome: 'canceled',
    when: 'a cancel was requested, onCancel = pause',
    applies: pausesOnCancel,
    to: 'paused',
    counts: 'nothing',
    reason: () => INTERRUPTED,
  },
  {
    outcome: 'canceled',
    when: 'otherwise',
    applies: (c) => !pausesOnCancel(c),
    to: 'canceled',
    counts: 'nothing',
    reason: ({ live, facts }) => live.cancelReason ?? facts.reason ?? 'canceled',
  },
  {
    outcome: 'snoozed',
    when: 'always',
    applies: always,
    to: 'scheduled',
    counts: 'interruption',
    reason: given,
  },
  {
    outcome: 'released',
    when: 'onShutdown = release, or it was never begun',
    applies: (c) => !pausesOnShutdown(c),
    to: 'queued',
    counts: 'interruption',
    reason: given,
  },
  {
    outcome: 'released',
    when: 'onShutdown = pause',
    applies: pausesOnShutdown,
    to: 'paused',
    counts: 'interruption',
    // The system ends it, so there is no actor.
    reason: ({ facts }) => facts.reason ?? SHUTDOWN,
  },
  {
    outcome: 'parked',
    when: 'always',
    applies: always,
    to: 'parked',
    counts: 'interruption',
    reason: ({ facts }) => facts.reason ?? 'no worker knows this kind of job',
  },
]
