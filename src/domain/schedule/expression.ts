/**
 * Parses the expression of a schedule: a name (`@daily`), an interval (`@every 90m`), or cron with five fields, or six with seconds in
 * front. slots.ts computes its slots in a time zone. docs/schedules.md explains the rules.
 */
import { suggestion } from '../nearest.js'
import { type CalendarFields, neverHappens } from './calendar.js'
import { parseDuration } from './duration.js'
import { FIELDS, parseField } from './fields.js'
import { badExpression } from './refusal.js'

export interface Every {
  readonly kind: 'every'
  readonly everyMs: number
}

export interface Cron extends CalendarFields {
  readonly kind: 'cron'
}

export type Expression = Every | Cron

const NAMED: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@hourly': '0 * * * *',
}

/** Longer expressions are mistakes. */
export const EXPRESSION_CHARS_MAX = 256

export function parseExpression(text: unknown): Expression {
  if (typeof text !== 'string' || text.trim() === '')
    throw badExpression(1, 'there is nothing; write cron like "0 9 * * MON-FRI", @daily, or @every 1h')
  if (text.length > EXPRESSION_CHARS_MAX)
    throw badExpression(
      EXPRESSION_CHARS_MAX + 1,
      `an expression has at most ${EXPRESSION_CHARS_MAX} characters`,
    )
  const start = text.length - text.trimStart().length
  return text[start] === '@' ? parseNamed(text, start) : parseCron(text)
}

function parseNamed(text: string, start: number): Expression {
  const [, name = '', rest = ''] = /^(\S+)(.*)$/su.exec(text.slice(start)) ?? []
  const keyword = name.toLowerCase()
  const argument = rest.trim()
  const argumentAt = start + name.length + (rest.length - rest.trimStart().length) + 1
  if (keyword === '@every') return { kind: 'every', everyMs: parseDuration(argument, argumentAt) }
  const cron = NAMED[keyword]
  const names = [...Object.keys(NAMED), '@every']
  if (cron === undefined)
    throw badExpression(
      start + 1,
      `there is no "${name.slice(0, 20)}"; there are ${names.join(', ')}.${suggestion(name, names)}`,
    )
  if (argument !== '') throw badExpression(argumentAt, `nothing may follow ${keyword}`)
  return parseCron(cron)
}

function parseCron(text: string): Cron {
  const zone = /\b(?:CRON_)?TZ=/.exec(text)
  if (zone !== null) throw badExpression(zone.index + 1, 'the time zone of a schedule is a field of its own')
  const parts = [...text.matchAll(/\S+/g)].map((match) => ({ text: match[0], at: match.index + 1 }))
  if (parts.length < 5)
    throw badExpression(
      text.length + 1,
      `there are ${parts.length} fields; cron has five, or six with seconds in front`,
    )
  const seventh = parts[6]
  if (seventh !== undefined)
    throw badExpression(seventh.at, 'there is a seventh field; cron has five, or six with seconds in front')
  const given = parts.length === 5 ? [{ text: '0', at: 0 }, ...parts] : parts
  const [second, minute, hour, dayOfMonth, month, dayOfWeek] = FIELDS.map((kind, n) => {
    const { text: field, at } = given[n] as { text: string; at: number }
    return parseField(field, kind, at)
  }) as [Cron['second'], Cron['minute'], Cron['hour'], Cron['dayOfMonth'], Cron['month'], Cron['dayOfWeek']]
  const cron: Cron = { kind: 'cron', second, minute, hour, dayOfMonth, month, dayOfWeek }
  if (neverHappens(cron))
    throw badExpression(dayOfMonth.at, 'there is no such day in these months, in any year')
  return cron
}
