/** Terms between two bounds: comparisons (`age>1h`), ranges (`attempts:2..5`) and single values (`created:2026-11-01`). */

import type { Bound, RangeTerm, ValueType } from './filter.js'
import type { Token } from './tokens.js'
import { readDuration, readNumber, readTime, readWhole } from './values.js'
import { type Mistake, mistake, type WrittenTerm } from './written-term.js'

/** What a written value covers: a day has two ends, a number is both of them. */
interface Covered {
  readonly from: Bound
  readonly to: Bound
}

export function readRange(term: WrittenTerm): RangeTerm {
  const [value] = term.values
  if (value === undefined || term.values.length > 1) throw exactly(term)
  const bounds = term.operator === ':' ? between(term, value) : compared(term, value)
  checkOrder(bounds, value, term.field.type)
  return {
    is: 'range',
    field: term.field.name as RangeTerm['field'],
    ...(term.path === undefined ? {} : { path: term.path }),
    not: term.not,
    ...bounds,
  }
}

/** Several values, where one or a range is expected. */
export function exactly({ name, values, field }: WrittenTerm): never {
  const second = values[1] ?? name
  throw mistake(second, `${name.text} takes one value or a range, as in ${field.example}.`)
}

function compared(term: WrittenTerm, value: Token): Pick<RangeTerm, 'from' | 'to'> {
  const { from, to } = covered(term, value, value.text)
  const flipped = ({ value: at, inclusive }: Bound): Bound => ({ value: at, inclusive: !inclusive })
  switch (term.operator) {
    case '>':
      return { from: flipped(to) }
    case '>=':
      return { from }
    case '<':
      return { to: flipped(from) }
    default:
      return { to }
  }
}

function between(term: WrittenTerm, value: Token): Pick<RangeTerm, 'from' | 'to'> {
  const [low = '', high, more] = value.text.split('..')
  if (more !== undefined || value.text === '..')
    throw mistake(value, `A range has two ends, of which one may be left out, as in ${term.field.example}.`)
  if (high === undefined) return covered(term, value, low)
  return {
    ...(low === '' ? {} : { from: covered(term, value, low).from }),
    ...(high === '' ? {} : { to: covered(term, value, high).to }),
  }
}

function covered({ field, name }: WrittenTerm, at: Token, text: string): Covered {
  if (field.type === 'time') {
    const span = readTime(text)
    if (span === undefined) throw unreadable(at, field.type, name)
    return { from: { value: span.from, inclusive: true }, to: { value: span.to, inclusive: false } }
  }
  const number = READERS[field.type]?.(text)
  if (number === undefined) throw unreadable(at, field.type, name)
  const bound: Bound = { value: number, inclusive: true }
  return { from: bound, to: bound }
}

const READERS: Partial<Record<ValueType, (text: string) => number | string | undefined>> = {
  duration: readDuration,
  number: readWhole,
  id: (text) => readWhole(text.replace(/^#/, '')),
  json: readNumber,
}

const EXPECTED: Partial<Record<ValueType, string>> = {
  time: 'takes a time, such as 2026-11-01, 2026-11-01T09:30 or 2026-11-01T09:30+01:00',
  duration: 'takes a duration, such as 30s, 15m, 1h30m or 2d, of at most 1000 years',
  number: 'takes a whole number',
  id: 'takes a number',
  json: 'is compared with a number here; for text, use a colon',
}

function unreadable(at: Token, type: ValueType, name: Token): Mistake {
  return mistake(at, `${name.text} ${EXPECTED[type]}.`)
}

function checkOrder({ from, to }: Pick<RangeTerm, 'from' | 'to'>, at: Token, type: ValueType): void {
  if (from === undefined || to === undefined) return
  // Times sort as text; numbers may be text for their digits.
  const [low, high] = type === 'time' ? [from.value, to.value] : [Number(from.value), Number(to.value)]
  if (to.inclusive ? low > high : low >= high)
    throw mistake(at, 'This range ends before it begins.', at.text.split('..').reverse().join('..'))
}
