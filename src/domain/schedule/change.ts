/** What becomes of a schedule when somebody changes it, or a program that defines it starts: pure, from what was read. */
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
  /** Beside the fields: what the program says, and what of it was overridden. */
  readonly more: {
    readonly declared?: ScheduleFields
    readonly overrides?: readonly FieldName[]
    readonly name?: string
  }
}

/** What a program says is done, except where people have changed it since; what was made at run time stays where it differs. */
export function reconcile(known: Known, declared: ScheduleFields): Change {
  const touched = known.declared === null ? FIELD_NAMES : known.overrides
  const overrides = touched.filter((field) => !same(known[field], declared[field]))
  const fields = Object.fromEntries(
    FIELD_NAMES.filter((field) => !overrides.includes(field)).map((field) => [field, declared[field]]),
  )
  const news = !same(known.declared, declared) || !same(known.overrides, overrides)
  return { fields, more: news ? { declared, overrides } : {} }
}

/** Its next slot, counted from now: when it fires at other times than before, or has not fired for a while. */
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

/** What differs from the program's word after this change. */
export function overridden(known: Known, changes: Partial<ScheduleFields>): FieldName[] {
  return FIELD_NAMES.filter((field) => {
    if (!(field in changes)) return known.overrides.includes(field)
    return !same(changes[field], known.declared?.[field])
  })
}

/** The database keeps the fields of an object in an order of its own. */
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
