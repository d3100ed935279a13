/** Queues: made from a preset, changed and paused at run time, known to workers by a small id. */

import { snake } from '../domain/case.js'
import { holdfastError } from '../domain/errors.js'
import { type Policy, PRESETS } from '../domain/policy.js'
import { parsePolicy, parsePreset } from '../domain/policy-check.js'
import { checkName } from '../domain/validate.js'
import type { PresetName } from '../domain/words.js'
import type { Database } from './database.js'
import { type Act, actValues } from './operate.js'
import { fromRow } from './rows.js'
import type { Waker } from './waker.js'

export interface Queue extends Policy {
  readonly id: number
  readonly tenant: string
  readonly name: string
  readonly preset: PresetName
  readonly pausedAt: Date | null
  readonly pausedBy: string | null
  readonly pauseReason: string | null
  readonly createdAt: Date
}

export interface QueueOptions extends Act {
  readonly preset?: PresetName
  readonly policy?: Partial<Policy>
  readonly tenant?: string
  /** Leave a queue that exists as it is, instead of refusing. */
  readonly ifMissing?: boolean
}

export class Queues {
  readonly #database: Database
  readonly #waker: Waker
  /**
   * Ids never change and queues are never deleted, so what we learned once stays true; until a connection breaks, because a failover may
   * take back the making of a queue, and its id may then be another's.
   */
  readonly #ids = new Map<string, number>()
  readonly #names = new Map<number, string>()
  #breaks: number | undefined

  constructor(database: Database, waker: Waker) {
    this.#database = database
    this.#waker = waker
  }

  async create(name: string, options: QueueOptions = {}): Promise<number> {
    const preset = parsePreset(options.preset ?? 'default')
    const [row] = await this.#database.query<{ id: number }>(
      'select holdfast.create_queue($1, $2, $3::text::jsonb, $4, $5, $6) as id',
      [
        checkName(name, '/queue'),
        preset,
        policyJson(options.policy ?? {}, PRESETS[preset]),
        checkName(options.tenant ?? 'default', '/tenant'),
        actValues(options)[0],
        options.ifMissing ?? false,
      ],
    )
    return row?.id as number
  }

  async setPolicy(
    name: string,
    policy: Partial<Policy>,
    options: Act & { tenant?: string } = {},
  ): Promise<void> {
    const queue = await this.get(name, options)
    await this.#database.query('select holdfast.set_policy($1, $2::text::jsonb, $3, $4)', [
      queue.id,
      policyJson(policy, queue),
      ...actValues(options),
    ])
  }

  /** False: it was paused already. */
  async pause(name: string, options: Act & { tenant?: string } = {}): Promise<boolean> {
    return this.#flag('select holdfast.pause_queue($1, $2, $3) as done', name, options)
  }

  /** False: it was not paused. */
  async resume(name: string, options: Act & { tenant?: string } = {}): Promise<boolean> {
    const resumed = await this.#flag('select holdfast.resume_queue($1, $2, $3) as done', name, options)
    if (resumed) this.#waker.wake(options.tenant ?? 'default', [name])
    return resumed
  }

  async get(name: string, { tenant = 'default' }: { tenant?: string } = {}): Promise<Queue> {
    const [row] = await this.#database.query<Record<string, unknown>>(
      'select * from holdfast.queues where tenant = $1 and name = $2',
      [tenant, name],
      { repeatable: true },
    )
    if (row === undefined) throw holdfastError('unknown_queue', { queue: name })
    return queueFromRow(row)
  }

  async list({ tenant = 'default' }: { tenant?: string } = {}): Promise<Queue[]> {
    const rows = await this.#database.query<Record<string, unknown>>(
      'select * from holdfast.queues where tenant = $1 order by name',
      [tenant],
      { repeatable: true },
    )
    return rows.map(queueFromRow)
  }

  /** The ids a claim takes. A queue nobody has used yet is made, so that a worker may come before its first job. */
  async ids(names: readonly string[], tenant = 'default'): Promise<number[]> {
    const breaks = this.#database.breaks?.()
    if (breaks !== this.#breaks) this.#ids.clear()
    this.#breaks = breaks
    const known = names.map((name) => this.#ids.get(`${tenant} ${name}`))
    return known.includes(undefined)
      ? Promise.all(names.map((name, index) => known[index] ?? this.#idOf(name, tenant)))
      : (known as number[])
  }

  async #idOf(name: string, tenant: string): Promise<number> {
    const id = await this.create(name, { tenant, ifMissing: true })
    this.#ids.set(`${tenant} ${name}`, id)
    this.#names.set(id, name)
    return id
  }

  /** The name of a queue that was asked for by name before. */
  nameOf(id: number): string | undefined {
    return this.#names.get(id)
  }

  async #flag(text: string, name: string, options: Act & { tenant?: string }): Promise<boolean> {
    const queue = await this.get(name, options)
    const [row] = await this.#database.query<{ done: boolean }>(text, [queue.id, ...actValues(options)])
    return row?.done === true
  }
}

/** `order` is a word of SQL's own, so the column has a longer name. */
function queueFromRow(row: Record<string, unknown>): Queue {
  const { orderBy, ...rest } = fromRow<Queue & { orderBy: Policy['order'] }>(row)
  return { ...rest, order: orderBy }
}

/** Only what differs from the base, under the names of the columns. */
function policyJson(overrides: Partial<Policy>, base: Policy): string {
  const checked = parsePolicy(overrides, base)
  const changed = Object.entries(checked).filter(([name, value]) => value !== base[name as keyof Policy])
  return JSON.stringify(
    Object.fromEntries(changed.map(([name, value]) => [COLUMNS[name as keyof Policy] ?? snake(name), value])),
  )
}

const COLUMNS: Partial<Record<keyof Policy, string>> = { order: 'order_by' }
