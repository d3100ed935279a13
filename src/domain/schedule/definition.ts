/** What a schedule is, as somebody says it, checked field by field. */
import { holdfastError } from '../errors.js'
import type { LimitName } from '../limits.js'
import { suggestion } from '../nearest.js'
import {
  checkDescription,
  checkJson,
  checkKey,
  checkName,
  checkPriority,
  checkTarget,
  checkWholeOf,
} from '../validate.js'
import { parseExpression } from './expression.js'
import { zoneNamed } from './zone.js'

/** Slots nobody was there to fire: none is made up for, the latest is, or all of them up to `catchUpMax`. */
export const CATCH_UPS = ['skip', 'latest', 'all'] as const
/** A firing while a job of an earlier one is alive: makes another, makes none, waits (one at a time), or cancels that one. */
export const OVERLAPS = ['allow', 'skip', 'queue_one', 'cancel_old'] as const
/** What came of a slot. */
export const FIRING_OUTCOMES = ['created', 'deduplicated', 'skipped', 'missed', 'manual', 'waiting'] as const

export interface ScheduleFields {
  readonly description: string | null
  /** The job that each firing makes. */
  readonly queue: string
  readonly kind: string
  readonly input: unknown
  /** What the job is about. A firing whose subject has a live job already makes none and counts as deduplicated. */
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
  /** With `catchUp: 'all'`: how many at most, the latest. */
  readonly catchUpMax: number
  readonly overlap: (typeof OVERLAPS)[number]
  /** Each slot fires up to this much later, the same for everybody who looks. */
  readonly jitterMs: number
}

export type FieldName = keyof ScheduleFields

/** What must be said of a new schedule, and what may be. */
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
  <T extends string>(words: readonly T[]) =>
  (value: unknown, path: string): T => {
    if (words.includes(value as T)) return value as T
    throw refuse(path, `must be one of ${words.join(', ')}`)
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

/** What was said, each field checked; an unknown one is refused. Fields given as undefined were not said. */
export function checkFields(said: object, path = ''): Partial<ScheduleFields> {
  const checked: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(said)) {
    const check = CHECKS[name as FieldName]
    if (check === undefined)
      throw refuse(`${path}/${name}`, `there is no such field.${suggestion(name, ['name', ...FIELD_NAMES])}`)
    if (value !== undefined) checked[name] = check(value, `${path}/${name}`)
  }
  return checked as Partial<ScheduleFields>
}

export function newSchedule(
  { name, ...said }: NewSchedule,
  path = '',
): { readonly name: string; readonly fields: ScheduleFields } {
  const checked = checkFields(said, path)
  const fields = { ...checkFields(DEFAULTS), ...checked }
  for (const needed of ['kind', 'expression'] as const)
    if (fields[needed] === undefined) throw refuse(`${path}/${needed}`, 'is needed')
  return { name: checkName(name, `${path}/name`), fields: fields as ScheduleFields }
}

export function checkPreviewCount(value: unknown): number {
  return checkWholeOf(value, '/count', 'previewMax')
}

function refuse(path: string, problem: string) {
  return holdfastError('invalid_input', { path, problem })
}
