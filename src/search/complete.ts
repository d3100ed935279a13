/** Completion of a search at the caret: names of fields, states, or values that the server suggests. */

import { FIELDS, fieldNamed, type SearchFieldName } from './filter.js'
import { type Token, tokens } from './tokens.js'

export interface Completion {
  /** The part of the text that a choice replaces. */
  readonly start: number
  readonly end: number
  readonly choices: readonly Choice[]
  /** Values of this field are known to the server only: `GET /api/v1/jobs/search/suggest`. */
  readonly ask?: { readonly field: SuggestedField; readonly prefix: string }
}

export interface Choice {
  readonly text: string
  readonly summary: string
}

/** Fields whose values the server suggests. */
export const SUGGESTED_FIELDS = ['queue', 'kind', 'worker', 'version'] as const
export type SuggestedField = (typeof SUGGESTED_FIELDS)[number]

export function completeSearch(text: string, caret: number): Completion {
  const found = tokens(text)
  const at = found.findIndex(({ start, end, type }) => type !== 'space' && start < caret && caret <= end)
  const token = found[at]
  if (token === undefined || token.type === 'not') return fields('', caret, caret)
  if (token.type === 'field')
    return fields(text.slice(token.start, caret), token.start, withOperator(found, at))
  if (token.type === 'keyword')
    return token.quoted ? none(caret) : fields(text.slice(token.start, caret), token.start, token.end)
  return values(found, at, text, caret)
}

function none(caret: number): Completion {
  return { start: caret, end: caret, choices: [] }
}

/** A choice of a field has its colon already. */
function withOperator(found: readonly Token[], at: number): number {
  return found[at + 1]?.end ?? found[at]?.end ?? 0
}

function fields(prefix: string, start: number, end: number): Completion {
  const lower = prefix.toLowerCase()
  const choices = FIELDS.filter(({ name }) => name.startsWith(lower)).map(
    ({ name, type, path, summary }) => ({
      text: `${name}${path === 'needed' ? '.' : COMPARED.has(type) ? '' : ':'}`,
      summary,
    }),
  )
  return { start, end, choices }
}

/** Fields of these types are usually followed by `>` or `<`, so that the person chooses. */
const COMPARED: ReadonlySet<string> = new Set(['duration', 'number'])

/** Of the value at or after this token. */
function values(found: readonly Token[], at: number, text: string, caret: number): Completion {
  const field = found.slice(0, at).findLast(({ type }) => type === 'field')
  const token = found[at]
  if (field === undefined || token === undefined) return none(caret)
  const { start, end } = token.type === 'value' ? token : { start: caret, end: caret }
  const prefix = text.slice(start, caret).replace(/^"/, '')
  const known = fieldNamed(field.text.split('.')[0] ?? '')
  if (known?.choices !== undefined) {
    const choices = known.choices.filter((choice) => choice.startsWith(prefix.toLowerCase()))
    return { start, end, choices: choices.map((choice) => ({ text: choice, summary: known.summary })) }
  }
  const examples = EXAMPLES[known?.name ?? 'key'] ?? []
  const choices = examples.filter((choice) => choice.startsWith(prefix))
  const isAsked = (SUGGESTED_FIELDS as readonly string[]).includes(known?.name ?? '')
  return {
    start,
    end,
    choices: choices.map((choice) => ({ text: choice, summary: known?.summary ?? '' })),
    ...(isAsked ? { ask: { field: field.text as SuggestedField, prefix } } : {}),
  }
}

const EXAMPLES: Partial<Record<SearchFieldName, readonly string[]>> = {
  age: ['5m', '15m', '1h', '1d', '7d'],
  attempts: ['1', '2', '3', '5'],
  priority: ['0', '50', '100'],
}
