/**
 * Reads a search. A mistake does not end the reading: each has its position, a sentence, and the nearest correct spelling if there is one, so
 * that an editor can underline all of them and a server can answer with the first.
 */

import { LIMITS } from '../domain/limits.js'
import { nearest } from '../domain/nearest.js'
import { FIELDS, fieldNamed, type SearchFilter, type Term } from './filter.js'
import { exactly, readRange } from './ranges.js'
import { anyOf } from './text-values.js'
import { type Token, tokens } from './tokens.js'
import { Mistake, mistake, type Operator, type SearchProblem, type WrittenTerm } from './written-term.js'

export type { SearchProblem } from './written-term.js'

export interface ParsedSearch {
  readonly tokens: readonly Token[]
  /** What could be read; the search itself if there are no problems. */
  readonly filter: SearchFilter
  readonly problems: readonly SearchProblem[]
}

export function parseSearch(text: string): ParsedSearch {
  const found = tokens(text)
  const terms: Term[] = []
  const problems: SearchProblem[] = []
  const collect = (read: () => void) => {
    try {
      read()
    } catch (error) {
      if (!(error instanceof Mistake)) throw error
      problems.push(error.problem)
    }
  }
  const chunks = chunksOf(found)
  const max = LIMITS.searchTerms.default
  for (const [n, chunk] of chunks.entries()) {
    collect(() => {
      if (n === max) throw mistake(wholeOf(chunk), `A search has at most ${max} terms.`)
      if (n < max) terms.push(checkedTerm(termOf(chunk, chunks.length === 1), wholeOf(chunk), terms))
    })
  }
  if (text.length > LIMITS.searchChars.default)
    problems.unshift({
      position: LIMITS.searchChars.default,
      length: text.length - LIMITS.searchChars.default,
      message: `A search has at most ${LIMITS.searchChars.default} characters.`,
    })
  return { tokens: found, filter: { terms }, problems }
}

/** The tokens of each term. */
function chunksOf(found: readonly Token[]): Token[][] {
  const chunks: Token[][] = []
  let current: Token[] = []
  for (const token of found) {
    const starts = token.type === 'not' || token.type === 'keyword' || token.type === 'field'
    const continues = current.length === 1 && current[0]?.type === 'not'
    if (token.type === 'space' || (starts && !continues)) {
      if (current.length > 0) chunks.push(current)
      current = token.type === 'space' ? [] : [token]
    } else current.push(token)
  }
  if (current.length > 0) chunks.push(current)
  return chunks
}

function wholeOf(chunk: readonly Token[]): { start: number; end: number } {
  return { start: chunk[0]?.start ?? 0, end: chunk.at(-1)?.end ?? 0 }
}

function termOf(chunk: readonly Token[], alone: boolean): Term {
  const unclosed = chunk.find(({ open }) => open)
  if (unclosed !== undefined)
    throw mistake(unclosed, 'This quote has no end.', `${JSON.stringify(unclosed.text)}`)
  const not = chunk[0]?.type === 'not'
  const [name, operator, ...values] = not ? chunk.slice(1) : chunk
  if (name === undefined) throw mistake(wholeOf(chunk), 'A term must follow the minus sign.')
  if (name.type === 'keyword') return keywordOf(name, not)
  const written = fieldOf(name)
  if (written === undefined) {
    const keyword = pastedText(chunk, alone && !not)
    if (keyword !== undefined) return keyword
    throw unknownField(name, wholeOf(chunk), values)
  }
  return read({
    ...written,
    name,
    not,
    operator: operatorOf(operator as Token, name),
    values: valuesOf(name, values),
  })
}

function keywordOf(token: Token, not: boolean): Term {
  if (not)
    throw mistake(token, `Only a field can be excluded, as in -kind:${token.text}.`, `kind:${token.text}`)
  const fields = FIELDS.filter(({ path }) => path === undefined).map(({ name }) => name)
  if (!token.quoted && fields.includes(token.text as never))
    throw mistake(token, `The field ${token.text} has no value.`, fieldNamed(token.text)?.example)
  if (token.text === '') throw mistake(token, 'Empty quotes match nothing; remove them.')
  return { is: 'keyword', keyword: token.text }
}

/** Text with a colon that was pasted, such as a key `customer:42`: nothing else stands beside it, and no field has a similar name. */
function pastedText(chunk: readonly Token[], alone: boolean): Term | undefined {
  const [name, operator] = chunk
  const plain = chunk.every(({ quoted }) => quoted !== true)
  if (!alone || !plain || operator?.text !== ':' || name === undefined || name.text.includes('.'))
    return undefined
  if (nearestField(name.text) !== null || chunk.length < 3) return undefined
  return { is: 'keyword', keyword: chunk.map(({ text }) => text).join('') }
}

