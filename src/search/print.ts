/** Prints a filter as search text that parses to the same filter. */

import {
  fieldNamed,
  type RangeTerm,
  type SearchFilter,
  type Term,
  type TextTerm,
  writtenField,
} from './filter.js'
import { plainText } from './text-values.js'
import { tokens, writeValue } from './tokens.js'
import { writeDuration, writeTimeFrom, writeTimeTo } from './values.js'

export function printSearch({ terms }: SearchFilter): string {
  return terms.map(printTerm).join(' ')
}

export function printTerm(term: Term): string {
  if (term.is === 'keyword') return printKeyword(term.keyword)
  const not = term.not ? '-' : ''
  return `${not}${writtenField(term)}${term.is === 'text' ? `:${printValues(term)}` : printRange(term)}`
}

/** In quotes where it would read as something else than one keyword. */
function printKeyword(keyword: string): string {
  const [first, ...more] = tokens(keyword)
  const isPlain =
    first?.type === 'keyword' &&
    more.length === 0 &&
    first.quoted !== true &&
    fieldNamed(keyword) === undefined
  return isPlain && !keyword.startsWith('-') ? keyword : `"${keyword.replace(/["\\]/g, '\\$&')}"`
}

function printValues({ field, path, values }: TextTerm): string {
  const isPattern = !['state', 'id', 'error'].includes(field) && !(field === 'input' && path === undefined)
  return values.map((value) => (isPattern ? printPattern(value) : writeValue(value))).join(',')
}

function printPattern(pattern: string): string {
  const plain = plainText(pattern)
  if (plain === undefined) return writeValue(pattern.replace(/\\\\/g, '\\'))
  const mustQuote = plain.includes('*') || /^[-\d.]*\.\.[-\d.]*$/.test(plain)
  return mustQuote ? `"${plain.replace(/["\\]/g, '\\$&')}"` : writeValue(plain)
}

function printRange({ field, from, to }: RangeTerm): string {
  if (from !== undefined && to !== undefined) {
    const [low, high] = [writeBound(field, from.value, 'from'), writeBound(field, to.value, 'to')]
    return low === high ? `:${low}` : `:${low}..${high}`
  }
  if (from !== undefined) return `${from.inclusive ? '>=' : '>'}${writeBound(field, from.value, 'from')}`
  if (to === undefined) return ':..'
  return isTime(field)
    ? `<${writeBound(field, to.value, 'from')}`
    : `${to.inclusive ? '<=' : '<'}${writeBound(field, to.value, 'to')}`
}

const isTime = (field: string) => field === 'created' || field === 'finished'

function writeBound(field: string, value: number | string, end: 'from' | 'to'): string {
  if (field === 'age') return writeDuration(Number(value))
  if (isTime(field)) return end === 'from' ? writeTimeFrom(String(value)) : writeTimeTo(String(value))
  return String(value)
}
