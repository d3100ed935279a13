/** Reads about schedules: their definition, next slots, firings, and why a schedule has not fired. */

import type { Database } from '../../database/database.js'
import { holdfastError } from '../../domain/errors/errors.js'
import { nearest } from '../../domain/nearest.js'
import {
  checkPreviewCount,
  type FIRING_OUTCOMES,
  type FieldName,
  type ScheduleFields,
} from '../../domain/schedule/definition.js'
import { explainSchedule, type ScheduleReason } from '../../domain/schedule/explain.js'
import { parseExpression } from '../../domain/schedule/expression.js'
import { nextSlot, nextSlots } from '../../domain/schedule/slots.js'
import { zoneNamed } from '../../domain/schedule/zone.js'
import { fromRow } from '../rows.js'

export interface Schedule extends ScheduleFields {
  /** The priority of its jobs: its own, its kind's, or 20. */
  readonly priority: number
  readonly id: number
  readonly tenant: string
  readonly name: string
  readonly pausedAt: Date | null
  readonly pausedBy: string | null
  readonly pauseNote: string | null
  readonly nextSlot: Date
  /** The next slot plus its share of the jitter. Never null; in the past only while the schedule is held or no process fires it. */
  readonly nextRunAt: Date
  readonly lastRunAt: Date | null
  readonly waitingSlot: Date | null
  readonly revision: number
  /** The definition in a program; null for a schedule created at run time. */
  readonly declared: Partial<ScheduleFields> | null
  /** Fields that were changed at run time and so differ from the program's definition. */
  readonly overrides: readonly FieldName[]
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly createdBy: string | null
  /** An open maintenance window of the tenant. */
  readonly windowSince: Date | null
  readonly windowUntil: Date | null
  readonly windowBy: string | null
  readonly windowNote: string | null
  /** How long a slot has been due without being fired. */
  readonly lateMs: number
}

export interface Firing {
  readonly id: number
  readonly slot: Date
  /** For a range of skipped slots: the last of them, and how many there are (null: more than were counted). */
  readonly lastSlot: Date
  readonly slots: number | null
  readonly firedAt: Date
  readonly outcome: (typeof FIRING_OUTCOMES)[number]
  readonly jobId: number | null
  readonly note: string | null
  readonly actor: string | null
}

export interface Maintenance {
  readonly open: boolean
  readonly since: Date | null
  readonly until: Date | null
  readonly pausedBy: string | null
  readonly note: string | null
}

const CLOSED: Maintenance = { open: false, since: null, until: null, pausedBy: null, note: null }

export interface ScheduleOwner {
  readonly tenant?: string
}

const PAGE = 500
/** How many of the latest firings are examined for why they created no job. */
const EXPLAINED_FIRINGS = 50

interface ScheduleSurroundings {
  readonly everySec: number
  readonly lastRunAt: Date | null
  readonly node: string
  readonly error: string | null
  readonly queueId: number | null
  readonly pausedAt: Date | null
  readonly pausedBy: string | null
  readonly pauseReason: string | null
}

/** A schedule as it is stored, with the time it was read. */
export type ScheduleRow = Omit<Schedule, 'priority'> & {
  readonly priority: number | null
  readonly now: Date
}

type Read = Schedule & { readonly ownPriority: number | null; readonly now: Date }

