/**
 * The vocabulary everything else is built from: the places and states of a job, and the outcomes of an attempt.
 * A state belongs to exactly one place, because a place is a table and a job is one row in one table.
 * What is deliberately not a state: a paused queue is a flag of the queue, "stuck" is read off a lease, and
 * "cancel requested" is a flag of a running row.
 */

const PLACES = ['held', 'delayed', 'ready', 'running', 'attempt'] as const
export type Place = (typeof PLACES)[number]

const STATES_IN = {
  held: ['pending', 'waiting', 'paused', 'errored', 'parked'],
  delayed: ['scheduled', 'retrying'],
  ready: ['queued'],
  running: ['assigned', 'running'],
  attempt: ['succeeded', 'failed', 'canceled'],
} as const satisfies Record<Place, readonly string[]>

export type State = (typeof STATES_IN)[Place][number]

/** States of a job that is over; the attempt row that ended it has the same state. */
export const END_STATES = STATES_IN.attempt
export type EndState = (typeof END_STATES)[number]

/** States of a job that is not over. */
export const LIVE_STATES = [
  ...STATES_IN.held,
  ...STATES_IN.delayed,
  ...STATES_IN.ready,
  ...STATES_IN.running,
] as const
export type LiveState = (typeof LIVE_STATES)[number]

export const STATES: readonly State[] = [...LIVE_STATES, ...END_STATES]

/** What a worker may say about an attempt. */
export const OUTCOMES = ['succeeded', 'failed', 'canceled', 'snoozed', 'released', 'parked'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** The outcomes of an attempt row. Only the system sets `lost`, for an expired lease; a worker cannot. */
export const ATTEMPT_OUTCOMES = [...OUTCOMES, 'lost'] as const
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

const placeByState = new Map<State, Place>(
  PLACES.flatMap((place) => STATES_IN[place].map((state): [State, Place] => [state, place])),
)

export function placeOf(state: State): Place {
  const place = placeByState.get(state)
  if (place === undefined) throw new Error(`no place for state ${String(state)}`)
  return place
}

export function isState(state: unknown): state is State {
  return placeByState.has(state as State)
}

export function isEnded(state: State): state is EndState {
  return placeOf(state) === 'attempt'
}

export function isLive(state: State): state is LiveState {
  return !isEnded(state)
}
