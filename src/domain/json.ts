/**
 * Checks a value that a caller wants stored, and turns it into JSON text once. Strict on purpose: what JSON or Postgres would
 * change, drop or refuse is refused here, naming where it is (a JSON pointer). clean.ts is the tolerant twin for what workers
 * say, where a refusal would cost finished work.
 */
import { HoldfastError, holdfastError } from './errors/errors.js'
import { LIMITS, type LimitName } from './limits.js'

export interface JsonBounds {
  readonly bytesMax?: number
  /** The limit that bytesMax comes from, for the message. */
  readonly limit?: LimitName
  readonly depthMax?: number
  /** JSON pointer of the value itself. */
  readonly path?: string
}

/** NUL, which Postgres cannot store in text, and halves of surrogate pairs, which UTF-8 cannot express. */
export const UNSTORABLE = /[\0\p{Surrogate}]/u

/** The JSON text of the value, or a refusal. An absent value (undefined) is stored as null. */
export function checkJson(value: unknown, bounds: JsonBounds = {}): string {
  const limit = bounds.limit ?? 'payloadBytesMax'
  const walk: Walk = {
    bytesMax: bounds.bytesMax ?? LIMITS[limit].default,
    limit,
    depthMax: bounds.depthMax ?? LIMITS.depthMax.default,
    root: bounds.path ?? '',
    trail: [],
    parents: [],
    bytes: 0,
  }
  if (value === undefined) return 'null'
  const text = checkedText(value, walk)
  if (Buffer.byteLength(text) > walk.bytesMax) throw tooLarge(walk)
  return text
}

interface Walk {
  readonly bytesMax: number
  readonly limit: LimitName
  readonly depthMax: number
  readonly root: string
  /** Keys from the root to the value in hand; becomes the pointer only when something is refused. */
  readonly trail: (string | number)[]
  readonly parents: object[]
  /**
   * Fewest bytes the text can have so far. Stops the walk early, so neither a huge value nor a small graph of shared
   * objects that unfolds into a huge text costs more than the limit.
   */
  bytes: number
}

function checkedText(value: unknown, walk: Walk): string {
  try {
    checkValue(value, walk)
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof HoldfastError) throw error
    // A getter, a toJSON or a proxy of the caller's threw.
    throw holdfastError(
      'invalid_input',
      { path: pointer(walk), problem: 'the value cannot be read' },
      { cause: error },
    )
  }
}

function checkValue(value: unknown, walk: Walk): void {
  if (typeof value === 'string') checkString(value, walk)
  else if (typeof value === 'object' && value !== null) checkContainer(value, walk)
  else if (value === null || typeof value === 'boolean') spend(walk, 4)
  else if (typeof value !== 'number') throw refuse(walk, notJson(typeof value))
  else if (Number.isFinite(value)) spend(walk, 1)
  else throw refuse(walk, `${value} is not a number JSON can hold`)
}

function notJson(type: string): string {
  if (type === 'undefined') return 'undefined cannot be written as JSON; use null'
  return `a ${type} cannot be written as JSON${type === 'bigint' ? '; convert it to a string' : ''}`
}

function checkString(text: string, walk: Walk): void {
  spend(walk, text.length + 2)
  if (UNSTORABLE.test(text)) throw refuse(walk, unstorableProblem(text))
}

export function unstorableProblem(text: string): string {
  return text.includes('\0')
    ? 'the text contains a NUL character, which Postgres cannot store'
    : 'the text contains half of a surrogate pair, which is not valid Unicode'
}

function checkContainer(container: object, walk: Walk): void {
  if (walk.parents.length >= walk.depthMax) {
    if (walk.parents.includes(container)) throw refuse(walk, 'the value contains itself')
    throw holdfastError('too_deep', { path: pointer(walk), max: walk.depthMax, limit: 'depthMax' })
  }
  walk.parents.push(container)
  const plain = container as { toJSON?: unknown }
  if (Array.isArray(container)) checkElements(container, walk)
  else if (typeof plain.toJSON === 'function' && !ArrayBuffer.isView(container)) {
    checkConverted(plain as { toJSON(key: string): unknown }, walk)
  } else checkProperties(container, walk)
  walk.parents.pop()
}

/** Dates, URLs and decimals say themselves how they are written. */
function checkConverted(value: { toJSON(key: string): unknown }, walk: Walk): void {
  const key = walk.trail.at(-1)
  const converted = value.toJSON(key === undefined ? '' : String(key))
  // JSON.stringify writes an invalid Date as null, silently.
  if (converted === null && value instanceof Date) throw refuse(walk, 'the date is not valid')
  // JSON.stringify converts once; an object that answers with itself is walked as it is.
  if (typeof converted !== 'object' || converted === null) checkValue(converted, walk)
  else if (Array.isArray(converted)) checkElements(converted, walk)
  else checkProperties(converted, walk)
}

function checkElements(elements: readonly unknown[], walk: Walk): void {
  // Brackets and commas, all at once: a sparse array can claim four billion elements, each written as null.
  spend(walk, 1 + Math.max(1, elements.length))
  for (let index = 0; index < elements.length; index++) {
    walk.trail.push(index)
    checkValue(elements[index], walk)
    walk.trail.pop()
  }
}

function checkProperties(object: object, walk: Walk): void {
  const tag = Object.prototype.toString.call(object)
  if (tag !== '[object Object]' && tag !== '[object Arguments]') {
    throw refuse(
      walk,
      `a ${tag.slice(8, -1)} cannot be written as JSON; pass a plain object, an array or text`,
    )
  }
  spend(walk, 2)
  for (const key of Object.keys(object)) {
    const value = (object as Record<string, unknown>)[key]
    walk.trail.push(key)
    // Written back to an object by assignment, this key would change its prototype instead of its data.
    if (key === '__proto__') throw refuse(walk, 'the key "__proto__" is not allowed')
    // An optional field left undefined is simply not there.
    if (value !== undefined) {
      checkString(key, walk)
      checkValue(value, walk)
    }
    walk.trail.pop()
  }
}

function spend(walk: Walk, bytes: number): void {
  walk.bytes += bytes
  if (walk.bytes > walk.bytesMax) throw tooLarge(walk)
}

function tooLarge(walk: Walk) {
  return holdfastError('payload_too_large', { path: walk.root, limit: walk.limit, max: walk.bytesMax })
}

function refuse(walk: Walk, problem: string) {
  return holdfastError('invalid_input', { path: pointer(walk), problem })
}

/** RFC 6901. Keys are cut, so that a message does not repeat a megabyte of the payload. */
function pointer({ root, trail }: Walk): string {
  const steps = trail.map((key) => {
    const step = String(key).slice(0, 100).replace(/~/g, '~0').replace(/\//g, '~1')
    return `/${step.replace(/[\0\p{Surrogate}]/gu, '\u{FFFD}')}`
  })
  return root + steps.join('') || '/'
}
