/**
 * Each preset speaks its own words for the same states. Its own endpoints use them; everything else is canonical.
 * The word follows from the state alone, except in `pipeline`: there a live job that is not running reads `queued` until
 * its first attempt and `failed_retryable` ever after, whatever sent it back.
 *
 * Some states do not arise under a preset's own policy, but do once a user changes it. They get the word nearest in meaning:
 *  - `errored` where the preset has no such word reads like `paused` does: alive, not running, resumable by a person.
 *  - `failed` under `target` (only after a discard) reads CANCELED: ended by a person. ERROR would claim that it still
 *    blocks its target and can be resumed.
 */
import { type EndState, isLive, type LiveState, STATES, type State } from './states.js'

export const PRESET_NAMES = ['default', 'harvest', 'crawl', 'pipeline', 'target', 'catalog'] as const
export type PresetName = (typeof PRESET_NAMES)[number]

type Vocabulary = Readonly<Record<State, string>>

const everyWaitingStateReads = (word: string) =>
  ({
    pending: word,
    waiting: word,
    paused: word,
    errored: word,
    parked: word,
    scheduled: word,
    retrying: word,
    queued: word,
  }) satisfies Record<Exclude<LiveState, 'assigned' | 'running'>, string>

const ended = (succeeded: string, failed: string, canceled: string): Record<EndState, string> => ({
  succeeded,
  failed,
  canceled,
})

const CANONICAL = Object.fromEntries(STATES.map((state) => [state, state])) as Vocabulary

const WORDS: Readonly<Record<PresetName, Vocabulary>> = {
  default: CANONICAL,
  harvest: {
    ...everyWaitingStateReads('queued'),
    assigned: 'processing',
    running: 'processing',
    ...ended('done', 'failed', 'failed'),
  },
  crawl: {
    ...everyWaitingStateReads('queued'),
    assigned: 'crawling',
    running: 'crawling',
    ...ended('success', 'failed', 'failed'),
  },
  pipeline: {
    ...everyWaitingStateReads('queued'),
    retrying: 'failed_retryable',
    assigned: 'processing',
    running: 'processing',
    ...ended('completed', 'failed', 'failed'),
  },
  target: {
    ...everyWaitingStateReads('QUEUED'),
    pending: 'PENDING',
    paused: 'PAUSED',
    errored: 'ERROR',
    assigned: 'RUNNING',
    running: 'RUNNING',
    ...ended('SUCCESS', 'CANCELED', 'CANCELED'),
  },
  catalog: {
    ...everyWaitingStateReads('queued'),
    assigned: 'assigned',
    running: 'running',
    ...ended('succeeded', 'failed', 'canceled'),
  },
}

/** `attempted`: the job has been claimed at least once. */
export function wordFor(preset: PresetName, state: State, job: { readonly attempted: boolean }): string {
  if (preset === 'pipeline' && job.attempted && isWaitingSomewhere(state)) return 'failed_retryable'
  return WORDS[preset][state]
}

/**
 * Why a job is where it is, in the words of the preset's document. `target` calls every interruption of a running job one by its user, also
 * the end of a shutdown's grace; `reason` itself says which it was.
 */
export function messageFor(
  preset: PresetName,
  { state, reason }: { readonly state: State; readonly reason: string | null },
): string | null {
  return preset === 'target' && state === 'paused' ? 'Job was interrupted by user' : reason
}

/**
 * The states a filter on this word must look at; empty for a word the preset does not have.
 * Under `pipeline` a state alone does not decide between two words: ask `attemptedForWord` too.
 */
export function statesForWord(preset: PresetName, word: string): State[] {
  return STATES.filter((state) =>
    [false, true].some((attempted) => wordFor(preset, state, { attempted }) === word),
  )
}

/** Whether jobs with this word must (true) or must not (false) have been attempted; null when it does not matter. */
export function attemptedForWord(preset: PresetName, word: string): boolean | null {
  if (preset !== 'pipeline') return null
  return word === 'failed_retryable' ? true : word === 'queued' ? false : null
}

/** Every word of a preset, for the message that refuses another one. */
export function wordsOf(preset: PresetName): string[] {
  const words = STATES.flatMap((state) =>
    [false, true].map((attempted) => wordFor(preset, state, { attempted })),
  )
  return [...new Set(words)]
}

function isWaitingSomewhere(state: State): boolean {
  return isLive(state) && state !== 'assigned' && state !== 'running'
}
