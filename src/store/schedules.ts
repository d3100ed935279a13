/**
 * Schedules: what fires by itself. They are defined here and fired by scheduler.ts. The slots come from src/domain/schedule; the database
 * knows the next one. A change is computed from what was read, and taken only if nobody has changed the schedule since.
 */
import { type HoldfastError, holdfastError } from '../domain/errors.js'
import { anew, type Change, differing, overridden, reconcile } from '../domain/schedule/change.js'
import {
  checkFields,
  type NewSchedule,
  newSchedule,
  type ScheduleFields,
} from '../domain/schedule/definition.js'
import { parseExpression } from '../domain/schedule/expression.js'
import { nextSlot } from '../domain/schedule/slots.js'
import { zoneNamed } from '../domain/schedule/zone.js'
import { checkName } from '../domain/validate.js'
import type { Database } from './database.js'
import { type Act, actValues } from './operate.js'
import { type Schedule, ScheduleReads, type ScheduleRow, type Whose } from './schedule-reads.js'
import type { Scheduler } from './scheduler.js'
import type { Waker } from './waker.js'

export interface Ran {
  readonly jobId: number
  /** True: its subject had a live job already, and this is its id. */
  readonly deduplicated: boolean
}

export type ScheduleAct = Act & Whose

/** Somebody who loses so often meets others who change the same schedule without end. */
const TRIES = 10

export class Schedules extends ScheduleReads {
  readonly #waker: Waker
  readonly #scheduler: Scheduler

  constructor(database: Database, waker: Waker, scheduler: Scheduler) {
    super(database)
    this.#waker = waker
    this.#scheduler = scheduler
  }

  async create(schedule: NewSchedule, options: ScheduleAct = {}): Promise<Schedule> {
    const { name, fields } = newSchedule(schedule)
    await this.#create(name, fields, null, false, options)
    return this.get(name, options)
  }

  /** Changes what is named; its next slot is counted anew from now when it fires at other times or is enabled again. */
  async update(
    name: string,
    changes: Partial<ScheduleFields> & { readonly name?: string },
    options: ScheduleAct = {},
  ): Promise<Schedule> {
    const { name: newName, ...said } = changes
    const checked = checkFields(said)
    const renamed: Change['more'] =
      newName === undefined || newName === name ? {} : { name: checkName(newName) }
    await this.#change(name, options, (row) => {
      if (row.declared === null) return { fields: checked, more: renamed }
      // It would be there twice from the next start of the program on.
      if (renamed.name !== undefined) throw holdfastError('schedule_declared', { schedule: name })
      return { fields: checked, more: { overrides: overridden(row, checked) } }
    })
    return this.get(newName ?? name, options)
  }

  /** Gives up what was changed at run time: it is again what its program says. */
  async reset(name: string, options: ScheduleAct = {}): Promise<Schedule> {
    await this.#change(name, options, ({ declared }) => {
      if (declared === null) throw holdfastError('schedule_not_declared', { schedule: name })
      return { fields: declared, more: { overrides: [] } }
    })
    return this.get(name, options)
  }

  /**
   * As a program says it when it starts: made if it is missing, changed where the program has changed, left alone where people have. One
   * that was made at run time is taken over, and where it differs it stays different.
   */
  async declare(schedule: NewSchedule, options: ScheduleAct = {}): Promise<void> {
    const { name, fields } = newSchedule(schedule)
    const declared = JSON.parse(JSON.stringify(fields)) as ScheduleFields
    const known = await this.find(name, options)
    if (known === undefined && (await this.#create(name, fields, declared, true, options))) return
    await this.#change(name, options, (row) => reconcile(row, declared))
  }

  async delete(name: string, options: ScheduleAct = {}): Promise<void> {
    const { id } = await this.get(name, options)
    await this.database.query('select holdfast.delete_schedule($1, $2, $3)', [id, ...actValues(options)])
  }

  enable(name: string, options: ScheduleAct = {}): Promise<Schedule> {
    return this.update(name, { enabled: true }, options)
  }

  disable(name: string, options: ScheduleAct = {}): Promise<Schedule> {
    return this.update(name, { enabled: false }, options)
  }

  /** `reason` is the note that people see. False: it was paused already. */
  async pause(name: string, options: ScheduleAct = {}): Promise<boolean> {
    return this.#flag('select holdfast.pause_schedule($1, $2, $3) as done', name, options)
  }

  /** From its next slot on; those that passed meanwhile are skipped. False: it was not paused. */
  async resume(name: string, options: ScheduleAct = {}): Promise<boolean> {
    const resumed = await this.#flag('select holdfast.resume_schedule($1, $2, $3) as done', name, options)
    if (resumed) await this.#settle(name, options)
    return resumed
  }

  /** So that it shows its next slot at once, not with the next look for what is due; who may not fire leaves it to others. */
  async #settle(name: string, options: Whose): Promise<void> {
    const { id } = await this.get(name, options)
    await this.#scheduler.fireDue({ schedule: id }).catch((error: HoldfastError) => {
      if (error.code !== 'forbidden') throw error
    })
  }

  /** A maintenance window: nothing of the tenant fires until `resumeAll`, or until `until`. */
  async pauseAll({ tenant = 'default', until, ...act }: ScheduleAct & { until?: Date } = {}): Promise<void> {
    await this.database.query('select holdfast.pause_schedules($1, $2, $3, $4)', [
      checkName(tenant, '/tenant'),
      until ?? null,
      ...actValues(act),
    ])
  }

  /** False: there was no window. */
  async resumeAll({ tenant = 'default', ...act }: ScheduleAct = {}): Promise<boolean> {
    const [row] = await this.database.query<{ done: boolean }>(
      'select holdfast.resume_schedules($1, $2, $3) as done',
      [checkName(tenant, '/tenant'), ...actValues(act)],
    )
    return row?.done === true
  }

  /** Makes its job now; the schedule stays where it is. */
  async run(name: string, options: ScheduleAct = {}): Promise<Ran> {
    const { id, tenant, queue } = await this.get(name, options)
    const [row] = await this.database.query<{ outcome: string; job_id: number }>(
      'select outcome, job_id from holdfast.run_schedule($1, $2, $3)',
      [id, ...actValues(options)],
    )
    this.#waker.wake(tenant, [queue])
    return { jobId: row?.job_id as number, deduplicated: row?.outcome === 'deduplicated' }
  }

  async #create(
    name: string,
    fields: ScheduleFields,
    declared: ScheduleFields | null,
    ifMissing: boolean,
    { tenant = 'default', ...act }: ScheduleAct,
  ): Promise<boolean> {
    const next = nextSlot(parseExpression(fields.expression), zoneNamed(fields.timeZone), await this.now())
    const [row] = await this.database.query<{ id: number | null }>(
      'select holdfast.create_schedule($1, $2, $3::text::jsonb, $4, $5, $6, $7) as id',
      [
        checkName(tenant, '/tenant'),
        name,
        JSON.stringify({ ...columns(fields), declared }),
        next,
        ...actValues(act),
        ifMissing,
      ],
    )
    return row?.id != null
  }

  /** Again while somebody else comes between the look and the change. */
  async #change(name: string, options: ScheduleAct, decide: (row: ScheduleRow) => Change): Promise<void> {
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
          ...actValues(options),
        ],
      )
      if (answer?.done === true) return
    }
    throw holdfastError('conflict', { problem: `the schedule "${name}" kept changing` })
  }

  async #flag(text: string, name: string, options: ScheduleAct): Promise<boolean> {
    const { id } = await this.get(name, options)
    const [row] = await this.database.query<{ done: boolean }>(text, [id, ...actValues(options)])
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
