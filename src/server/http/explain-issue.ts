/** Explains a validation error to an API user. zod's own messages assume a reader who knows the schema. */
import type { z } from 'zod'
import { suggestion } from '../../domain/nearest.js'
import { STATES } from '../../domain/states/states.js'
import { PRESET_NAMES } from '../../presets/presets.js'
import { statesWithStateWord } from '../../presets/state-words.js'

type Issue = z.core.$ZodIssue

/** `value` is what the caller sent. The result completes the sentence "<field> …". */
export function explainIssue(issue: Issue, value: unknown): string {
  // A message of the contract begins with a small letter and is more specific than any below.
  if (/^[a-z]/.test(issue.message)) return issue.message
  if (issue.code === 'invalid_type') return typeProblem(issue.expected, value)
  if (issue.code === 'invalid_value') return choiceProblem(issue.values.map(String), value)
  if (issue.code === 'too_big') return `must ${boundText('at most', issue.maximum, issue.origin)}`
  if (issue.code === 'too_small')
    return issue.minimum === 1 && issue.origin in UNITS
      ? 'must not be empty'
      : `must ${boundText('at least', issue.minimum, issue.origin)}`
  if (issue.code === 'invalid_format' && issue.format === 'datetime')
    return 'must be a time with its zone, such as 2026-01-31T12:00:00Z'
  if (issue.code === 'invalid_union') return unionProblem(typesOf(issue), value)
  if (issue.code === 'invalid_key') return `is not an allowed name: ${keyProblem(issue)}`
  return issue.message
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

function typeProblem(expected: string, value: unknown): string {
  if (value === undefined) return 'is required'
  const expectedName = TYPE_NAMES[expected] ?? expected
  // "not a number" would be wrong for a number that is not whole.
  return expected === 'int' ? `must be ${expectedName}` : `must be ${expectedName}, not ${typeNameOf(value)}`
}

function typeNameOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return TYPE_NAMES[typeof value] ?? typeof value
}

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'elements', record: 'fields' }

function boundText(comparison: string, bound: number | bigint, origin: string): string {
  const unit = UNITS[origin]
  return unit === undefined ? `be ${comparison} ${bound}` : `have ${comparison} ${bound} ${unit}`
}

function choiceProblem(values: readonly string[], value: unknown): string {
  if (value === undefined) return `is required: one of ${values.join(', ')}`
  const choice = values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`
  const hint = typeof value === 'string' ? stateHint(value, values) || suggestion(value, values) : ''
  return hint === '' ? choice : `${choice}.${hint}`
}

/** Where states are expected, a state word of a preset is answered with its states. */
function stateHint(name: string, values: readonly string[]): string {
  if (!STATES.every((state) => values.includes(state))) return ''
  const meanings = PRESET_NAMES.flatMap((preset) => {
    const states = statesWithStateWord(preset, name)
    return states.length === 0 ? [] : [`of ${preset}, for ${states.join(', ')}`]
  })
  return meanings.length === 0 ? '' : ` "${name}" is a state word ${meanings.join('; ')}.`
}

function typesOf({ errors }: Extract<Issue, { code: 'invalid_union' }>): string[] {
  const expected = errors.flatMap(([first]) => (first?.code === 'invalid_type' ? [first.expected] : []))
  return [...new Set(expected.map((type) => TYPE_NAMES[type] ?? type))]
}

function unionProblem(names: readonly string[], value: unknown): string {
  return names.length === 0
    ? 'has none of the allowed forms'
    : `must be ${names.join(' or ')}, not ${typeNameOf(value)}`
}

function keyProblem({ issues: [first], path }: Extract<Issue, { code: 'invalid_key' }>): string {
  return first === undefined ? 'it is not allowed' : `it ${explainIssue(first, path.at(-1))}`
}

interface Definition {
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly element?: z.ZodType
  readonly innerType?: z.ZodType
  readonly valueType?: z.ZodType
  readonly in?: z.ZodType
  readonly out?: z.ZodType
}

/** The fields of the object at this path of a schema. */
export function fieldsAt(schema: z.ZodType | undefined, path: readonly PropertyKey[]): string[] {
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
    (node, step) => (typeof node === 'object' && node !== null ? Reflect.get(node, step) : undefined),
    value,
  )
}
