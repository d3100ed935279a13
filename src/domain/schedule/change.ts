/** Computes how a schedule changes when an operator edits it, or when a program that declares it starts. Pure functions. */
import { FIELD_NAMES, type FieldName, type ScheduleFields } from './definition.js'
import { parseExpression } from './expression.js'
import { nextSlot } from './slots.js'
import { zoneNamed } from './zone.js'

export interface Known extends ScheduleFields {
  readonly declared: Partial<ScheduleFields> | null
  readonly overrides: readonly FieldName[]
  readonly now: Date
}

export interface Change {
  readonly fields: Partial<ScheduleFields>
  /** Besides the fields: the program's declaration, and which fields were overridden. */
  readonly more: {
    readonly declared?: ScheduleFields
    readonly overrides?: readonly FieldName[]
    readonly name?: string
  }
}

/** Applies the declaration of a program, except to overridden fields. All fields of a schedule that was created at run time are overridden. */
export function reconcile(known: Known, declared: ScheduleFields): Change {
  const touched = known.declared === null ? FIELD_NAMES : known.overrides
  const overrides = touched.filter((field) => !same(known[field], declared[field]))
  const fields = Object.fromEntries(
    FIELD_NAMES.filter((field) => !overrides.includes(field)).map((field) => [field, declared[field]]),
  )
  const news = !same(known.declared, declared) || !same(known.overrides, overrides)
  return { fields, more: news ? { declared, overrides } : {} }
}

/** The next slot, computed from now, if a change of expression, time zone or `enabled` requires it; null otherwise. */
export function anew(known: Known, changed: Partial<ScheduleFields>): Date | null {
  const { expression, timeZone, enabled } = changed
  if (expression === undefined && timeZone === undefined && enabled === undefined) return null
  return nextSlot(
    parseExpression(expression ?? known.expression),
    zoneNamed(timeZone ?? known.timeZone),
    known.now,
  )
}

export function differing(known: Known, fields: Partial<ScheduleFields>): Partial<ScheduleFields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => !same(known[name as FieldName], value)),
  )
}

/** The fields that differ from the program's declaration after this change. */
export function overridden(known: Known, changes: Partial<ScheduleFields>): FieldName[] {
  return FIELD_NAMES.filter((field) => {
    if (!(field in changes)) return known.overrides.includes(field)
    return !same(changes[field], known.declared?.[field])
  })
}

/** The database stores the fields of an object in its own order. */
function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  )
}
