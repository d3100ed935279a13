/** A chore of upkeep: periodic work that does not depend on a claim. */
import { askOnce } from '../../domain/ask-once.js'
import { type LocalSettings, type SettingName, settingHere } from '../../domain/settings.js'
import type { SettingValue } from '../../store/settings.js'

export interface Chore {
  /** A short name, for tables, logs and `holdfast upkeep run`. */
  readonly name: string
  /** What it does, as a phrase. */
  readonly of: string
  /** Read again before each pass, because settings change. */
  everyMs(): Promise<number>
  /** Runs exactly at its time; other chores get jitter. */
  readonly exact?: boolean
  /** One bounded pass. Any number of nodes may run it at once. Waits outside the database end when `stopping` aborts. */
  run(stopping?: AbortSignal): Promise<Done>
  /** Waits for what a pass has left running; returns how many more rows that changed. */
  finish?(): Promise<number>
  /** The deadline of a pass; `PASS_DEADLINE_MS` if omitted. */
  readonly deadlineMs?: number
}

/** Longer than all the calls of a pass may take together; each of them has a deadline of its own. */
export const PASS_DEADLINE_MS = 120_000

export interface Done {
  /** How many rows it changed; 0 for a pass that found nothing. */
  readonly rows: number
  /** More work is due at once. */
  readonly more?: boolean
}

/** Reads a setting, at most a few seconds old. */
export type ReadSetting = (name: SettingName) => Promise<number>

export const SECOND_MS = 1_000
export const DAY_MS = 24 * 60 * 60 * SECOND_MS

const SETTINGS_FOR_MS = 10_000

/** Reads all settings at most once in ten seconds, so that an idle process does not query them before every pass. */
export function cachedSettings(
  list: () => Promise<readonly SettingValue[]>,
  local: LocalSettings = {},
): ReadSetting {
  const settings = askOnce(SETTINGS_FOR_MS, list)
  return async (name) => {
    const stored = (await settings()).find((setting) => setting.name === name)
    return settingHere(name, local, stored)
  }
}
