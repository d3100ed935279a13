/** Settings in the database: shared by all processes, changed at run time, each change with actor and reason. */

import type { Database } from '../database/database.js'
import { checkSetting, checkSettingName, SETTINGS, type SettingName, settingOf } from '../domain/settings.js'
import { type Attribution, attributionValues } from './job-commands.js'
import { fromRow } from './rows.js'

export interface SettingValue {
  readonly name: SettingName
  readonly value: number
  readonly default: number
  readonly min: number
  readonly max: number
  /** A description in one sentence. */
  readonly of: string
  /** Whether an operator has set it. */
  readonly origin: 'default' | 'set'
  readonly updatedAt: Date | null
  readonly updatedBy: string | null
}

export class Settings {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async list(): Promise<SettingValue[]> {
    const rows = await this.#database.query<Record<string, unknown>>(
      `select name, value, default_value as default, min, max, origin, updated_at, updated_by
       from holdfast.settings order by name`,
      [],
      { repeatable: true },
    )
    return rows.map((row) => {
      const setting = fromRow<Omit<SettingValue, 'of'>>(row)
      // A newer package may have added a setting that this one cannot describe.
      return { ...setting, of: Object.hasOwn(SETTINGS, setting.name) ? settingOf(setting.name) : '' }
    })
  }

  /** The effective value. Refused, with the nearest name, when the setting does not exist. */
  async get(name: string): Promise<number> {
    const [row] = await this.#database.query<{ value: number }>(
      'select holdfast.setting_number($1) as value',
      [checkSettingName(name)],
      { repeatable: true },
    )
    return row?.value as number
  }

  async set(name: string, value: unknown, act: Attribution = {}): Promise<void> {
    const checked = checkSetting(name, value)
    await this.#send(checked.name, String(checked.value), act)
  }

  /** Returns the setting to its default. */
  async reset(name: string, act: Attribution = {}): Promise<void> {
    await this.#send(checkSettingName(name), null, act)
  }

  async #send(name: SettingName, json: string | null, act: Attribution): Promise<void> {
    await this.#database.query('select holdfast.set_setting($1, $2::text::jsonb, $3, $4)', [
      name,
      json,
      ...attributionValues(act),
    ])
  }
}
