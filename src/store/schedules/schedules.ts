/**
 * Schedules: create, change, pause and run them. scheduler.ts fires them. src/domain/schedule computes the slots; the database stores the
 * next one. A change is computed from a read, and applied only if the schedule has not changed since.
 */

import type { Database } from '../../database/database.js'
import { type HoldfastError, holdfastError } from '../../domain/errors/errors.js'
import { anew, type Change, differing, overridden, reconcile } from '../../domain/schedule/change.js'
import {
  checkFields,
  type NewSchedule,
  newSchedule,
  type ScheduleFields,
} from '../../domain/schedule/definition.js'
import { parseExpression } from '../../domain/schedule/expression.js'
import { nextSlot } from '../../domain/schedule/slots.js'
import { zoneNamed } from '../../domain/schedule/zone.js'
import { checkName, checkScheduleName } from '../../domain/validate.js'
import { type Attribution, attributionValues } from '../job-commands.js'
import type { Notifier } from '../notify/notifier.js'
import { type Schedule, type ScheduleOwner, ScheduleReads, type ScheduleRow } from './schedule-reads.js'
import type { Scheduler } from './scheduler.js'

export interface ScheduleRun {
  readonly jobId: number
  /** True: its subject already had a live job, and this is its id. */
  readonly deduplicated: boolean
}

export type ScheduleAttribution = Attribution & ScheduleOwner

/** After losing this often, other callers keep changing the same schedule. */
const TRIES = 10

export class Schedules extends ScheduleReads {
  readonly #notifier: Notifier
  readonly #scheduler: Scheduler

  constructor(database: Database, notifier: Notifier, scheduler: Scheduler) {
    super(database)
    this.#notifier = notifier
    this.#scheduler = scheduler
  }

  async create(schedule: NewSchedule, options: ScheduleAttribution = {}): Promise<Schedule> {
    const { name, fields } = newSchedule(schedule)
    await this.#create(name, fields, null, false, options)
    return this.get(name, options)
  }

