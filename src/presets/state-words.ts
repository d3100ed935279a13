/**
 * Job states by the names of a preset. Only the preset's own endpoints and its metrics use them; the rest of the API uses the states of
 * src/domain/states/states.ts. The state alone decides, except under `pipeline`, where it also matters whether the job was ever claimed.
 */
import { isLive, STATES, type State } from '../domain/states/states.js'
import { type PresetName, STATE_WORDS } from './presets.js'

/** `attempted`: a worker has claimed the job at least once. */
export function stateWord(preset: PresetName, state: State, job: { readonly attempted: boolean }): string {
  if (preset === 'pipeline' && job.attempted && isNotRunning(state)) return 'failed_retryable'
  return STATE_WORDS[preset][state]
}

/** Why the domain pauses a job: on a request to cancel it, or because its worker shut down. */
const INTERRUPTIONS: readonly (string | null)[] = ['Job was interrupted by user', 'shutdown']

/**
 * Why a job is in its state, as its preset puts it. `target` has one sentence for every interruption, by a cancel request or by a shutdown;
 * the job's own `reason` distinguishes them.
 */
export function presetReason(
  preset: PresetName,
  { state, reason }: { readonly state: State; readonly reason: string | null },
): string | null {
  const isInterrupted = preset === 'target' && state === 'paused' && INTERRUPTIONS.includes(reason)
  return isInterrupted ? 'Job was interrupted by user' : reason
}

/**
 * The states a filter on this state word has to include; empty if the preset does not have it.
 * Under `pipeline` a state can have two state words, so filter by `attemptedForStateWord` as well.
 */
export function statesWithStateWord(preset: PresetName, name: string): State[] {
  return STATES.filter((state) =>
    [false, true].some((attempted) => stateWord(preset, state, { attempted }) === name),
  )
}

/** Whether jobs with this state word must (true) or must not (false) have been attempted; null if both can have it. */
export function attemptedForStateWord(preset: PresetName, name: string): boolean | null {
  if (preset !== 'pipeline') return null
  return name === 'failed_retryable' ? true : name === 'queued' ? false : null
}

/** All state words of a preset. */
export function stateWordsOf(preset: PresetName): string[] {
  const names = STATES.flatMap((state) =>
    [false, true].map((attempted) => stateWord(preset, state, { attempted })),
  )
  return [...new Set(names)]
}

function isNotRunning(state: State): boolean {
  return isLive(state) && state !== 'assigned' && state !== 'running'
}
