/** The table of presets. To add one: a folder with its preset.ts, one line here, and a row in the table `preset` of the database. */
import { invalidInput } from '../domain/errors/errors.js'
import { suggestion } from '../domain/nearest.js'
import { DEFAULT_POLICY, type Policy } from '../domain/policy.js'
import { STATES, type State } from '../domain/states/states.js'
import { catalog } from './catalog/preset.js'
import { crawl } from './crawl/preset.js'
import { harvest } from './harvest/preset.js'
import { pipeline } from './pipeline/preset.js'
import type { Preset } from './preset.js'
import { target } from './target/preset.js'

export const PRESET_NAMES = ['default', 'harvest', 'crawl', 'pipeline', 'target', 'catalog'] as const
export type PresetName = (typeof PRESET_NAMES)[number]

/** `default` calls every state by its own name. */
const ownNames = Object.fromEntries(STATES.map((state) => [state, state])) as Record<State, string>

const TABLE: Readonly<Record<PresetName, Preset>> = {
  default: { policy: DEFAULT_POLICY, stateWords: ownNames },
  harvest,
  crawl,
  pipeline,
  target,
  catalog,
}

const column = <Name extends keyof Preset>(name: Name) =>
  Object.fromEntries(PRESET_NAMES.map((preset) => [preset, TABLE[preset][name]])) as Readonly<
    Record<PresetName, Preset[Name]>
  >

/** The policy of each preset. */
export const PRESETS: Readonly<Record<PresetName, Policy>> = column('policy')
export const STATE_WORDS = column('stateWords')

export function parsePreset(value: unknown, path = '/preset'): PresetName {
  if (PRESET_NAMES.includes(value as PresetName)) return value as PresetName
  const hint = typeof value === 'string' ? suggestion(value, PRESET_NAMES) : ''
  throw invalidInput(path, `must be one of ${PRESET_NAMES.join(', ')}.${hint}`)
}
