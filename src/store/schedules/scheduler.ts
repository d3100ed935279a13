/**
 * Fires due schedules. Any number of processes may do so at once: each step names the slot it begins at, and the database accepts it from
 * one of them only. A call whose reply was lost is sent again and finds its own work done.
 */

import type { Database } from '../../database/database.js'
import { HoldfastError } from '../../domain/errors/errors.js'
import { planDue, type Step } from '../../domain/schedule/catch-up.js'
import type { ScheduleFields } from '../../domain/schedule/definition.js'
import { parseExpression } from '../../domain/schedule/expression.js'
import { zoneNamed } from '../../domain/schedule/zone.js'
import type { Notifier } from '../notify/notifier.js'
import { fromRow } from '../rows.js'

export interface FireOptions {
  readonly limit?: number
  /** Only this schedule. */
  readonly schedule?: number
  /** A slot older than this counts as missed; the schedule's catch-up policy decides what happens to it. */
  readonly lateAfterMs?: number
}

export interface Fired {
  /** Slots fired by this call, whether or not they created a job. */
  readonly fired: number
  /** More slots are due now. */
  readonly more: boolean
  /** Errors of single schedules; the others were fired all the same. */
  readonly failures: readonly { readonly tenant: string; readonly name: string; readonly error: unknown }[]
}

interface DueRow
  extends Pick<ScheduleFields, 'expression' | 'timeZone' | 'catchUp' | 'catchUpMax' | 'queue' | 'jitterMs'> {
  readonly id: number
  readonly revision: number
  readonly tenant: string
  readonly name: string
  readonly nextSlot: Date
  readonly quietUntil: Date | null
  readonly waiting: boolean
  readonly now: Date
}

/** The size of one pass; after a full pass another follows. */
const PASS = 100
/** Twice the usual minute between two passes. */
const LATE_AFTER_MS = 120_000

/** The reason recorded for skipped slots that were due. */
const HELD = 'it was paused, or a maintenance window was open'

const DONE = new Set(['created', 'deduplicated', 'skipped', 'waiting', 'missed', 'already'])
/** Errors of the database or the caller's rights, not of one schedule. */
const NOT_OF_THE_SCHEDULE = new Set(['unavailable', 'deadline_exceeded', 'forbidden', 'tenant_denied'])

export class Scheduler {
  readonly #database: Database
  readonly #notifier: Notifier

  constructor(database: Database, notifier: Notifier) {
    this.#database = database
    this.#notifier = notifier
  }

  async fireDue({ limit = PASS, schedule, lateAfterMs = LATE_AFTER_MS }: FireOptions = {}): Promise<Fired> {
    const rows = await this.#database.query<Record<string, unknown>>(
      `select id, revision, tenant, name, queue, expression, time_zone, catch_up, catch_up_max, jitter_ms, next_slot, quiet_until, waiting, now
       from holdfast.due_schedules($1, $2)`,
      [limit, schedule ?? null],
      { repeatable: true },
    )
    const failures: Fired['failures'][number][] = []
    let fired = 0
    let more = false
    for (const due of rows.map((row) => fromRow<DueRow>(row))) {
      try {
        const count = due.waiting ? await this.#fireWaiting(due) : await this.#fireOne(due, lateAfterMs)
        fired += count.fired
        more ||= count.more
      } catch (error) {
        if (error instanceof HoldfastError && NOT_OF_THE_SCHEDULE.has(error.code)) throw error
        failures.push({ tenant: due.tenant, name: due.name, error })
      }
    }
    // A full pass that fired nothing would be the same if repeated at once.
    return { fired, more: more || (rows.length >= limit && fired > 0), failures }
  }

  /** In how many milliseconds the next slot is due; undefined when none is ahead. */
  async next(): Promise<{ readonly inMs: number | undefined; readonly waiting: boolean }> {
    const [row] = await this.#database.query<{ in_ms: number | null; waiting: boolean }>(
      'select in_ms, waiting from holdfast.next_firing()',
      [],
      { repeatable: true },
    )
    return { inMs: row?.in_ms ?? undefined, waiting: row?.waiting === true }
  }

  async #fireOne(due: DueRow, lateAfterMs: number): Promise<{ fired: number; more: boolean }> {
    const steps = planDue({
      ...due,
      expression: parseExpression(due.expression),
      zone: zoneNamed(due.timeZone),
      lateAfterMs: lateAfterMs + due.jitterMs,
    })
    let fired = 0
    for (const step of steps) {
      const outcome = await this.#take(due, step)
      // Another process fired it, or it was held meanwhile: this plan no longer applies.
      if (!DONE.has(outcome)) return { fired, more: false }
      // A waiting job may have let another go first.
      if (outcome === 'created' || outcome === 'waiting') this.#notifier.wake(due.tenant, [due.queue])
      if (step.do === 'fire') fired++
    }
    const next = steps.at(-1)?.next
    return { fired, more: next !== undefined && next <= due.now }
  }

  async #take({ id, revision }: DueRow, step: Step): Promise<string> {
    const { slot, next } = step
    const [row] =
      step.do === 'fire'
        ? await this.#database.query<{ outcome: string }>(
            'select outcome from holdfast.fire_schedule($1, $2, $3, $4)',
            [id, revision, slot, next],
            { repeatable: true },
          )
        : await this.#database.query<{ outcome: string }>(
            'select holdfast.skip_slots($1, $2, $3, $4, $5, $6, $7, $8) as outcome',
            [
              id,
              revision,
              slot,
              step.last,
              step.slots,
              next,
              step.outcome,
              step.outcome === 'skipped' ? HELD : null,
            ],
            { repeatable: true },
          )
    return row?.outcome as string
  }

  async #fireWaiting({ id, tenant, queue }: DueRow): Promise<{ fired: number; more: boolean }> {
    const [row] = await this.#database.query<{ outcome: string }>(
      'select outcome from holdfast.fire_waiting($1)',
      [id],
      { repeatable: true },
    )
    if (row?.outcome === 'created') this.#notifier.wake(tenant, [queue])
    return { fired: DONE.has(row?.outcome ?? '') ? 1 : 0, more: false }
  }
}
