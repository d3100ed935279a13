/** Bulk operations: one command for every job that a search finds, and to which of them the command applies. */
import { type OperatorVerb, operatorMove } from './states/operator.js'
import { isEnded, type State } from './states/states.js'

export const BULK_COMMANDS = ['retry', 'cancel', 'resume', 'boost', 'discard', 'skip', 'priority'] as const
export type BulkCommand = (typeof BULK_COMMANDS)[number]

/** `waiting`: no process carries it out yet. `failed`: it cannot go on, and `error` has the reason. */
export const BULK_STATES = ['waiting', 'running', 'done', 'aborted', 'failed'] as const
export type BulkState = (typeof BULK_STATES)[number]

/** The chore of upkeep that carries bulk operations out. */
export const BULK_CHORE = 'bulk'

/** What decides whether a command applies to a job. */
export interface BulkSubject {
  readonly state: State
  /** It has been claimed before; decides for queued jobs only. */
  readonly attempted: boolean
  readonly strict: boolean
}

/** Whether the command changes a job in this state. Cancel leaves ended jobs as they are. */
export function bulkApplies(command: BulkCommand, { state, attempted, strict }: BulkSubject): boolean {
  if (command === 'boost' || command === 'priority') return !isEnded(state)
  // In a strict queue a job of kind holdfast.cancel asks the worker.
  if (command === 'cancel') return !isEnded(state)
  const { answer } = operatorMove(command satisfies OperatorVerb, state, { strict, attempted })
  return answer === 'moved' || answer === 'new_job'
}
