/**
 * The commands of operators (and of producers: publish and cancel), and the state that each results in, by
 * the state of the job. A command that does not apply to the state is refused by name, never silently
 * ignored. Setting or boosting a priority changes no state and is allowed in every live state, so it has no
 * row here.
 */
import { isEnded, type State } from './states.js'

export const OPERATOR_VERBS = ['publish', 'cancel', 'retry', 'resume', 'skip', 'discard'] as const
export type OperatorVerb = (typeof OPERATOR_VERBS)[number]

/** What a command depends on besides the state. */
export interface Situation {
  readonly strict?: boolean
  /** The job has been claimed at least once. */
  readonly attempted?: boolean
  /** Its time to run is still ahead. */
  readonly notDue?: boolean
  /** Another live job of its target is in front of it. */
  readonly targetBusy?: boolean
}

export interface OperatorMove {
  readonly verb: OperatorVerb
  readonly from: State
  readonly to: State
  readonly when: string | null
  readonly applies: (situation: Situation) => boolean
  /** Why the attempt row says the job ended. */
  readonly reason: 'canceled' | 'skipped' | 'discarded' | null
  /** The person answers for the past: failures and losses start from 0. */
  readonly forgives: boolean
  /** Whether a strict queue allows it. There only a worker ends a job that was never attempted, and an end is final. */
  readonly strict: boolean
}

export type OperatorAnswer =
  | { readonly answer: 'moved'; readonly move: OperatorMove }
  /** Running: the worker is notified, and the attempt ends as `canceled`. */
  | { readonly answer: 'requested' }
  | { readonly answer: 'already_ended' }
  /** Retry in a strict queue: the old job stays as it ended, a new one linked to it is made. */
  | { readonly answer: 'new_job' }
  | { readonly answer: 'refused'; readonly code: 'wrong_state' | 'strict_queue' }

const always = () => true
const inFront = ({ targetBusy }: Situation) => targetBusy !== true
const behind = ({ targetBusy }: Situation) => targetBusy === true
const attempted = (situation: Situation) => situation.attempted === true

const plain = { when: null, applies: always, reason: null, forgives: false, strict: true } as const
const RESUMABLE = ['paused', 'errored', 'parked'] as const
const CANCELABLE = ['pending', 'waiting', ...RESUMABLE, 'scheduled', 'retrying', 'queued'] as const

function releases(): OperatorMove[] {
  const row = { ...plain, verb: 'publish', from: 'pending' } as const
  return [
    { ...row, to: 'scheduled', when: 'its time is ahead', applies: (s) => s.notDue === true },
    { ...row, to: 'queued', when: 'due, first of its target', applies: (s) => !s.notDue && inFront(s) },
    { ...row, to: 'waiting', when: 'due, behind its target', applies: (s) => !s.notDue && behind(s) },
  ]
}

function cancels(): OperatorMove[] {
  return CANCELABLE.map((from) => ({
    ...plain,
    verb: 'cancel',
    from,
    to: 'canceled',
    reason: 'canceled',
    strict: false,
  }))
}

function retries(): OperatorMove[] {
  const again = { ...plain, verb: 'retry', forgives: true, strict: false } as const
  const sooner = { ...plain, verb: 'retry' } as const
  const fromEnd = (['failed', 'canceled'] as const).flatMap((from): OperatorMove[] => [
    { ...again, from, to: 'queued', when: 'first of its target', applies: inFront },
    { ...again, from, to: 'waiting', when: 'behind its target', applies: behind },
  ])
  return [
    ...fromEnd,
    // A job that has run keeps its lane while it is delayed, so nothing can be in front of it.
    { ...sooner, from: 'retrying', to: 'queued' },
    {
      ...sooner,
      from: 'scheduled',
      to: 'queued',
      when: 'first of its target',
      applies: (s) => attempted(s) || inFront(s),
    },
    {
      ...sooner,
      from: 'scheduled',
      to: 'waiting',
      when: 'behind its target',
      applies: (s) => !attempted(s) && behind(s),
    },
  ]
}

function resumes(): OperatorMove[] {
  // Paused and parked jobs did nothing wrong, so there is nothing to forgive: their counters go on.
  return RESUMABLE.map((from) => ({
    ...plain,
    verb: 'resume',
    from,
    to: 'queued',
    forgives: from === 'errored',
  }))
}

function skips(): OperatorMove[] {
  return [...RESUMABLE, 'waiting' as const].map((from) => ({
    ...plain,
    verb: 'skip',
    from,
    to: 'canceled',
    reason: 'skipped',
    strict: from !== 'waiting',
  }))
}

function discards(): OperatorMove[] {
  const row = { ...plain, verb: 'discard', to: 'failed', reason: 'discarded' } as const
  return [
    ...(['retrying', ...RESUMABLE] as const).map((from) => ({ ...row, from })),
    { ...row, from: 'queued', when: 'after an attempt', applies: attempted },
  ]
}

export const OPERATOR_MOVES: readonly OperatorMove[] = [
  ...releases(),
  ...cancels(),
  ...retries(),
  ...resumes(),
  ...skips(),
  ...discards(),
]

/** What this command does to a job in this state. */
export function operatorMove(verb: OperatorVerb, state: State, situation: Situation = {}): OperatorAnswer {
  if (verb === 'cancel') {
    if (situation.strict) return { answer: 'refused', code: 'strict_queue' }
    if (isEnded(state)) return { answer: 'already_ended' }
    if (state === 'assigned' || state === 'running') return { answer: 'requested' }
  }
  const move = OPERATOR_MOVES.find((row) => row.verb === verb && row.from === state && row.applies(situation))
  if (move === undefined) return { answer: 'refused', code: 'wrong_state' }
  if (situation.strict && !move.strict) {
    return verb === 'retry' && isEnded(state)
      ? { answer: 'new_job' }
      : { answer: 'refused', code: 'strict_queue' }
  }
  return { answer: 'moved', move }
}
