/** Settings in the database: the same for every process, changed while all of them run, each change with who and why. */
import { checkSetting, checkSettingName, SETTINGS, type SettingName, settingOf } from '../domain/settings.js'
import type { Database } from './database.js'
import { type Act, actValues } from './operate.js'
import { fromRow } from './rows.js'

export interface SettingNow {
  readonly name: SettingName
  readonly value: number
  readonly default: number
  readonly min: number
  readonly max: number
  /** What it is, in words. */
  readonly of: string
  /** Whether somebody has set it. */
  readonly origin: 'default' | 'set'
  readonly updatedAt: Date | null
  readonly updatedBy: string | null
}

export class Settings {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async list(): Promise<SettingNow[]> {
    const rows = await this.#database.query<Record<string, unknown>>(
      `select name, value, default_value as default, least as min, most as max, origin, updated_at, updated_by
       from holdfast.settings order by name`,
      [],
      { repeatable: true },
    )
    return rows.map((row) => {
      const setting = fromRow<Omit<SettingNow, 'of'>>(row)
      // A newer package may have brought one that this one cannot explain.
      return { ...setting, of: Object.hasOwn(SETTINGS, setting.name) ? settingOf(setting.name) : '' }
    })
  }

  /** The value that holds now. Refused, with the nearest name, when there is no such setting. */
  async get(name: string): Promise<number> {
    const [row] = await this.#database.query<{ value: number }>(
      'select holdfast.setting_number($1) as value',
      [checkSettingName(name)],
      { repeatable: true },
    )
    return row?.value as number
  }

  async set(name: string, value: unknown, act: Act = {}): Promise<void> {
    const checked = checkSetting(name, value)
    await this.#send(checked.name, String(checked.value), act)
  }

  /** Back to the default. */
  async reset(name: string, act: Act = {}): Promise<void> {
    await this.#send(checkSettingName(name), null, act)
  }

  async #send(name: SettingName, json: string | null, act: Act): Promise<void> {
    await this.#database.query('select holdfast.set_setting($1, $2::text::jsonb, $3, $4)', [
      name,
      json,
      ...actValues(act),
    ])
  }
}
