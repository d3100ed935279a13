/** The fields of a schedule, and their validation. */

import { holdfastError } from '../errors/errors.js'
import type { LimitName } from '../limits.js'
import { unknownField } from '../nearest.js'
import {
  checkDescription,
  checkJson,
  checkKey,
  checkName,
  checkPriority,
  checkScheduleName,
  checkTarget,
  checkWholeOf,
} from '../validate.js'
import { parseExpression } from './expression.js'
import { zoneNamed } from './zone.js'

/** Slots missed while no process ran: skip all, fire the latest, or fire all up to `catchUpMax`. */
export const CATCH_UPS = ['skip', 'latest', 'all'] as const
/** What a firing does while a job of an earlier one is live: creates another, creates none, waits (one at a time), or cancels the live one. */
export const OVERLAPS = ['allow', 'skip', 'queue_one', 'cancel_old'] as const
/** The outcome of a slot. */
export const FIRING_OUTCOMES = ['created', 'deduplicated', 'skipped', 'missed', 'manual', 'waiting'] as const

export interface ScheduleFields {
  readonly description: string | null
  /** The job that each firing creates. */
  readonly queue: string
  readonly kind: string
  readonly input: unknown
  /** What the job is about. A firing whose subject already has a live job creates none and is recorded as deduplicated. */
  readonly subject: string | null
  /** Null: as its kind declares, else 20. */
  readonly priority: number | null
  /** One live job per key and queue; null: its subject, else as its kind declares. */
  readonly key: string | null
  /** Null: as its kind declares. */
  readonly target: string | null
  readonly expression: string
  /** A name of the IANA database. */
  readonly timeZone: string
  readonly enabled: boolean
  readonly catchUp: (typeof CATCH_UPS)[number]
  /** With `catchUp: 'all'`: how many of the latest missed slots fire at most. */
  readonly catchUpMax: number
  readonly overlap: (typeof OVERLAPS)[number]
  /** Each slot fires up to this much later; the delay of a slot is the same in every process. */
  readonly jitterMs: number
}

export type FieldName = keyof ScheduleFields

/** The required and optional fields of a new schedule. */
export type NewSchedule = Pick<ScheduleFields, 'kind' | 'expression'> &
  Partial<ScheduleFields> & { readonly name: string }

const DEFAULTS = {
  description: null,
  queue: 'default',
  input: null,
  subject: null,
  priority: null,
  key: null,
  target: null,
  timeZone: 'UTC',
  enabled: true,
  catchUp: 'latest',
  catchUpMax: 10,
  overlap: 'allow',
  jitterMs: 0,
} as const

const orNull =
  <T>(check: (value: unknown, path: string) => T) =>
  (value: unknown, path: string): T | null =>
    value === null ? null : check(value, path)
const oneOf =
  <T extends string>(choices: readonly T[]) =>
  (value: unknown, path: string): T => {
    if (choices.includes(value as T)) return value as T
    throw refuse(path, `must be one of ${choices.join(', ')}`)
  }
const whole = (limit: LimitName) => (value: unknown, path: string) => checkWholeOf(value, path, limit)

const CHECKS: { readonly [Name in FieldName]: (value: unknown, path: string) => unknown } = {
  description: orNull(checkDescription),
  queue: checkName,
  kind: checkName,
  input: (value, path) => JSON.parse(checkJson(value ?? null, { path })),
  subject: orNull(checkKey),
  priority: orNull(checkPriority),
  key: orNull(checkKey),
  target: orNull(checkTarget),
  expression: (value) => {
    parseExpression(value)
    return (value as string).trim()
  },
  timeZone: (value) => zoneNamed(value).name,
  enabled: (value, path) => {
    if (typeof value === 'boolean') return value
    throw refuse(path, 'must be true or false')
  },
  catchUp: oneOf(CATCH_UPS),
  catchUpMax: whole('catchUpMax'),
  overlap: oneOf(OVERLAPS),
  jitterMs: whole('scheduleJitterMs'),
}

export const FIELD_NAMES = Object.keys(CHECKS) as FieldName[]

/** Validates each field and refuses unknown ones. Undefined fields are skipped. */
export function checkFields(fields: object, path = ''): Partial<ScheduleFields> {
  const checked: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    const check = CHECKS[name as FieldName]
    if (check === undefined) throw refuse(`${path}/${name}`, unknownField(name, ['name', ...FIELD_NAMES]))
    if (value !== undefined) checked[name] = check(value, `${path}/${name}`)
  }
  return checked as Partial<ScheduleFields>
}

export function newSchedule(
  { name, ...given }: NewSchedule,
  path = '',
): { readonly name: string; readonly fields: ScheduleFields } {
  const checked = checkFields(given, path)
  const fields = { ...checkFields(DEFAULTS), ...checked }
  for (const needed of ['kind', 'expression'] as const)
    if (fields[needed] === undefined) throw refuse(`${path}/${needed}`, 'is needed')
  return { name: checkScheduleName(name, `${path}/name`), fields: fields as ScheduleFields }
}

export function checkPreviewCount(value: unknown): number {
  return checkWholeOf(value, '/count', 'previewMax')
}

function refuse(path: string, problem: string) {
  return holdfastError('invalid_input', { path, problem })
}
