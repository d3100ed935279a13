/**
 * Turns a search filter into what `search_ids` takes: lists of LIKE patterns, bounds, and which index finds the candidates. The database
 * decides what matches; nothing here depends on the data but the meaning of keywords, which is looked up before.
 */

import { END_STATES, STATES } from '../../domain/states/states.js'
import type { Bound, KeywordTerm, RangeTerm, SearchFilter, TextTerm } from '../../search/filter.js'
import { literal, plainText } from '../../search/text-values.js'

/** The fields under which each keyword of a filter is known. */
export type KeywordMeanings = ReadonlyMap<string, readonly string[]>

/** The parameter of `search_ids`, in its names. */
export interface CompiledSearch {
  states?: string[]
  path?: readonly string[]
  values?: string[]
  /** Terms that are compared job by job. */
  more?: object[]
  attempted?: AttemptTerm[]
  /** Ranges that are excluded. */
  outside?: object[]
  /** Exact values by the index that has them. */
  index?: Record<string, string[]>
  [list: string]: unknown
}

/** About the workers or the errors of a job's attempts. */
interface AttemptTerm {
  readonly not: boolean
  readonly names?: readonly string[]
  readonly patterns?: readonly string[]
  readonly versions?: readonly string[]
  /** Of messages. */
  readonly parts?: readonly string[]
  /** Classes and fingerprints. */
  readonly exact?: readonly string[]
}

export function compile({ terms }: SearchFilter, meanings: KeywordMeanings): CompiledSearch {
  const compiled: CompiledSearch = {}
  for (const term of terms) {
    if (term.is === 'keyword') addKeyword(compiled, term, meanings.get(term.keyword) ?? [])
    else if (term.is === 'text') addText(compiled, term)
    else addRange(compiled, term)
  }
  // Only ended jobs have a time at which they ended.
  if (compiled.finished_from !== undefined || compiled.finished_to !== undefined)
    compiled.states = (compiled.states ?? [...END_STATES]).filter((state) =>
      END_STATES.includes(state as never),
    )
  return compiled
}

/** `*` of a pattern is % in SQL. */
export function likePattern(pattern: string): string {
  return pattern.replace(/\\(.)|[*%_]/gs, (found, plain: string | undefined) => {
    if (found === '*') return '%'
    const character = plain ?? found
    return /[\\%_]/.test(character) ? `\\${character}` : character
  })
}

/**
 * Whether a text matches what `likePattern` has written, which has no `_` but escaped ones. Each part is searched once, from left to right: a
 * regular expression with many wildcards would try their combinations.
 */
export function isLike(text: string, pattern: string): boolean {
  const parts: string[] = []
  let literalPart = ''
  for (const [found] of pattern.matchAll(/\\.|[^\\]/gs)) {
    if (found !== '%') literalPart += found.at(-1)
    else {
      parts.push(literalPart)
      literalPart = ''
    }
  }
  const [first = '', ...middle] = [...parts, literalPart]
  const last = middle.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of middle) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

