/**
 * Makes the values that a worker writes storable: results, errors, logs, progress. It truncates and cleans
 * instead of throwing, because the work is already done and a refused result would run the job again. A
 * changed value is flagged. json.ts is the strict counterpart for input of callers.
 */

import { checkJson, UNSTORABLE } from './json.js'
import { LIMITS } from './limits.js'

export interface CleanText {
  readonly text: string
  readonly cleaned: boolean
}

export interface CleanJson {
  readonly json: string
  readonly cleaned: boolean
  /** What was changed first, and where. */
  readonly note?: string
}

/** Text that Postgres can store, at most maxBytes of UTF-8: the beginning of it or the end. */
export function cleanText(value: unknown, maxBytes: number, keep: 'head' | 'tail' = 'head'): CleanText {
  const given = typeof value === 'string' ? value : textOf(value)
  // A character has at least one byte, so no more than these can survive; 50 MB of log are not copied for 16 kB.
  const near = keep === 'head' ? given.slice(0, maxBytes + 1) : given.slice(-(maxBytes + 1))
  const stored = UNSTORABLE.test(near) ? near.replace(/[\0\p{Surrogate}]/gu, '\u{FFFD}') : near
  const text = cut(stored, maxBytes, keep)
  return { text, cleaned: text !== value }
}

/** Cuts between characters, never inside one. */
function cut(text: string, maxBytes: number, keep: 'head' | 'tail'): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  const bytes = Buffer.from(text)
  const insideCharacter = (index: number) => ((bytes[index] ?? 0) & 0b1100_0000) === 0b1000_0000
  if (keep === 'head') {
    let end = maxBytes
    while (end > 0 && insideCharacter(end)) end--
    return bytes.toString('utf8', 0, end)
  }
  let start = bytes.length - maxBytes
  while (start < bytes.length && insideCharacter(start)) start++
  return bytes.toString('utf8', start)
}

/** JSON text of the value, at most bytesMax long. A value that is too large is replaced by a small marker. */
export function cleanJson(value: unknown, bytesMax: number = LIMITS.resultBytesMax.default): CleanJson {
  try {
    return { json: checkJson(value, { bytesMax }), cleaned: false }
  } catch {
    return rewrite(value, bytesMax)
  }
}

function rewrite(value: unknown, bytesMax: number): CleanJson {
  const changes: Changes = { bytesLeft: bytesMax, note: null }
  try {
    const json = JSON.stringify(storable(value, '', [], changes))
    if (Buffer.byteLength(json) <= bytesMax) {
      return { json, cleaned: true, note: changes.note ?? 'written as JSON by value' }
    }
  } catch {
    // Out of bytes, or an object that cannot even be looked at: the marker says so.
  }
  const marker = JSON.stringify({ _holdfast: { dropped: 'too large', bytesMax } })
  const json = Buffer.byteLength(marker) <= bytesMax ? marker : 'null'
  return { json, cleaned: true, note: `the value is too large for ${bytesMax} bytes` }
}

interface Changes {
  bytesLeft: number
  note: string | null
}

/** A copy that JSON and Postgres can hold. Shared and cyclic objects end at the depth limit or when the bytes run out. */
function storable(value: unknown, path: string, parents: readonly object[], changes: Changes): unknown {
  const changed = (to: unknown, note: string) => {
    changes.note ??= `${path || '/'}: ${note}`
    return to
  }
  changes.bytesLeft -= typeof value === 'string' ? value.length + 2 : 1
  if (changes.bytesLeft < 0) throw new RangeError('out of bytes')
  switch (typeof value) {
    case 'string':
      return UNSTORABLE.test(value)
        ? changed(value.replace(/[\0\p{Surrogate}]/gu, '\u{FFFD}'), 'characters replaced')
        : value
    case 'number':
      return Number.isFinite(value) ? value : changed(String(value), `${value} written as text`)
    case 'boolean':
      return value
    case 'bigint':
      return changed(String(value), 'bigint written as text')
    case 'undefined':
      return changed(null, 'undefined written as null')
    case 'object':
      if (value === null) return null
      break
    default:
      return changed(`[${typeof value}]`, `${typeof value} dropped`)
  }
  if (parents.includes(value)) return changed('[cycle]', 'the value contains itself')
  if (parents.length >= LIMITS.depthMax.default) return changed('[too deep]', 'nested too deep')
  try {
    return storableObject(value, path, [...parents, value], changes, changed)
  } catch (error) {
    if (changes.bytesLeft < 0) throw error
    return changed('[unreadable]', 'the value could not be read')
  }
}

function storableObject(
  object: object,
  path: string,
  parents: readonly object[],
  changes: Changes,
  changed: (to: unknown, note: string) => unknown,
): unknown {
  const copy = (part: unknown, key: string | number) =>
    storable(part, `${path}/${key}`.slice(0, 200), parents, changes)
  if (Array.isArray(object) || object instanceof Set) return listOf(object, copy, changes)
  if (ArrayBuffer.isView(object)) return changed(`[${object.byteLength} bytes]`, 'binary data dropped')
  if (object instanceof Date)
    return Number.isNaN(object.getTime()) ? changed(null, 'invalid date') : object.toISOString()
  if (object instanceof Error)
    return changed(
      { name: copy(object.name, 'name'), message: copy(object.message, 'message') },
      'error written as an object',
    )
  if (object instanceof Map) {
    changed(null, 'Map written as an object')
    return propertiesOf(
      [...object].map(([key, part]) => [textOf(key), part]),
      copy,
      changed,
    )
  }
  const { toJSON } = object as { toJSON?: unknown }
  if (typeof toJSON === 'function') return storable(toJSON.call(object, ''), path, parents, changes)
  return propertiesOf(Object.entries(object), copy, changed)
}

function listOf(
  parts: readonly unknown[] | Set<unknown>,
  copy: (part: unknown, key: number) => unknown,
  changes: Changes,
) {
  if (parts instanceof Set) {
    changes.note ??= 'Set written as a list'
  } else if (parts.length > changes.bytesLeft) {
    // A sparse array can claim four billion elements.
    changes.bytesLeft = -1
    throw new RangeError('out of bytes')
  }
  return Array.from(parts, (part, index) => copy(part, index))
}

function propertiesOf(
  entries: readonly (readonly [string, unknown])[],
  copy: (part: unknown, key: string) => unknown,
  changed: (to: unknown, note: string) => unknown,
): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [key, part] of entries) {
    if (part === undefined) continue
    if (key === '__proto__') {
      changed(null, 'the key "__proto__" was dropped')
      continue
    }
    result[String(copy(key, ''))] = copy(part, key)
  }
  return result
}

/** Text of anything, also of objects whose own conversion throws. */
export function textOf(value: unknown): string {
  try {
    return String(value)
  } catch {
    return '[unreadable]'
  }
}
