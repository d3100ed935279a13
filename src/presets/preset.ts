/**
 * A preset is a queue policy, the names its own endpoints use for job states (its state words), and those endpoints. A queue is created
 * with one preset and keeps it while it has live jobs. `<name>/preset.ts` holds the policy and the state words; `<name>/contract.ts` and `<name>/routes.ts` hold
 * the endpoints, where the preset has some.
 *
 * Some states do not occur under a preset's own policy, but do once a user changes it. They get the state word nearest in meaning:
 *  - `errored`, where the preset has no state word for it, reads like `paused`: alive, not running, and an operator can resume it.
 *  - `failed` under `target` (only after a discard) reads CANCELED: an operator ended it. ERROR would claim that the job still blocks its
 *    target and can be resumed.
 */
import type { Policy } from '../domain/policy.js'
import type { EndState, LiveState, State } from '../domain/states/states.js'

export interface Preset {
  readonly policy: Policy
  readonly stateWords: Readonly<Record<State, string>>
}

export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS

/** The same state word for every live state in which no worker has the job. */
export const notRunning = (stateWord: string) =>
  ({
    pending: stateWord,
    waiting: stateWord,
    paused: stateWord,
    errored: stateWord,
    parked: stateWord,
    scheduled: stateWord,
    retrying: stateWord,
    queued: stateWord,
  }) satisfies Record<Exclude<LiveState, 'assigned' | 'running'>, string>

export const ended = (succeeded: string, failed: string, canceled: string): Record<EndState, string> => ({
  succeeded,
  failed,
  canceled,
})
