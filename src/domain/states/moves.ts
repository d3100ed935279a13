/** Every legal move of a job in one table: the diagram is drawn from it, and tests check against it. */
import { ENDINGS } from './endings.js'
import { OPERATOR_MOVES, type OperatorVerb } from './operator.js'
import type { State } from './states.js'

export type Verb =
  | 'enqueue'
  | 'promote'
  | 'advance'
  | 'claim'
  | 'start'
  | 'finish'
  | 'reclaim'
  | 'force_finish'
  | OperatorVerb

export interface Move {
  readonly verb: Verb
  /** Null for a job that is being made. */
  readonly from: State | null
  readonly to: State
  /** The condition under which this row and no other of the same verb and state applies; null when there is no other. */
  readonly when: string | null
  /** Whether a strict queue allows it. */
  readonly strict: boolean
}

const ARRIVALS: readonly Move[] = [
  { verb: 'enqueue', from: null, to: 'queued', when: 'due, first of its target', strict: true },
  { verb: 'enqueue', from: null, to: 'waiting', when: 'due, behind its target', strict: true },
  { verb: 'enqueue', from: null, to: 'scheduled', when: 'its time is ahead', strict: true },
  { verb: 'enqueue', from: null, to: 'pending', when: 'to be released later', strict: true },
]

const SYSTEM_MOVES: readonly Move[] = [
  { verb: 'promote', from: 'scheduled', to: 'queued', when: 'due, first of its target', strict: true },
  { verb: 'promote', from: 'scheduled', to: 'waiting', when: 'due, behind its target', strict: true },
  { verb: 'promote', from: 'retrying', to: 'queued', when: 'due', strict: true },
  { verb: 'advance', from: 'waiting', to: 'queued', when: 'the job in front of it ended', strict: true },
  { verb: 'claim', from: 'queued', to: 'assigned', when: null, strict: true },
  { verb: 'start', from: 'assigned', to: 'running', when: null, strict: true },
]

/** An attempt may end before its start was written, so both states of `running` have every ending. */
const ENDING_MOVES: readonly Move[] = ENDINGS.flatMap((ending) =>
  (['assigned', 'running'] as const).map(
    (from): Move => ({
      verb: ending.outcome === 'lost' ? 'reclaim' : 'finish',
      from,
      to: ending.to,
      when: `${ending.outcome}: ${ending.when}`,
      strict: true,
    }),
  ),
)

/** An operator ends what runs, over the head of its worker. */
const FORCED_MOVES: readonly Move[] = (['assigned', 'running'] as const).flatMap((from): Move[] => {
  const row = { verb: 'force_finish', from, strict: false } as const
  return [
    { ...row, to: 'succeeded', when: 'as succeeded' },
    { ...row, to: 'failed', when: 'as failed' },
    { ...row, to: 'errored', when: 'as failed, where a failure blocks its target' },
  ]
})

export const MOVES: readonly Move[] = [
  ...ARRIVALS,
  ...SYSTEM_MOVES,
  ...ENDING_MOVES,
  ...FORCED_MOVES,
  ...OPERATOR_MOVES.map(({ verb, from, to, when, strict }): Move => ({ verb, from, to, when, strict })),
]

const legalPairs = new Set(MOVES.map(({ from, to }) => `${from}>${to}`))

/** Whether any verb may take a job from one state to the other. */
export function legal(from: State | null, to: State): boolean {
  return legalPairs.has(`${from}>${to}`)
}

/** Every (from, to) some verb can make, each once. */
export function legalMoves(): { from: State | null; to: State }[] {
  return MOVES.filter(
    (move, index) => MOVES.findIndex((other) => other.from === move.from && other.to === move.to) === index,
  ).map(({ from, to }) => ({ from, to }))
}
