/** What is wrong with a field, in our words: a schema's own are for programmers who know the schema. */
import type { z } from 'zod'
import { suggestion } from '../domain/nearest.js'

type Issue = z.core.$ZodIssue

/** `value` is what was sent there. */
export function wordsFor(issue: Issue, value: unknown): string {
  // A sentence of the contract itself, which begins with a small letter, is better than anything we could say here.
  if (/^[a-z]/.test(issue.message)) return issue.message
  if (issue.code === 'invalid_type') return typeWords(issue.expected, value)
  if (issue.code === 'invalid_value') return choiceWords(issue.values.map(String), value)
  if (issue.code === 'too_big') return `must ${boundWords('at most', issue.maximum, issue.origin)}`
  if (issue.code === 'too_small')
    return issue.minimum === 1 && issue.origin in UNITS
      ? 'must not be empty'
      : `must ${boundWords('at least', issue.minimum, issue.origin)}`
  if (issue.code === 'invalid_format' && issue.format === 'datetime')
    return 'must be a time with its zone, such as 2026-01-31T12:00:00Z'
  if (issue.code === 'invalid_union') return formWords(formsOf(issue), value)
  if (issue.code === 'invalid_key') return `is not a name that can be used: ${keyWords(issue)}`
  return issue.message
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

function typeWords(expected: string, value: unknown): string {
  if (value === undefined) return 'is required'
  const wanted = KINDS[expected] ?? expected
  // Of a number that is not whole it is clear enough what it is.
  return expected === 'int' ? `must be ${wanted}` : `must be ${wanted}, not ${kindOf(value)}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return KINDS[typeof value] ?? typeof value
}

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'elements', record: 'fields' }

function boundWords(how: string, bound: number | bigint, origin: string): string {
  const unit = UNITS[origin]
  return unit === undefined ? `be ${how} ${bound}` : `have ${how} ${bound} ${unit}`
}

function choiceWords(values: readonly string[], value: unknown): string {
  if (value === undefined) return `is required: one of ${values.join(', ')}`
  const choice = values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`
  const hint = typeof value === 'string' ? suggestion(value, values) : ''
  return hint === '' ? choice : `${choice}.${hint}`
}

function formsOf({ errors }: Extract<Issue, { code: 'invalid_union' }>): string[] {
  const kinds = errors.flatMap(([first]) => (first?.code === 'invalid_type' ? [first.expected] : []))
  return [...new Set(kinds.map((kind) => KINDS[kind] ?? kind))]
}

function formWords(forms: readonly string[], value: unknown): string {
  return forms.length === 0
    ? 'is none of what it may be'
    : `must be ${forms.join(' or ')}, not ${kindOf(value)}`
}

function keyWords({ issues: [first], path }: Extract<Issue, { code: 'invalid_key' }>): string {
  return first === undefined ? 'it is refused' : `it ${wordsFor(first, path.at(-1))}`
}

interface Definition {
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly element?: z.ZodType
  readonly innerType?: z.ZodType
  readonly valueType?: z.ZodType
  readonly in?: z.ZodType
  readonly out?: z.ZodType
}

/** Of a field that is not there: the one that was probably meant, or else those there are. */
export function noSuchField(name: string, schema: z.ZodType, path: readonly PropertyKey[]): string {
  const known = fieldsAt(schema, path)
  const hint = suggestion(name, known)
  const list = known.length === 0 || known.length > FIELDS_TOLD_MAX ? '' : ` There are: ${known.join(', ')}`
  return `there is no such field.${hint === '' ? list : hint}`
}

const FIELDS_TOLD_MAX = 40

function fieldsAt(schema: z.ZodType | undefined, path: readonly PropertyKey[]): string[] {
  if (schema === undefined) return []
  const { shape, element, innerType, valueType, in: from, out } = schema.def as Definition
  const through = innerType ?? (from?.def.type === 'transform' ? out : from)
  if (through !== undefined) return fieldsAt(through, path)
  const [step, ...rest] = path
  if (step === undefined) return Object.keys(shape ?? {})
  return fieldsAt(shape?.[String(step)] ?? element ?? valueType, rest)
}

export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
    value,
  )
}
