/**
 * Finds the local times that an expression names, without a zone. A local time is a number: its milliseconds as if it were in UTC. If both
 * the day of the month and the day of the week are restricted, a match of one is enough, as in cron. A field that allows every value
 * restricts nothing, however it was written.
 */
import type { Field, SpecialDay } from './fields.js'

export interface CalendarFields {
  readonly second: Field
  readonly minute: Field
  readonly hour: Field
  readonly dayOfMonth: Field
  readonly month: Field
  readonly dayOfWeek: Field
}

const DAY_MS = 86_400_000
/** The calendar repeats after 400 years; the next fifth Monday in a February is at most 40 years away. */
const YEARS_AHEAD = 41

/** The first match at or after `from`; undefined if there is none within that many years. */
export function nextTime(fields: CalendarFields, from: number): number | undefined {
  const start = new Date(Math.ceil(from / 1000) * 1000)
  const today = Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate())
  if (dayMatches(fields, start)) {
    const time = nextTimeOfDay(fields, start)
    if (time !== undefined) return today + time
  }
  const day = nextDay(fields, today + DAY_MS)
  const time = nextTimeOfDay(fields, MIDNIGHT)
  return day === undefined || time === undefined ? undefined : day + time
}

export function neverHappens(fields: CalendarFields): boolean {
  return nextDay(fields, Date.UTC(2000, 0, 1)) === undefined
}

const MIDNIGHT = new Date(0)

/** Milliseconds since midnight. */
function nextTimeOfDay({ hour, minute, second }: CalendarFields, from: Date): number | undefined {
  const at = { hour: from.getUTCHours(), minute: from.getUTCMinutes(), second: from.getUTCSeconds() }
  for (let h = at.hour; h < 24; h++) {
    if (!hour.values.has(h)) continue
    for (let m = h === at.hour ? at.minute : 0; m < 60; m++) {
      if (!minute.values.has(m)) continue
      const first = h === at.hour && m === at.minute ? at.second : 0
      for (let s = first; s < 60; s++) if (second.values.has(s)) return ((h * 60 + m) * 60 + s) * 1000
    }
  }
  return undefined
}

function nextDay(fields: CalendarFields, from: number): number | undefined {
  const first = new Date(from)
  const last = Date.UTC(first.getUTCFullYear() + YEARS_AHEAD, 0, 1)
  for (let day = from; day < last; ) {
    const date = new Date(day)
    if (!fields.month.values.has(date.getUTCMonth() + 1)) {
      day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
      continue
    }
    if (dayMatches(fields, date)) return day
    day += DAY_MS
  }
  return undefined
}

function dayMatches({ month, dayOfMonth, dayOfWeek }: CalendarFields, date: Date): boolean {
  if (!month.values.has(date.getUTCMonth() + 1)) return false
  if (dayOfMonth.every) return dayOfWeek.every || ofWeek(dayOfWeek, date)
  if (dayOfWeek.every) return ofMonth(dayOfMonth, date)
  return ofMonth(dayOfMonth, date) || ofWeek(dayOfWeek, date)
}

function ofMonth({ values, special }: Field, date: Date): boolean {
  return values.has(date.getUTCDate()) || special.some((day) => isSpecial(day, date))
}

function ofWeek({ values, special }: Field, date: Date): boolean {
  return values.has(date.getUTCDay()) || special.some((day) => isSpecial(day, date))
}

function isSpecial(special: SpecialDay, date: Date): boolean {
  const day = date.getUTCDate()
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  switch (special.is) {
    case 'last':
      return day === last - special.before
    case 'last weekday':
      return day === nearestWeekday(date, last, last)
    case 'nearest weekday':
      return special.day <= last && day === nearestWeekday(date, special.day, last)
    case 'last of':
      return date.getUTCDay() === special.weekday && day + 7 > last
    case 'nth of':
      return date.getUTCDay() === special.weekday && Math.ceil(day / 7) === special.nth
  }
}

/** The nearest day from Monday to Friday in the same month. */
function nearestWeekday(date: Date, day: number, last: number): number {
  const weekday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day)).getUTCDay()
  if (weekday === 6) return day === 1 ? 3 : day - 1
  if (weekday === 0) return day === last ? day - 2 : day + 1
  return day
}
