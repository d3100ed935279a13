/** Queues: create them from a preset, change, rename, pause and remove them at run time, resolve their names to ids. */

import type { Database } from '../database/database.js'
import { holdfastError } from '../domain/errors/errors.js'
import type { Policy } from '../domain/policy.js'
import { parsePolicy } from '../domain/policy-check.js'
import { checkName } from '../domain/validate.js'
import { snake } from '../json/case.js'
import { PRESETS, type PresetName, parsePreset } from '../presets/presets.js'
import { type Attribution, attributionValues } from './job-commands.js'
import type { Notifier } from './notify/notifier.js'
import { fromRow } from './rows.js'

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

export interface QueueOptions extends Attribution {
  readonly preset?: PresetName
  readonly policy?: Partial<Policy>
  readonly tenant?: string
  /** Leave an existing queue unchanged, instead of refusing. */
  readonly ifMissing?: boolean
}

export interface QueueChanges {
  /** Only while every live job of the queue waits for its first attempt. Its policy becomes that of the preset, except for the fields in `policy`. */
  readonly preset?: PresetName
  readonly policy?: Partial<Policy>
}

interface QueueIds {
  readonly byName: Map<string, number>
  readAt: number
}

type QueueAct = Attribution & { readonly tenant?: string }

/** Another process may have renamed or removed a queue: after this long the ids are read again. */
const IDS_STALE_MS = 30_000

export class Queues {
  readonly #database: Database
  readonly #notifier: Notifier
  /** By tenant. An id is never used again, but a failover may undo the creation of a queue and give its id to another. */
  readonly #ids = new Map<string, QueueIds>()
  readonly #names = new Map<number, string>()
  #breaks: number | undefined

