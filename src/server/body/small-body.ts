/**
 * Bodies that come in one piece, as nearly all do: strictly UTF-8, and empty where nothing was sent. A whole number too large to be kept exactly
 * is refused, because reading it would change it: ids of other systems come like that. So is the key __proto__, which code that
 * copies objects takes for something else. What else is inside is checked by the contract and by the verbs. Larger bodies are read by
 * json-reader.ts, to the same rules.
 */
import { isUtf8 } from 'node:buffer'
import { holdfastError } from '../../domain/errors.js'
import { InvalidRequest, pointerOf } from '../problem.js'
import type { JsonBounds } from './json-reader.js'
import { isChanged, NUMBER_REFUSED, PROTO_REFUSED } from './refused-json.js'

export function parseSmall(body: Buffer, { bodyDepthMax, numberCharsMax }: JsonBounds): unknown {
  if (body.length === 0) return undefined
  if (!isUtf8(body)) throw refuse('must be UTF-8')
  const text = body.toString('utf8')
  if (body.length > 2 * bodyDepthMax && isTooDeep(text, bodyDepthMax))
    throw holdfastError('too_deep', { path: '/', most: bodyDepthMax, limit: 'bodyDepthMax' })
  const value = parsed(text)
  if (PROTO.test(text)) throw refuse(PROTO_REFUSED, placeOf(value, isProto))
  // Few bodies have a run of digits that long, so few pay for a second look.
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

/** The place helps; the text around it, which Node also tells, might be a secret. */
function whereNot(text: string, message: string): string {
  const [, position] = /position (\d+)/.exec(message) ?? []
  const [, sign] = /^Unexpected token '(.)'/u.exec(message) ?? []
  if (position === undefined && sign === undefined) return 'it ends too early'
  if (position === undefined) return `there is a ${sign} where none can be`
  const before = text.slice(0, Number(position)).split('\n')
  if (before.join('\n').length === text.length) return 'it ends too early'
  return `it is not in line ${before.length}, column ${(before.at(-1) as string).length + 1}`
}

/** Text is stepped over, so that digits and brackets in it do not count. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

function checkNumbers(text: string, value: unknown, charsMax: number): void {
  for (const [token] of text.matchAll(TOKEN)) {
    if (token.startsWith('"')) continue
    if (token.length > charsMax) throw refuse(`a number has at most ${charsMax} characters`)
    if (isChanged(token)) throw refuse(NUMBER_REFUSED, placeOf(value, isTooLarge))
  }
}

/** Asked before it is parsed: what walks over a value that is nested without end has no end either. */
function isTooDeep(text: string, most: number): boolean {
  let depth = 0
  let inText = false
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === 0x22) inText = !inText
    else if (inText) at += sign === 0x5c ? 1 : 0
    else if (sign === 0x5b || sign === 0x7b) depth += 1
    else if (sign === 0x5d || sign === 0x7d) depth -= 1
    if (depth > most) return true
  }
  return false
}

/** However it is escaped. */
const PROTO =
  /"(?:_|\\u005[Ff]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[Ff])(?:t|\\u0074)(?:o|\\u006[Ff])(?:_|\\u005[Ff]){2}"\s*:/

const isProto = (key: string) => key === '__proto__'
const isTooLarge = (_key: string, value: unknown) => Number.isInteger(value) && !Number.isSafeInteger(value)

/** Where the first such value is. */
function placeOf(root: unknown, isIt: (key: string, value: unknown) => boolean): string {
  const open: { key: string; value: unknown; path: string[] }[] = [{ key: '', value: root, path: [] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { key, value, path } = next
    if (isIt(key, value)) return pointerOf(path)
    if (typeof value !== 'object' || value === null) continue
    for (const [name, below] of Object.entries(value).reverse())
      open.push({ key: name, value: below, path: [...path, name] })
  }
  return '/'
}

function refuse(problem: string, pointer = '/'): InvalidRequest {
  return new InvalidRequest([{ in: 'body', pointer, problem }])
}
