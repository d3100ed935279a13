/**
 * Bodies as JSON: strictly UTF-8, and empty where nothing was sent. A whole number too large to be kept exactly is refused, because
 * reading it would change it: ids of other systems come like that. So is the key __proto__, which code that copies objects takes for something
 * else. What else is inside is checked by the contract and by the verbs.
 */
import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { InvalidRequest, pointerOf } from './problem.js'

export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    ['application/json', 'application/problem+json'],
    { parseAs: 'buffer' },
    (_request, body: Buffer, done) => {
      try {
        done(null, parse(body))
      } catch (error) {
        done(error as Error)
      }
    },
  )
}

function parse(body: Buffer): unknown {
  if (body.length === 0) return undefined
  if (!isUtf8(body)) throw refuse('must be UTF-8')
  const text = body.toString('utf8')
  const value = parsed(text)
  if (PROTO.test(text)) throw refuse('the key "__proto__" is not allowed', placeOf(value, isProto))
  // Few bodies have a run of digits that long, so few pay for a second look.
  if (/\d{16}/.test(text) && changesNumbers(text))
    throw refuse(
      'a whole number is too large to be kept exactly; send it as text',
      placeOf(value, isTooLarge),
    )
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw refuse(`must be JSON; ${whereNot(text, (error as Error).message)}`)
  }
}

/** The place helps; the text around it, which Node also tells, might be somebody's secret. */
function whereNot(text: string, message: string): string {
  const [, position] = /position (\d+)/.exec(message) ?? []
  const [, sign] = /^Unexpected token '(.)'/u.exec(message) ?? []
  if (position === undefined && sign === undefined) return 'it ends too early'
  if (position === undefined) return `there is a ${sign} where none can be`
  const before = text.slice(0, Number(position)).split('\n')
  if (before.join('\n').length === text.length) return 'it ends too early'
  return `it is not in line ${before.length}, column ${(before.at(-1) as string).length + 1}`
}

/** Text is stepped over, so that digits in it do not count. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

function changesNumbers(text: string): boolean {
  for (const [token] of text.matchAll(TOKEN))
    if (/^-?\d{16,}$/.test(token) && BigInt(token) !== BigInt(Math.trunc(finite(token)))) return true
  return false
}

const finite = (token: string) => (Number.isFinite(Number(token)) ? Number(token) : 0)

/** However it is escaped. */
const PROTO =
  /"(?:_|\\u005[Ff]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[Ff])(?:t|\\u0074)(?:o|\\u006[Ff])(?:_|\\u005[Ff]){2}"\s*:/

const isProto = (key: string) => key === '__proto__'
const isTooLarge = (_key: string, value: unknown) => Number.isInteger(value) && !Number.isSafeInteger(value)

/** Where the first such value is; everything, should it be deeper than anything may be. */
function placeOf(root: unknown, isIt: (key: string, value: unknown) => boolean): string {
  const open: { key: string; value: unknown; path: string[] }[] = [{ key: '', value: root, path: [] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { key, value, path } = next
    if (isIt(key, value)) return pointerOf(path)
    if (typeof value !== 'object' || value === null || path.length > DEPTH_MAX) continue
    for (const [name, below] of Object.entries(value).reverse())
      open.push({ key: name, value: below, path: [...path, name] })
  }
  return '/'
}

const DEPTH_MAX = 64

function refuse(problem: string, pointer = '/'): InvalidRequest {
  return new InvalidRequest([{ in: 'body', pointer, problem }])
}
