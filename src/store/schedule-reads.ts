/** Looking at schedules: what they are, when they fire next, what came of their slots, and why nothing did. */
import { holdfastError } from '../domain/errors.js'
import { nearest } from '../domain/nearest.js'
import {
  checkPreviewCount,
  type FIRING_OUTCOMES,
  type FieldName,
  type ScheduleFields,
} from '../domain/schedule/definition.js'
import { explainSchedule, type ScheduleReason } from '../domain/schedule/explain.js'
import { parseExpression } from '../domain/schedule/expression.js'
import { nextSlot, nextSlots } from '../domain/schedule/slots.js'
import { zoneNamed } from '../domain/schedule/zone.js'
import type { Database } from './database.js'
import { fromRow } from './rows.js'

export interface Schedule extends ScheduleFields {
  /** What its jobs get: its own, its kind's, or 20. */
  readonly priority: number
  readonly id: number
  readonly tenant: string
  readonly name: string
  readonly pausedAt: Date | null
  readonly pausedBy: string | null
  readonly pauseNote: string | null
  readonly nextSlot: Date
  /** The next slot and its share of the jitter. Never null; in the past only while it is held or nobody fires it. */
  readonly nextRunAt: Date
  readonly lastRunAt: Date | null
  readonly waitingSlot: Date | null
  readonly revision: number
  /** What a program says of it, or null for one that was made at run time. */
  readonly declared: Partial<ScheduleFields> | null
  /** Fields that were changed at run time and so differ from what the program says. */
  readonly overrides: readonly FieldName[]
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly createdBy: string | null
  /** A maintenance window of the tenant that is open. */
  readonly windowSince: Date | null
  readonly windowUntil: Date | null
  readonly windowBy: string | null
  readonly windowNote: string | null
  /** A slot is due this long and nobody has fired it. */
  readonly lateMs: number
}

export interface Firing {
  readonly id: number
  readonly slot: Date
  /** Of a run of slots that were passed: its last, and how many they are (null: more than were counted). */
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

export interface Whose {
  readonly tenant?: string
}

const PAGE = 500
/** Of its latest firings so many are looked at for why nothing came of them. */
const EXPLAINED_FIRINGS = 50

interface Around {
  readonly everySec: number
  readonly lastRunAt: Date | null
  readonly node: string
  readonly error: string | null
  readonly queueId: number | null
  readonly pausedAt: Date | null
  readonly pausedBy: string | null
  readonly pauseReason: string | null
}

/** As it is defined, with the time at which it was read. */
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