export class ScheduleReads {
  protected readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  /** Refused, with the nearest name, when the schedule does not exist. */
  async get(name: string, options: ScheduleOwner = {}): Promise<Schedule> {
    return withoutInternals(await this.#read(name, options))
  }

  async find(name: string, { tenant = 'default' }: ScheduleOwner = {}): Promise<Schedule | undefined> {
    const [row] = await this.#rows('where tenant = $1 and name = $2', [tenant, name])
    return row && withoutInternals(row)
  }

  async byId(id: number): Promise<Schedule | undefined> {
    const [row] = await this.#rows('where id = $1', [id])
    return row && withoutInternals(row)
  }

  /** Ordered by name; `after` continues after a name. */
  async list({
    tenant = 'default',
    after = '',
    limit = PAGE,
  }: ScheduleOwner & { after?: string; limit?: number } = {}): Promise<Schedule[]> {
    const rows = await this.#rows('where tenant = $1 and name > $2 order by name limit $3', [
      tenant,
      after,
      limit,
    ])
    return rows.map(withoutInternals)
  }

  /** Every schedule of the tenant, by name. */
  async all(owner: ScheduleOwner = {}): Promise<Schedule[]> {
    const found: Schedule[] = []
    for (;;) {
      const page = await this.list({ ...owner, after: found.at(-1)?.name ?? '', limit: PAGE })
      found.push(...page)
      if (page.length < PAGE) return found
    }
  }

  /** Schedules that enqueue into these queues, in the order they were created. */
  async inQueues(
    queues: readonly string[],
    {
      tenant = 'default',
      limit,
      offset,
    }: ScheduleOwner & { readonly limit: number; readonly offset: number },
  ): Promise<Schedule[]> {
    const rows = await this.#rows(
      'where tenant = $1 and queue = any ($2::text[]) order by id limit $3 offset $4',
      [tenant, [...queues], limit, offset],
    )
    return rows.map(withoutInternals)
  }

  /** Newest first; `before` continues before an id. */
  async history(
    name: string,
    { before, limit = 50, ...owner }: ScheduleOwner & { before?: number; limit?: number } = {},
  ): Promise<Firing[]> {
    const { id } = await this.get(name, owner)
    const rows = await this.database.query<Record<string, unknown>>(
      `select id, slot, last_slot, slots, fired_at, outcome, job_id, note, actor from holdfast.firings
       where schedule_id = $1 and id < $2 order by id desc limit $3`,
      [id, before ?? Number.MAX_SAFE_INTEGER, limit],
      { repeatable: true },
    )
    return rows.map((row) => fromRow<Firing>(row))
  }

  /** The next slots, without jitter, as if the schedule were not held. */
  async preview(name: string, count = 10, options: ScheduleOwner = {}): Promise<Date[]> {
    checkPreviewCount(count)
    const row = await this.row(name, options)
    const expression = parseExpression(row.expression)
    const zone = zoneNamed(row.timeZone)
    const first = row.nextSlot > row.now ? row.nextSlot : nextSlot(expression, zone, row.now, row.nextSlot)
    return [first, ...nextSlots(expression, zone, first, count - 1)]
  }

  /** The next slots of an expression, before a schedule exists. */
  async previewOf(expression: string, timeZone = 'UTC', count = 10): Promise<Date[]> {
    checkPreviewCount(count)
    return nextSlots(parseExpression(expression), zoneNamed(timeZone), await this.now(), count)
  }

  /** The maintenance window of a tenant. */
  async maintenance({ tenant = 'default' }: ScheduleOwner = {}): Promise<Maintenance> {
    const [row] = await this.database.query<Record<string, unknown>>(
      'select true as open, since, until, paused_by, note from holdfast.schedule_windows where tenant = $1 and open limit 1',
      [tenant],
      { repeatable: true },
    )
    return row === undefined ? CLOSED : fromRow<Maintenance>(row)
  }

  /** Why it has not fired, or when it will. A slot is overdue after two scheduler intervals. */
  async explain(name: string, owner: ScheduleOwner = {}): Promise<ScheduleReason[]> {
    const schedule = await this.row(name, owner)
    const history = await this.history(name, { ...owner, limit: EXPLAINED_FIRINGS })
    const [around] = await this.database.query<Record<string, unknown>>(
      `select holdfast.setting_number('SCHEDULER_EVERY_SEC') as every_sec, c.last_run_at, c.node, c.error,
         q.id as queue_id, q.paused_at, q.paused_by, q.pause_reason
       from (select) x left join holdfast.chores c on c.name = 'schedules'
       left join holdfast.queues q on q.tenant = $1 and q.name = $2 limit 1`,
      [schedule.tenant, schedule.queue],
      { repeatable: true },
    )
    const { everySec, lastRunAt, node, error, queueId, ...pause } = fromRow<ScheduleSurroundings>(
      around ?? {},
    )
    return explainSchedule(schedule, {
      recent: history.filter(({ outcome }) => outcome !== 'manual'),
      lateAfterMs: 2_000 * everySec,
      look: lastRunAt === null ? undefined : { at: lastRunAt, node, error },
      queue: queueId === null ? undefined : pause,
    })
  }

  protected async row(name: string, owner: ScheduleOwner): Promise<ScheduleRow> {
    const { ownPriority, ...row } = await this.#read(name, owner)
    return { ...row, priority: ownPriority }
  }

  async #read(name: string, { tenant = 'default' }: ScheduleOwner): Promise<Read> {
    const [row] = await this.#rows('where tenant = $1 and name = $2', [tenant, name])
    if (row !== undefined) return row
    const names = (await this.list({ tenant })).map((each) => each.name)
    throw holdfastError('unknown_schedule', { schedule: name, nearest: nearest(name, names) })
  }

  async #rows(where: string, values: unknown[]): Promise<Read[]> {
    const rows = await this.database.query<Record<string, unknown>>(
      `select * from holdfast.schedules ${where}`,
      values,
      { repeatable: true },
    )
    return rows.map((row) => fromRow<Read>(row))
  }

  protected async now(): Promise<Date> {
    const [row] = await this.database.query<{ now: Date }>('select holdfast.view_now() as now', [], {
      repeatable: true,
    })
    return row?.now as Date
  }
}

function withoutInternals({ ownPriority: _ownPriority, now: _now, ...schedule }: Read): Schedule {
  return schedule
}
