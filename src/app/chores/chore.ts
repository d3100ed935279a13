/** A chore of upkeep: something that has to happen whether or not anybody asks for a job. */
import { type LocalSettings, type SettingName, settingHere } from '../../domain/settings.js'
import type { SettingNow } from '../../store/settings.js'

export interface Chore {
  /** One word, for tables, logs and `holdfast upkeep run`. */
  readonly name: string
  /** What it does, in words. */
  readonly of: string
  /** Asked again before each pass, because settings change. */
  everyMs(): Promise<number>
  /** It knows its time to the millisecond; others are kept from going in step. */
  readonly exact?: boolean
  /** One bounded pass. Any number of nodes may be at it at once. What waits for others outside the database gives up when `stopping` says so. */
  run(stopping?: AbortSignal): Promise<Done>
  /** Waits for what a pass has left under way; answers how much more that did. */
  finish?(): Promise<number>
  /** After this a pass has failed, whatever it waits for; `PASS_DEADLINE_MS` if not given. */
  readonly deadlineMs?: number
}

/** Longer than all the calls of a pass may take together; each of them has a deadline of its own. */
export const PASS_DEADLINE_MS = 120_000

export interface Done {
  /** How much it did; 0 for a look that found nothing. */
  readonly rows: number
  /** There is more to do at once. */
  readonly more?: boolean
}

/** A setting as it is now, or was a moment ago. */
export type Value = (name: SettingName) => Promise<number>

export const SECOND_MS = 1_000
export const DAY_MS = 24 * 60 * 60 * SECOND_MS

const SETTINGS_FOR_MS = 10_000

/** An idle process must not ask for the settings all the time. */
export function settingsLately(list: () => Promise<readonly SettingNow[]>, local: LocalSettings = {}): Value {
  let known: Promise<readonly SettingNow[]> | undefined
  let until = 0
  return async (name) => {
    if (known === undefined || performance.now() > until) {
      known = list()
      until = performance.now() + SETTINGS_FOR_MS
      known.catch(() => {
        known = undefined
      })
    }
    const kept = (await known).find((setting) => setting.name === name)
    return settingHere(name, local, kept)
  }
}
