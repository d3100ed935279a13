/**
 * Parses a small body: UTF-8 and JSON, or undefined if it is empty. It refuses a whole number too large to be exact, because parsing
 * would change it (ids of other systems can be that large), and the key __proto__, which sets a prototype in code that copies objects.
 * The contract and the verbs validate the rest. json-reader.ts parses larger bodies by the same rules.
 */
import { isUtf8 } from 'node:buffer'
import { holdfastError } from '../../../domain/errors/errors.js'
import { isChanged, NUMBER_REFUSED, numbersIn } from '../../../json/exact-numbers.js'
import { InvalidRequest, pointerOf } from '../problem.js'
import { type BodyBounds, PROTO_REFUSED } from './json-reader.js'

export function parseSmall(body: Buffer, { bodyDepthMax, numberCharsMax }: BodyBounds): unknown {
  if (body.length === 0) return undefined
  if (!isUtf8(body)) throw refuse('must be UTF-8')
  const text = body.toString('utf8')
  if (body.length > 2 * bodyDepthMax && isTooDeep(text, bodyDepthMax))
    throw holdfastError('too_deep', { path: '/', max: bodyDepthMax, limit: 'bodyDepthMax' })
  const value = parsed(text)
  if (PROTO.test(text)) throw refuse(PROTO_REFUSED, pointerTo(value, isProto))
  // Few bodies have a run of digits that long, so few pay for a second pass.
  if (/\d{16}/.test(text)) checkNumbers(text, value, numberCharsMax)
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw refuse(`must be JSON; ${whereNot(text, (error as Error).message)}`)
  }
}

/** The position, without the text around it that Node's message has: it might be a secret. */
function whereNot(text: string, message: string): string {
  const [, position] = /position (\d+)/.exec(message) ?? []
  const [, sign] = /^Unexpected token '(.)'/u.exec(message) ?? []
  if (position === undefined && sign === undefined) return 'the text ends too early'
  if (position === undefined) return `unexpected character ${sign}`
  const before = text.slice(0, Number(position)).split('\n')
  if (before.join('\n').length === text.length) return 'the text ends too early'
  return `unexpected character in line ${before.length}, column ${(before.at(-1) as string).length + 1}`
}

function checkNumbers(text: string, value: unknown, charsMax: number): void {
  for (const token of numbersIn(text)) {
    if (token.length > charsMax) throw refuse(`has a number of more than ${charsMax} characters`)
    if (isChanged(token)) throw refuse(NUMBER_REFUSED, pointerTo(value, isTooLarge))
  }
}

/** Checked before parsing, because code that walks a deep value could overflow the stack. */
function isTooDeep(text: string, depthMax: number): boolean {
  let depth = 0
  let inText = false
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === 0x22) inText = !inText
    else if (inText) at += sign === 0x5c ? 1 : 0
    else if (sign === 0x5b || sign === 0x7b) depth += 1
    else if (sign === 0x5d || sign === 0x7d) depth -= 1
    if (depth > depthMax) return true
  }
  return false
}

/** The key __proto__, also with escapes. */
const PROTO =
  /"(?:_|\\u005[Ff]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[Ff])(?:t|\\u0074)(?:o|\\u006[Ff])(?:_|\\u005[Ff]){2}"\s*:/

const isProto = (key: string) => key === '__proto__'
const isTooLarge = (_key: string, value: unknown) => Number.isInteger(value) && !Number.isSafeInteger(value)

/** JSON pointer of the first value that matches. */
function pointerTo(root: unknown, matches: (key: string, value: unknown) => boolean): string {
  const open: { key: string; value: unknown; path: string[] }[] = [{ key: '', value: root, path: [] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { key, value, path } = next
    if (matches(key, value)) return pointerOf(path)
    if (typeof value !== 'object' || value === null) continue
    for (const [name, below] of Object.entries(value).reverse())
      open.push({ key: name, value: below, path: [...path, name] })
  }
  return '/'
}

function refuse(problem: string, pointer = '/'): InvalidRequest {
  return new InvalidRequest([{ in: 'body', pointer, problem }])
}