function nearestField(name: string): string | null {
  return nearest(
    name,
    FIELDS.map((field) => field.name),
  )
}

function unknownField(name: Token, whole: { start: number; end: number }, values: readonly Token[]): Mistake {
  const [first = '', ...path] = name.text.split('.')
  const similar = nearestField(first)
  const instead =
    path.length === 0
      ? similar
      : similar === 'label' || similar === 'input'
        ? [similar, ...path].join('.')
        : `input.${name.text}`
  const pasted = values.length > 0 && path.length === 0 && similar === null
  return mistake(
    pasted ? whole : name,
    `There is no field "${name.text}".${pasted ? ' Text with a colon needs quotes.' : ''}`,
    instead,
  )
}

function fieldOf(name: Token): Pick<WrittenTerm, 'field' | 'path'> | undefined {
  const [first = '', ...path] = name.text.split('.')
  const field = fieldNamed(first)
  if (field === undefined) return undefined
  if (path.length === 0) {
    if (field.path === 'needed')
      throw mistake(name, `${first} needs a name, as in ${field.example}.`, field.example)
    return { field }
  }
  if (field.path === undefined) throw mistake(name, `${first} has no fields of its own.`, first)
  if (path.includes('')) throw mistake(name, `A part of the path is empty; write it as in ${field.example}.`)
  // Names of labels may have dots.
  return { field, path: first === 'label' ? [path.join('.')] : path }
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  ':': ':',
  '>': '>',
  '>=': '>=',
  '<': '<',
  '<=': '<=',
  ':>': '>',
  ':>=': '>=',
  ':<': '<',
  ':<=': '<=',
}
const MEANT: Readonly<Record<string, string>> = { '=': ':', '==': ':', '=>': '>=', '=<': '<=' }

function operatorOf(token: Token, name: Token): Operator {
  const operator = OPERATORS[token.text]
  if (operator !== undefined) return operator
  const plain = token.text.replace(/^:/, '')
  if (plain === '!=') throw mistake(token, `Exclude with a minus sign, as in -${name.text}:value.`, ':')
  throw mistake(token, `There is no operator "${token.text}".`, MEANT[plain])
}

/** The values between the commas. */
function valuesOf(name: Token, written: readonly Token[]): Token[] {
  const values: Token[] = []
  let expected = true
  for (const token of written) {
    if (token.type === 'comma') {
      if (expected) throw mistake(token, 'A value is missing before this comma.')
      expected = true
    } else {
      if (!expected) throw mistake(token, 'A comma or a space must separate two values.')
      values.push(token)
      expected = false
    }
  }
  const last = written.at(-1)
  if (expected && last !== undefined) throw mistake(last, 'A value is missing after this comma.')
  if (values.length === 0) throw mistake(name, `The field ${name.text} has no value.`, exampleOf(name.text))
  const max = LIMITS.searchValues.default
  const extra = values[max]
  if (extra !== undefined) throw mistake(extra, `A field has at most ${max} values.`)
  return values
}

function exampleOf(name: string): string | undefined {
  return fieldNamed(name.split('.')[0] ?? '')?.example
}

function read(term: WrittenTerm): Term {
  switch (term.field.type) {
    case 'choice':
    case 'name':
    case 'contains':
      return anyOf(term)
    case 'json':
      return term.path !== undefined && isRange(term) ? readRange(term) : anyOf(term)
    case 'id':
      return isRange(term) ? readRange(term) : anyOf(term)
    default:
      return term.operator === ':' && term.values.length > 1 ? exactly(term) : readRange(term)
  }
}

function isRange({ operator, values, field }: WrittenTerm): boolean {
  if (operator !== ':') return true
  const [value] = values
  if (values.length !== 1 || value === undefined || value.quoted === true) return false
  return field.name === 'id'
    ? value.text.includes('..')
    : /^(-?\d+(\.\d+)?)?\.\.(-?\d+(\.\d+)?)?$/.test(value.text) && value.text.length > 2
}

/** A job has one state, queue, kind: two terms of the same field that both include could never match together. */
const ONCE = new Set(['state', 'queue', 'kind', 'key', 'target', 'version', 'id', 'trace'])

function checkedTerm(term: Term, at: { start: number; end: number }, before: readonly Term[]): Term {
  if (term.is !== 'text' || term.not || !ONCE.has(term.field)) return term
  const first = before.find((each) => each.is === 'text' && !each.not && each.field === term.field)
  if (first === undefined || first.is !== 'text') return term
  const together = `${term.field}:${[...first.values, ...term.values].join(',')}`
  throw mistake(at, `The field ${term.field} is there already; write ${together} for one of several.`)
}