/** Text anywhere, for ILIKE. */
function anywhere(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

const LISTS: Partial<Record<TextTerm['field'], string>> = {
  queue: 'queues',
  kind: 'kinds',
  key: 'keys',
  target: 'targets',
}

function addText(compiled: CompiledSearch, term: TextTerm): void {
  const { field, path, not, values } = term
  const patterns = values.map(likePattern)
  switch (field) {
    case 'state':
      compiled.states = (compiled.states ?? [...STATES]).filter((state) => values.includes(state) !== not)
      return
    case 'worker':
      addAttempted(compiled, { not, ...workerNames(values) })
      return
    case 'version':
      addAttempted(compiled, { not, versions: patterns })
      return
    case 'error':
      addAttempted(compiled, { not, parts: values.map(anywhere), exact: values })
      return
    case 'label':
      addMore(compiled, { is: 'label', name: path?.[0], not, values: patterns })
      return
    case 'input':
      addInput(compiled, term, patterns)
      return
    case 'id':
      addMore(compiled, { is: 'id', not, values })
      if (!not) useIndex(compiled, 'id', values)
      return
    case 'trace':
      addMore(compiled, { is: 'trace', not, values: patterns })
      if (!not) useIndex(compiled, 'trace', exactOf(values)?.map(tracePart))
      return
    default:
      addList(compiled, `${not ? 'not_' : ''}${LISTS[field]}`, patterns, not)
      if (!not && field !== 'queue' && field !== 'kind') useIndex(compiled, field, exactOf(values))
  }
}

/** Excluded values add up; a field that includes is there once, or comes from a keyword as well. */
function addList(compiled: CompiledSearch, name: string, patterns: string[], not: boolean): void {
  const before = compiled[name] as string[] | undefined
  compiled[name] =
    before === undefined
      ? patterns
      : not
        ? [...before, ...patterns]
        : [...new Set([...namesLike(before, patterns), ...namesLike(patterns, before)])]
}

/** Those without a wildcard that one of the others matches: a keyword is a name, and the field beside it may have wildcards. */
function namesLike(patterns: readonly string[], others: readonly string[]): string[] {
  return patterns.filter((pattern) => {
    const name = pattern.replace(/\\(.)/gs, '$1')
    return likePattern(literal(name)) === pattern && others.some((other) => isLike(name, other))
  })
}

function addInput(compiled: CompiledSearch, { path, not, values }: TextTerm, patterns: string[]): void {
  if (path === undefined) addMore(compiled, { is: 'contains', not, values: values.map(anywhere) })
  else if (not || compiled.path !== undefined) addMore(compiled, { is: 'input', path, not, values: patterns })
  else {
    compiled.path = path
    compiled.values = patterns
  }
}

function addMore(compiled: CompiledSearch, term: object): void {
  compiled.more = [...(compiled.more ?? []), term]
}

/** Terms that include come first: the first one may find the candidates. */
function addAttempted(compiled: CompiledSearch, term: AttemptTerm): void {
  const before = compiled.attempted ?? []
  compiled.attempted = term.not ? [...before, term] : [term, ...before]
}

/** Exact names are found by an index, the others by reading all names. */
function workerNames(values: readonly string[]): Pick<AttemptTerm, 'names' | 'patterns'> {
  const patterns = values.filter((value) => plainText(value) === undefined).map(likePattern)
  const names = values.map(plainText).filter((name) => name !== undefined)
  return patterns.length === 0 ? { names } : { names, patterns }
}

/** The texts of patterns without wildcards; undefined if one has any. */
function exactOf(values: readonly string[]): string[] | undefined {
  const texts = values.map(plainText)
  return texts.every((text) => text !== undefined) ? texts : undefined
}

/** Ids are the narrowest; of the others, the first. */
function useIndex(compiled: CompiledSearch, name: string, values: readonly string[] | undefined): void {
  if (values === undefined || (compiled.index !== undefined && name !== 'id')) return
  compiled.index = { [name]: [...values] }
}

/** The part of a trace that is indexed. */
function tracePart(trace: string): string {
  return isTraceId(trace) ? trace : [...trace].slice(3, 35).join('')
}

const isTraceId = (text: string) => /^[0-9a-f]{32}$/.test(text)

function addKeyword(compiled: CompiledSearch, { keyword }: KeywordTerm, fields: readonly string[]): void {
  const number = /^#?(\d{1,16})$/.exec(keyword)?.[1]
  const indexed = fields.filter((field) => ['id', 'key', 'target', 'trace'].includes(field))
  const named = fields.find((field) => ['worker', 'kind', 'queue'].includes(field))
  if (indexed.length === 0 && named !== undefined) {
    const pattern = keyword.replace(/[\\*]/g, '\\$&')
    addText(compiled, { is: 'text', field: named as 'worker', not: false, values: [pattern] })
    return
  }
  addMore(compiled, {
    is: 'keyword',
    not: false,
    text: keyword,
    ...(number === undefined ? {} : { id: number }),
  })
  compiled.index ??= {
    ...(number === undefined ? {} : { id: [number] }),
    key: [keyword],
    target: [keyword],
    trace: [tracePart(keyword)],
  }
}

function addRange(compiled: CompiledSearch, term: RangeTerm): void {
  const { field, path, not, from, to } = term
  if (field === 'input') {
    addMore(compiled, { is: 'number', path, not, ...bound('from', from), ...bound('to', to) })
    return
  }
  // Jobs that have not ended have no `finished`, so no bound excludes them.
  if (not && ((from !== undefined && to !== undefined) || field === 'finished')) {
    compiled.outside = [...(compiled.outside ?? []), { field, ...outsideBounds(from, to) }]
    return
  }
  const flipped = (end: Bound | undefined) => end && { ...end, inclusive: !end.inclusive }
  const [low, high] = not ? [flipped(to), flipped(from)] : [from, to]
  if (low !== undefined) tighten(compiled, `${field}_from`, whole(field, low, 'from'), 'from')
  if (high !== undefined) tighten(compiled, `${field}_to`, whole(field, high, 'to'), 'to')
}

/** Whole numbers and times in ms, of which `to` is the first beyond the range. */
function outsideBounds(from: Bound | undefined, to: Bound | undefined): object {
  const ms = ({ value }: Bound) => (typeof value === 'number' ? value : Date.parse(value))
  return {
    ...(from === undefined ? {} : { from: ms(from) + (from.inclusive ? 0 : 1) }),
    ...(to === undefined ? {} : { to: ms(to) + (to.inclusive ? 1 : 0) }),
  }
}

function bound(name: 'from' | 'to', end: Bound | undefined): object {
  return end === undefined ? {} : { [name]: end.value, [`${name}_inclusive`]: end.inclusive }
}

/** Bounds of numbers include both ends; those of times include the first and exclude the last. */
function whole(field: string, { value, inclusive }: Bound, end: 'from' | 'to'): number | string {
  if (typeof value === 'string') {
    const isUsual = inclusive === (end === 'from')
    return isUsual ? value : new Date(Date.parse(value) + 1).toISOString()
  }
  if (field === 'age' || inclusive) return value
  return end === 'from' ? value + 1 : value - 1
}

function tighten(compiled: CompiledSearch, name: string, value: number | string, end: 'from' | 'to'): void {
  const before = compiled[name] as number | string | undefined
  const isTighter = before === undefined || (end === 'from' ? value > before : value < before)
  if (isTighter) compiled[name] = value
}
