/**
 * Resolves the value of each key, with its origin. The order of precedence: flags, environment, settings in the database,
 * holdfast.toml, config/default.toml, built-in defaults.
 */
import { type LocalSettings, SETTING_NAMES, type SettingName } from '../domain/settings.js'
import { type Environment, readEnvironment } from './environment.js'
import { ConfigError } from './error.js'
import { findFiles, type Layer, readFile, type ValueWithOrigin } from './files.js'
import { type ConfigKey, type ConfigValue, KEY_NAMES, KEYS, readValue, type ValueOf } from './keys.js'

export interface ConfigOptions {
  readonly env?: Environment
  readonly cwd?: string
  /** A file to read instead of ./holdfast.toml. */
  readonly file?: string | undefined
  /** Values from the command line, with the name of the flag. */
  readonly flags?: Partial<Record<ConfigKey, { readonly flag: string; readonly value: unknown }>>
}

export interface ConfigEntry {
  readonly key: ConfigKey
  readonly value: ConfigValue | null
  readonly origin: string
}

interface Layers {
  readonly flags: Layer
  readonly env: Layer
  /** Settings changed at run time; known only once a database is open. */
  readonly database: Layer
  readonly files: readonly Layer[]
}

export class Config {
  readonly #layers: Layers
  readonly #given: ReadonlyMap<ConfigKey, ValueWithOrigin>

  constructor(layers: Layers) {
    this.#layers = layers
    const strongestFirst = [layers.flags, layers.env, layers.database, ...layers.files]
    this.#given = new Map(strongestFirst.reverse().flatMap((layer) => [...layer]))
    const { value: min } = this.#entry('workers.default_count')
    const { value: max, origin } = this.#entry('workers.max_count')
    if (Number(min) > Number(max))
      throw new ConfigError(
        `workers.max_count is ${max} (${origin}) and less than workers.default_count, which is ${min}.`,
        'Raise workers.max_count or lower workers.default_count.',
      )
  }

  get<K extends ConfigKey>(
    key: K,
  ): ValueOf<K> | (undefined extends (typeof KEYS)[K]['default'] ? undefined : never) {
    return (this.#given.get(key)?.value ?? KEYS[key].default) as ValueOf<K>
  }

  /** Where the value comes from: `flag --url`, `env DATABASE_URL`, `database`, a file, or `default`. */
  origin(key: ConfigKey): string {
    return this.#entry(key).origin
  }

  /** All values; the caller masks secrets. */
  entries(): ConfigEntry[] {
    return KEY_NAMES.map((key) => this.#entry(key))
  }

  /** A copy with the settings of the database. */
  withSettings(settings: ReadonlyMap<string, number>): Config {
    const database = new Map<ConfigKey, ValueWithOrigin>()
    for (const key of KEY_NAMES) {
      const value = key.startsWith('settings.') ? settings.get(key.slice('settings.'.length)) : undefined
      if (value !== undefined) database.set(key, { value, origin: 'database' })
    }
    return new Config({ ...this.#layers, database })
  }

  /** The flag or variable that overrides a setting of the database in this process; undefined if none does. */
  overrides(setting: string): ValueWithOrigin | undefined {
    const key = `settings.${setting}` as ConfigKey
    return this.#layers.flags.get(key) ?? this.#layers.env.get(key)
  }

  /** The overrides and defaults that this process has for settings of the database. */
  localSettings(): LocalSettings {
    const overrides: Partial<Record<SettingName, number>> = {}
    const defaults: Partial<Record<SettingName, number>> = {}
    for (const name of SETTING_NAMES) {
      const key = `settings.${name}` as ConfigKey
      const wins = this.overrides(name)
      const yields = this.#layers.files.find((layer) => layer.has(key))?.get(key)
      if (wins !== undefined) overrides[name] = Number(wins.value)
      else if (yields !== undefined) defaults[name] = Number(yields.value)
    }
    return { overrides, defaults }
  }

  #entry(key: ConfigKey): ConfigEntry {
    const given = this.#given.get(key)
    return { key, value: given?.value ?? KEYS[key].default ?? null, origin: given?.origin ?? 'default' }
  }
}

export function loadConfig({
  env = process.env,
  cwd = process.cwd(),
  file,
  flags = {},
}: ConfigOptions = {}): Config {
  const { own, defaults } = findFiles(cwd, file ?? (env.HOLDFAST_CONFIG || undefined))
  const files = [...(own === undefined ? [] : [own]), defaults]
  return new Config({
    flags: readFlags(flags),
    env: readEnvironment(env),
    database: new Map(),
    files: files.map((path) => readFile(path, cwd)),
  })
}

function readFlags(flags: NonNullable<ConfigOptions['flags']>): Layer {
  const layer = new Map<ConfigKey, ValueWithOrigin>()
  for (const key of KEY_NAMES) {
    const flag = flags[key]
    if (flag?.value === undefined) continue
    layer.set(key, { value: readValue(key, flag.value, flag.flag, 'usage'), origin: `flag ${flag.flag}` })
  }
  return layer
}
