/**
 * The stored form of an error: class, message, stack, and a fingerprint that groups failures with the same
 * cause.
 */
import { createHash } from 'node:crypto'
import { cleanText, textOf } from '../clean.js'
import { LIMITS } from '../limits.js'

export interface ErrorFacts {
  readonly class: string
  readonly message: string
  readonly stack: string | null
  readonly fingerprint: string
  /** Something of it had to be cut or replaced to be storable. */
  readonly cleaned: boolean
}

/** Never throws: anything can be thrown, also objects that throw when they are looked at. */
export function errorFacts(thrown: unknown): ErrorFacts {
  const kind = cleanText(classOf(thrown), LIMITS.nameChars.default)
  const message = cleanText(messageOf(thrown), LIMITS.errorMessageBytesMax.default)
  const stack = cleanText(stackOf(thrown), LIMITS.stackBytesMax.default)
  return {
    class: kind.text,
    message: message.text,
    stack: stack.text === '' ? null : stack.text,
    fingerprint: fingerprint(kind.text, message.text),
    cleaned: kind.cleaned || message.cleaned || stack.cleaned,
  }
}

/** Equal for messages that differ only in the ids, numbers and names they mention. */
export function fingerprint(kind: string, message: string): string {
  return createHash('sha256')
    .update(`${kind}\n${shapeOf(message)}`)
    .digest('hex')
    .slice(0, 16)
}

/** Long messages differ at their end; the beginning says what went wrong. */
const SHAPE_CHARS = 1000

function shapeOf(message: string): string {
  return (
    message
      .slice(0, SHAPE_CHARS)
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>')
      // Not after a letter: the apostrophe of "can't" opens no quotation.
      .replace(/(?<![A-Za-z0-9])(?:'[^'\n]*'|"[^"\n]*"|`[^`\n]*`)/g, '<text>')
      .replace(/\b0x[0-9a-f]+\b/gi, '<hex>')
      // Eight or more hex digits with a digit among them: a hash, unlike "feedface".
      .replace(/\b(?=[a-f]*\d)[0-9a-f]{8,}\b/gi, '<hex>')
      .replace(/\d+(?:[.,]\d+)*/g, '<n>')
  )
}

function classOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return typeof thrown
  const name = read(thrown, 'name')
  if (typeof name === 'string' && name !== '') return name
  const maker = read(thrown, 'constructor')
  const makerName = typeof maker === 'function' ? read(maker, 'name') : null
  return typeof makerName === 'string' && makerName !== '' ? makerName : 'object'
}

function messageOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return textOf(thrown)
  const message = read(thrown, 'message')
  if (typeof message === 'string' && message !== '') return message
  // Node's "cannot connect" is an AggregateError without a message of its own.
  const errors = read(thrown, 'errors')
  if (Array.isArray(errors) && errors.length > 0) {
    return errors
      .slice(0, 5)
      .map((error) => textOf(read(error, 'message')))
      .join('; ')
  }
  const code = read(thrown, 'code')
  return typeof code === 'string' ? code : textOf(thrown)
}

/** The stack with those of its causes, which say more than the error that was rethrown. */
function stackOf(thrown: unknown): string {
  const stacks: string[] = []
  let current = thrown
  for (let depth = 0; depth < 5 && typeof current === 'object' && current !== null; depth++) {
    const stack = read(current, 'stack')
    if (typeof stack === 'string' && stack !== '') stacks.push(stack)
    current = read(current, 'cause')
  }
  return stacks.join('\nCaused by: ')
}

function read(from: unknown, key: string): unknown {
  try {
    return (from as Record<string, unknown>)[key]
  } catch {
    return undefined
  }
}