  /** Changes the given fields. When the schedule's times change, or it is enabled again, its next slot is computed from now. */
  async update(
    name: string,
    changes: Partial<ScheduleFields> & { readonly name?: string },
    options: ScheduleAttribution = {},
  ): Promise<Schedule> {
    const { name: newName, ...fields } = changes
    const checked = checkFields(fields)
    const renamed: Change['more'] =
      newName === undefined || newName === name ? {} : { name: checkScheduleName(newName) }
    await this.#change(name, options, (row) => {
      if (row.declared === null) return { fields: checked, more: renamed }
      // At the next start of the program it would exist twice.
      if (renamed.name !== undefined) throw holdfastError('schedule_declared', { schedule: name })
      return { fields: checked, more: { overrides: overridden(row, checked) } }
    })
    return this.get(newName ?? name, options)
  }

  /** Reverts changes made at run time to the program's definition. */
  async reset(name: string, options: ScheduleAttribution = {}): Promise<Schedule> {
    await this.#change(name, options, ({ declared }) => {
      if (declared === null) throw holdfastError('schedule_not_declared', { schedule: name })
      return { fields: declared, more: { overrides: [] } }
    })
    return this.get(name, options)
  }

  /**
   * Applies a program's definition when it starts: creates a missing schedule, applies what the program has changed, and keeps what operators
   * have changed. Takes over a schedule that was created at run time; fields that differ stay different.
   */
  async declare(schedule: NewSchedule, options: ScheduleAttribution = {}): Promise<void> {
    const { name, fields } = newSchedule(schedule)
    const declared = JSON.parse(JSON.stringify(fields)) as ScheduleFields
    const known = await this.find(name, options)
    if (known === undefined && (await this.#create(name, fields, declared, true, options))) return
    await this.#change(name, options, (row) => reconcile(row, declared))
  }

  async remove(name: string, options: ScheduleAttribution = {}): Promise<void> {
    const { id } = await this.get(name, options)
    await this.database.query('select holdfast.remove_schedule($1, $2, $3)', [
      id,
      ...attributionValues(options),
    ])
  }

  enable(name: string, options: ScheduleAttribution = {}): Promise<Schedule> {
    return this.update(name, { enabled: true }, options)
  }

  disable(name: string, options: ScheduleAttribution = {}): Promise<Schedule> {
    return this.update(name, { enabled: false }, options)
  }

  /** `reason` is shown to operators. Returns false when the schedule was paused before. */
  async pause(name: string, options: ScheduleAttribution = {}): Promise<boolean> {
    return this.#flag('select holdfast.pause_schedule($1, $2, $3) as done', name, options)
  }

  /** Continues with the next slot; slots of the pause are skipped. Returns false when the schedule was not paused. */
  async resume(name: string, options: ScheduleAttribution = {}): Promise<boolean> {
    const resumed = await this.#flag('select holdfast.resume_schedule($1, $2, $3) as done', name, options)
    if (resumed) await this.#settle(name, options)
    return resumed
  }

  /** So that its next slot is visible at once, not only after the next scheduler pass; without the right to fire, leaves it to that pass. */
  async #settle(name: string, options: ScheduleOwner): Promise<void> {
    const { id } = await this.get(name, options)
    await this.#scheduler.fireDue({ schedule: id }).catch((error: HoldfastError) => {
      if (error.code !== 'forbidden') throw error
    })
  }

  /** Opens a maintenance window: no schedule of the tenant fires until `resumeAll`, or until `until`. */
  async pauseAll({
    tenant = 'default',
    until,
    ...act
  }: ScheduleAttribution & { until?: Date } = {}): Promise<void> {
    await this.database.query('select holdfast.pause_schedule(null, $3, $4, $1, $2)', [
      checkName(tenant, '/tenant'),
      until ?? null,
      ...attributionValues(act),
    ])
  }

  /** Returns false when no window was open. */
  async resumeAll({ tenant = 'default', ...act }: ScheduleAttribution = {}): Promise<boolean> {
    const [row] = await this.database.query<{ done: boolean }>(
      'select holdfast.resume_schedule(null, $2, $3, $1) as done',
      [checkName(tenant, '/tenant'), ...attributionValues(act)],
    )
    return row?.done === true
  }

  /** Enqueues its job now; the next slot stays. */
  async run(name: string, options: ScheduleAttribution = {}): Promise<ScheduleRun> {
    const { id, tenant, queue } = await this.get(name, options)
    const [row] = await this.database.query<{ outcome: string; job_id: number }>(
      'select outcome, job_id from holdfast.run_schedule($1, $2, $3)',
      [id, ...attributionValues(options)],
    )
    this.#notifier.wake(tenant, [queue])
    return { jobId: row?.job_id as number, deduplicated: row?.outcome === 'deduplicated' }
  }

  async #create(
    name: string,
    fields: ScheduleFields,
    declared: ScheduleFields | null,
    ifMissing: boolean,
    { tenant = 'default', ...act }: ScheduleAttribution,
  ): Promise<boolean> {
    const next = nextSlot(parseExpression(fields.expression), zoneNamed(fields.timeZone), await this.now())
    const [row] = await this.database.query<{ id: number | null }>(
      'select holdfast.create_schedule($1, $2, $3::text::jsonb, $4, $5, $6, $7) as id',
      [
        checkName(tenant, '/tenant'),
        name,
        JSON.stringify({ ...columns(fields), declared }),
        next,
        ...attributionValues(act),
        ifMissing,
      ],
    )
    return row?.id != null
  }

  /** Retries while another caller changes the schedule between read and write. */
  async #change(
    name: string,
    options: ScheduleAttribution,
    decide: (row: ScheduleRow) => Change,
  ): Promise<void> {
    for (let n = 0; n < TRIES; n++) {
      const row = await this.row(name, options)
      const { fields, more } = decide(row)
      const changed = differing(row, fields)
      if (Object.keys({ ...changed, ...more }).length === 0) return
      const [answer] = await this.database.query<{ done: boolean }>(
        'select holdfast.change_schedule($1, $2, $3::text::jsonb, $4, $5, $6) as done',
        [
          row.id,
          row.revision,
          JSON.stringify({ ...columns(changed), ...more }),
          anew(row, changed),
          ...attributionValues(options),
        ],
      )
      if (answer?.done === true) return
    }
    throw holdfastError('conflict', { problem: `the schedule "${name}" kept changing` })
  }

  async #flag(text: string, name: string, options: ScheduleAttribution): Promise<boolean> {
    const { id } = await this.get(name, options)
    const [row] = await this.database.query<{ done: boolean }>(text, [id, ...attributionValues(options)])
    return row?.done === true
  }
}

function columns(fields: Partial<ScheduleFields>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )
}
