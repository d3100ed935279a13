/**
 * Values that are compared as text. A value of a name or of a field of the input is a pattern: `*` stands for any characters, and a backslash
 * makes the next character plain. What a person writes in quotes is always plain.
 */

import { nearest } from '../domain/nearest.js'
import type { TextTerm } from './filter.js'
import type { Token } from './tokens.js'
import { readWhole } from './values.js'
import { mistake, type WrittenTerm } from './written-term.js'

/** A pattern that matches exactly this text. */
export function literal(text: string): string {
  return text.replace(/[\\*]/g, '\\$&')
}

/** The text that a pattern matches; undefined if it matches several. */
export function plainText(pattern: string): string | undefined {
  const plain = pattern.replace(/\\(.)/gs, '\0$1')
  return /(?<!\0)\*/.test(plain) ? undefined : plain.replaceAll('\0', '')
}

export function anyOf({ field, path, not, operator, values, name }: WrittenTerm): TextTerm {
  if (operator !== ':')
    throw mistake(name, `${name.text} is compared with a colon, as in ${field.example}.`, `${name.text}:`)
  const read = (value: Token): string => {
    if (field.type === 'choice') return choiceOf(value, field.choices ?? [])
    if (field.type === 'id') return idOf(value)
    if (field.type === 'contains' || (field.type === 'json' && path === undefined)) return containedOf(value)
    return value.quoted === true ? literal(value.text) : value.text.replace(/\\/g, '\\\\')
  }
  return {
    is: 'text',
    field: field.name as TextTerm['field'],
    ...(path === undefined ? {} : { path }),
    not,
    values: [...new Set(values.map(read))],
  }
}

function choiceOf(value: Token, choices: readonly string[]): string {
  const lower = value.text.toLowerCase()
  if (choices.includes(lower)) return lower
  const similar = nearest(value.text, choices)
  const known = similar === null ? ` Use one of ${choices.join(', ')}.` : ''
  throw mistake(value, `There is no state "${value.text}".${known}`, similar)
}

function idOf(value: Token): string {
  const id = readWhole(value.text.replace(/^#/, ''))
  if (id === undefined || id === 0) throw mistake(value, 'An id is a number, as in id:18231 or id:100..200.')
  return String(id)
}

function containedOf(value: Token): string {
  if (value.text === '') throw mistake(value, 'Empty text is in every job; remove this term.')
  return value.text
}
