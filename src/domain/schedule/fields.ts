/**
 * Parses one field of a cron expression: lists of values, ranges and steps, names of months and weekdays; and, for days, the forms that
 * are not a set of numbers: L (the last), W (the nearest weekday), # (the nth weekday of the month).
 */
import { suggestion } from '../nearest.js'
import { badExpression } from './refusal.js'

export interface FieldKind {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
  /** Day of the month or day of the week, which also take letters. */
  readonly days?: 'month' | 'week'
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

export const FIELDS: readonly FieldKind[] = [
  { name: 'second', min: 0, max: 59 },
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31, days: 'month' },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of the week', min: 0, max: 7, names: WEEKDAYS, days: 'week' },
]

/** A day that is not given by its number. */
export type SpecialDay =
  | { readonly is: 'last'; readonly before: number }
  | { readonly is: 'last weekday' }
  | { readonly is: 'nearest weekday'; readonly day: number }
  | { readonly is: 'last of'; readonly weekday: number }
  | { readonly is: 'nth of'; readonly weekday: number; readonly nth: number }

export interface Field {
  readonly values: ReadonlySet<number>
  readonly special: readonly SpecialDay[]
  /** Allows every value, however it was written. */
  readonly every: boolean
  readonly at: number
}

export function parseField(text: string, kind: FieldKind, at: number): Field {
  const values = new Set<number>()
  const special: SpecialDay[] = []
  let read = 0
  for (const part of text.split(',')) {
    const where = at + read
    read += part.length + 1
    if (part === '') throw badExpression(where, `a value is missing in the ${kind.name}`)
    const day = specialDay(part.toUpperCase(), kind, where)
    if (day === undefined) for (const value of valuesOf(part, kind, where)) values.add(value)
    else special.push(day)
  }
  // 0 and 7 are both Sunday.
  if (kind.days === 'week' && values.delete(7)) values.add(0)
  const all = kind.days === 'week' ? 7 : kind.max - kind.min + 1
  return { values, special, every: values.size === all, at }
}

function valuesOf(part: string, kind: FieldKind, at: number): number[] {
  const [range = '', stepText, ...more] = part.split('/')
  if (more.length > 0)
    throw badExpression(at + range.length + 1 + (stepText ?? '').length, 'there is a second step')
  const step = stepText === undefined ? 1 : stepOf(stepText, kind, at + range.length + 1)
  const [from, to] = rangeOf(range, kind, at, stepText !== undefined)
  const values: number[] = []
  for (let value = from; value <= to; value += step) values.push(value)
  return values
}

function stepOf(text: string, kind: FieldKind, at: number): number {
  const step = /^\d{1,4}$/.test(text) ? Number(text) : 0
  const max = kind.max - kind.min + (kind.days === 'week' ? 0 : 1)
  if (step >= 1 && step <= max) return step
  throw badExpression(at, `the step of the ${kind.name} must be a whole number from 1 to ${max}`)
}

function rangeOf(text: string, kind: FieldKind, at: number, stepped: boolean): [number, number] {
  const last = kind.days === 'week' ? 6 : kind.max
  if (text === '*') return [kind.min, last]
  if (text === '?') {
    if (kind.days !== undefined) return [kind.min, last]
    throw badExpression(at, '"?" is for days only; write * here')
  }
  const dash = text.indexOf('-', 1)
  if (dash === -1) {
    const value = oneValue(text, kind, at)
    // 10/15 means 10-59/15, as in other cron parsers.
    return [value, stepped ? Math.max(last, value) : value]
  }
  const from = oneValue(text.slice(0, dash), kind, at)
  const to = oneValue(text.slice(dash + 1), kind, at + dash + 1)
  if (from <= to) return [from, to]
  throw badExpression(
    at,
    `the range ${text} of the ${kind.name} runs backwards; write two, as in ${from}-${last},${kind.min}-${to}`,
  )
}

function oneValue(text: string, kind: FieldKind, at: number): number {
  const named = kind.names?.indexOf(text.toUpperCase()) ?? -1
  if (named >= 0) return named + (kind.days === 'week' ? 0 : kind.min)
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (value >= kind.min && value <= kind.max) return value
  const names = kind.names === undefined ? '' : ` or ${kind.names[0]} to ${kind.names.at(-1)}`
  const guess = kind.names === undefined ? '' : suggestion(text, kind.names)
  const problem = text === '' ? 'a value is missing' : `"${text.slice(0, 20)}" is no ${kind.name}`
  throw badExpression(at, `${problem}; it must be ${kind.min} to ${kind.max}${names}.${guess}`)
}

/** Undefined: an ordinary value. */
function specialDay(part: string, kind: FieldKind, at: number): SpecialDay | undefined {
  if (kind.days === undefined) return undefined
  if (kind.days === 'month') return dayOfMonth(part, kind, at)
  const [, weekday = '', nth] = /^(\d|[A-Z]{3})(?:L|#(.*))$/.exec(part) ?? []
  if (weekday === '') {
    if (part === 'L') throw badExpression(at, 'L needs a weekday here: 5L is the last Friday of the month')
    return undefined
  }
  const day = oneValue(weekday, kind, at) % 7
  if (nth === undefined) return { is: 'last of', weekday: day }
  if (/^[1-5]$/.test(nth)) return { is: 'nth of', weekday: day, nth: Number(nth) }
  throw badExpression(
    at + weekday.length + 1,
    'after # there must be 1 to 5: 1#2 is the second Monday of the month',
  )
}

function dayOfMonth(part: string, kind: FieldKind, at: number): SpecialDay | undefined {
  if (part === 'LW') return { is: 'last weekday' }
  const [last, before = '0'] = /^L(?:-(\d{1,2}))?$/.exec(part) ?? []
  if (last !== undefined) {
    if (Number(before) <= 30) return { is: 'last', before: Number(before) }
    throw badExpression(at + 2, 'L-n counts back from the last day; n must be 0 to 30')
  }
  const [, day] = /^(\d{1,2})W$/.exec(part) ?? []
  return day === undefined ? undefined : { is: 'nearest weekday', day: oneValue(day, kind, at) }
}