  constructor(database: Database, notifier: Notifier) {
    this.#database = database
    this.#notifier = notifier
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
        attributionValues(options)[0],
        options.ifMissing ?? false,
      ],
    )
    return row?.id as number
  }

  /** Finds the queue or creates it with this preset; refused if it has another one. */
  async ensure(name: string, preset: PresetName, { tenant = 'default' }: { tenant?: string } = {}) {
    await this.create(name, { preset: parsePreset(preset), tenant, ifMissing: true })
    const queue = await this.get(name, { tenant })
    if (queue.preset !== preset) {
      throw holdfastError('wrong_preset', { queue: name, preset: queue.preset, wanted: preset })
    }
    return queue
  }

  async setPolicy(name: string, policy: Partial<Policy>, options: QueueAct = {}): Promise<void> {
    await this.update(name, { policy }, options)
  }

  /** Changes the preset, the policy, or both. */
  async update(name: string, { preset, policy = {} }: QueueChanges, act: QueueAct = {}): Promise<void> {
    const queue = await this.get(name, act)
    const changed = preset === undefined || preset === queue.preset ? undefined : parsePreset(preset)
    const checked = policyJson(policy, changed === undefined ? queue : PRESETS[changed])
    const attribution = attributionValues(act)
    if (changed === undefined) {
      const values = [queue.id, checked, ...attribution]
      await this.#database.query('select holdfast.set_policy($1, $2::text::jsonb, $3, $4)', values)
    } else {
      const values = [queue.id, changed, checked, ...attribution]
      await this.#database.query('select holdfast.change_queue($1, $2, $3::text::jsonb, $4, $5)', values)
    }
  }

  /** Takes its jobs, history, schedules and declared kinds along. Programs still use the old name for another queue. */
  async rename(name: string, to: string, act: QueueAct = {}): Promise<void> {
    const { id } = await this.get(name, act)
    const values = [id, checkName(to, '/to'), ...attributionValues(act)]
    await this.#database.query('select holdfast.rename_queue($1, $2, $3, $4)', values)
    this.#forget(id)
  }

  /** Only a queue without live jobs and schedules; one that has items or subjects only `withItems`. */
  async remove(name: string, { withItems = false, ...act }: QueueAct & { withItems?: boolean } = {}) {
    const { id } = await this.get(name, act)
    const values = [id, withItems, ...attributionValues(act)]
    await this.#database.query('select holdfast.remove_queue($1, $2, $3, $4)', values)
    this.#forget(id)
  }

  /** Returns false when the queue was paused before. */
  async pause(name: string, options: QueueAct = {}): Promise<boolean> {
    return this.#flag('select holdfast.pause_queue($1, $2, $3) as done', name, options)
  }

  /** Returns false when the queue was not paused. */
  async resume(name: string, options: QueueAct = {}): Promise<boolean> {
    const resumed = await this.#flag('select holdfast.resume_queue($1, $2, $3) as done', name, options)
    if (resumed) this.#notifier.wake(options.tenant ?? 'default', [name])
    return resumed
  }

  async get(name: string, { tenant = 'default' }: { tenant?: string } = {}): Promise<Queue> {
    const [row] = await this.#database.query<Record<string, unknown>>(
      'select * from holdfast.queues where tenant = $1 and name = $2 limit 1',
      [tenant, name],
      { repeatable: true },
    )
    if (row === undefined) throw holdfastError('unknown_queue', { queue: name })
    return queueFromRow(row)
  }

  async list({ tenant = 'default' }: { tenant?: string } = {}): Promise<Queue[]> {
    const rows = await this.#database.query<Record<string, unknown>>(
      'select * from holdfast.queues where tenant = $1 order by name limit 10000',
      [tenant],
      { repeatable: true },
    )
    return rows.map(queueFromRow)
  }

  /**
   * The queue ids for a claim. Creates queues that do not exist yet, so that a worker may start before the first job. A queue that was
   * removed meanwhile is not created again: the worker finds it when someone else has.
   */
  async ids(names: readonly string[], tenant = 'default'): Promise<number[]> {
    const breaks = this.#database.breaks?.()
    if (breaks !== this.#breaks) this.#ids.clear()
    this.#breaks = breaks
    const known = this.#ids.get(tenant) ?? { byName: new Map<string, number>(), readAt: performance.now() }
    this.#ids.set(tenant, known)
    const unresolved = names.filter((name) => !known.byName.has(name))
    if (unresolved.length > 0) {
      const resolve = async (name: string) =>
        this.#remember(known, name, await this.create(name, { tenant, ifMissing: true }))
      await Promise.all(unresolved.map(resolve))
    }
    if (performance.now() - known.readAt > IDS_STALE_MS) await this.#readAgain(known, tenant)
    return names.map((name) => known.byName.get(name) as number).filter((id) => id !== REMOVED)
  }

  async #readAgain(known: QueueIds, tenant: string): Promise<void> {
    known.readAt = performance.now()
    const names = [...known.byName.keys()]
    const rows = await this.#database.query<{ name: string; id: number }>(
      'select name, queue_id as id from holdfast.queue_ids($1, $2::text[])',
      [tenant, names],
      { repeatable: true },
    )
    const found = new Map(rows.map(({ name, id }) => [name, id]))
    for (const name of names) this.#remember(known, name, found.get(name) ?? REMOVED)
  }

  #remember({ byName }: QueueIds, name: string, id: number): void {
    byName.set(name, id)
    if (id !== REMOVED) this.#names.set(id, name)
  }

  /** The next claim reads all ids again. */
  #forget(id: number): void {
    this.#names.delete(id)
    for (const known of this.#ids.values()) known.readAt = Number.NEGATIVE_INFINITY
  }

  /** The name of a queue that was resolved before. */
  nameOf(id: number): string | undefined {
    return this.#names.get(id)
  }

  async #flag(text: string, name: string, options: QueueAct): Promise<boolean> {
    const queue = await this.get(name, options)
    const [row] = await this.#database.query<{ done: boolean }>(text, [
      queue.id,
      ...attributionValues(options),
    ])
    return row?.done === true
  }
}

/** In place of the id of a queue that was removed. */
const REMOVED = 0

/** `order` is an SQL keyword, so the column has a longer name. */
function queueFromRow(row: Record<string, unknown>): Queue {
  const { orderBy, ...rest } = fromRow<Queue & { orderBy: Policy['order'] }>(row)
  return { ...rest, order: orderBy }
}

/** The fields that differ from the preset, under the names of the columns. */
function policyJson(overrides: Partial<Policy>, base: Policy): string {
  const checked = parsePolicy(overrides, base)
  const changed = Object.entries(checked).filter(([name, value]) => value !== base[name as keyof Policy])
  return JSON.stringify(
    Object.fromEntries(changed.map(([name, value]) => [COLUMNS[name as keyof Policy] ?? snake(name), value])),
  )
}

const COLUMNS: Partial<Record<keyof Policy, string>> = { order: 'order_by' }