  /** Refused, with the nearest name, when there is none. */
  async get(name: string, options: Whose = {}): Promise<Schedule> {
    return shown(await this.#read(name, options))
  }

  async find(name: string, { tenant = 'default' }: Whose = {}): Promise<Schedule | undefined> {
    const [row] = await this.#rows('where tenant = $1 and name = $2', [tenant, name])
    return row && shown(row)
  }

  async byId(id: number): Promise<Schedule | undefined> {
    const [row] = await this.#rows('where id = $1', [id])
    return row && shown(row)
  }

  /** By name; pass the last one to go on. */
  async list({
    tenant = 'default',
    after = '',
    limit = PAGE,
  }: Whose & { after?: string; limit?: number } = {}): Promise<Schedule[]> {
    const rows = await this.#rows('where tenant = $1 and name > $2 order by name limit $3', [
      tenant,
      after,
      limit,
    ])
    return rows.map(shown)
  }

  /** Every one of the tenant, by name. */
  async all(whose: Whose = {}): Promise<Schedule[]> {
    const found: Schedule[] = []
    for (;;) {
      const page = await this.list({ ...whose, after: found.at(-1)?.name ?? '', limit: PAGE })
      found.push(...page)
      if (page.length < PAGE) return found
    }
  }

  /** Those that make jobs in these queues, in the order they were made. */
  async inQueues(
    queues: readonly string[],
    { tenant = 'default', limit, offset }: Whose & { readonly limit: number; readonly offset: number },
  ): Promise<Schedule[]> {
    const rows = await this.#rows(
      'where tenant = $1 and queue = any ($2::text[]) order by id limit $3 offset $4',
      [tenant, [...queues], limit, offset],
    )
    return rows.map(shown)
  }

  /** The latest first; pass the id of the last one to go on. */
  async history(
    name: string,
    { before, limit = 50, ...whose }: Whose & { before?: number; limit?: number } = {},
  ): Promise<Firing[]> {
    const { id } = await this.get(name, whose)
    const rows = await this.database.query<Record<string, unknown>>(
      `select id, slot, last_slot, slots, fired_at, outcome, job_id, note, actor from holdfast.firings
       where schedule_id = $1 and id < $2 order by id desc limit $3`,
      [id, before ?? Number.MAX_SAFE_INTEGER, limit],
      { repeatable: true },
    )
    return rows.map((row) => fromRow<Firing>(row))
  }

  /** The next slots, without jitter, as if it were not held. */
  async preview(name: string, count = 10, options: Whose = {}): Promise<Date[]> {
    checkPreviewCount(count)
    const row = await this.row(name, options)
    const expression = parseExpression(row.expression)
    const zone = zoneNamed(row.timeZone)
    const first = row.nextSlot > row.now ? row.nextSlot : nextSlot(expression, zone, row.now, row.nextSlot)
    return [first, ...nextSlots(expression, zone, first, count - 1)]
  }

  /** The next slots of an expression, before there is a schedule. */
  async previewOf(expression: string, timeZone = 'UTC', count = 10): Promise<Date[]> {
    checkPreviewCount(count)
    return nextSlots(parseExpression(expression), zoneNamed(timeZone), await this.now(), count)
  }

  /** The maintenance window of a tenant. */
  async maintenance({ tenant = 'default' }: Whose = {}): Promise<Maintenance> {
    const [row] = await this.database.query<Record<string, unknown>>(
      'select true as open, since, until, paused_by, note from holdfast.schedule_windows where tenant = $1 and open',
      [tenant],
      { repeatable: true },
    )
    return row === undefined ? CLOSED : fromRow<Maintenance>(row)
  }

  /** Why it has not fired, or when it will. A slot is overdue that is two looks old. */
  async explain(name: string, whose: Whose = {}): Promise<ScheduleReason[]> {
    const schedule = await this.row(name, whose)
    const history = await this.history(name, { ...whose, limit: EXPLAINED_FIRINGS })
    const [around] = await this.database.query<Record<string, unknown>>(
      `select holdfast.setting_number('SCHEDULER_EVERY_SEC') as every_sec, c.last_run_at, c.node, c.error,
         q.id as queue_id, q.paused_at, q.paused_by, q.pause_reason
       from (select) x left join holdfast.chores c on c.name = 'schedules'
       left join holdfast.queues q on q.tenant = $1 and q.name = $2`,
      [schedule.tenant, schedule.queue],
      { repeatable: true },
    )
    const { everySec, lastRunAt, node, error, queueId, ...pause } = fromRow<Around>(around ?? {})
    return explainSchedule(schedule, {
      recent: history.filter(({ outcome }) => outcome !== 'manual'),
      lateAfterMs: 2_000 * everySec,
      look: lastRunAt === null ? undefined : { at: lastRunAt, node, error },
      queue: queueId === null ? undefined : pause,
    })
  }

  protected async row(name: string, whose: Whose): Promise<ScheduleRow> {
    const { ownPriority, ...row } = await this.#read(name, whose)
    return { ...row, priority: ownPriority }
  }

  async #read(name: string, { tenant = 'default' }: Whose): Promise<Read> {
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
    const [row] = await this.database.query<{ now: Date }>('select holdfast.asked_at() as now', [], {
      repeatable: true,
    })
    return row?.now as Date
  }
}

function shown({ ownPriority: _own, now: _now, ...schedule }: Read): Schedule {
  return schedule
}
