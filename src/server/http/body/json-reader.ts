/**
 * Incremental JSON parser for large bodies. The result is that of `JSON.parse`, but a large text neither has to be complete nor blocks
 * the event loop. It refuses text that is nested too deep, has too many values or too long a number, before the rest is read. It also
 * refuses what JSON.parse would change: a whole number too large to be exact, and the key __proto__, which sets a prototype in code
 * that copies objects. Small bodies are read by JSON.parse, which is faster.
 */

import { holdfastError } from '../../../domain/errors/errors.js'
import { isChanged, NUMBER_REFUSED } from '../../../json/exact-numbers.js'
import { InvalidRequest, pointerOf } from '../problem.js'

export interface BodyBounds {
  readonly bodyDepthMax: number
  readonly bodyValuesMax: number
  readonly numberCharsMax: number
}

/** What the grammar allows next. */
type Expected = 'value' | 'element' | 'key' | 'field' | 'colon' | 'rest' | 'end'

type Container = unknown[] | Record<string, unknown>

export const PROTO_REFUSED = 'the key "__proto__" is not allowed'

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const LITERALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])

export class JsonReader {
  readonly #bounds: BodyBounds
  readonly #open: Container[] = []
  /** The current field of each open object; undefined for an array. */
  readonly #fields: (string | undefined)[] = []
  #expected: Expected = 'value'
  #root: unknown
  #values = 0
  /** A string or a bare token that may continue in the next piece. */
  #begun: 'text' | 'bare' | undefined
  #token = ''
  #hasEscapes = false
  #isEscaped = false
  /** Characters before this piece, and the position of the current line. */
  #before = 0
  #line = 1
  #lineAt = 0

  constructor(bounds: BodyBounds) {
    this.#bounds = bounds
  }

  push(text: string): void {
    let at = 0
    while (at < text.length) {
      if (this.#begun === 'text') at = this.#readText(text, at)
      else if (this.#begun === 'bare') at = this.#readBare(text, at)
      else at = this.#readSign(text, at)
    }
    this.#before += text.length
  }

  /** Call it after the last piece; returns the value. */
  end(): unknown {
    if (this.#begun === 'bare') this.#endBare(this.#before)
    if (this.#begun === 'text' || this.#expected !== 'end') throw notJson('the text ends too early')
    return this.#root
  }

  #readSign(text: string, at: number): number {
    const sign = text.charCodeAt(at)
    if (sign === 0x20 || sign === 0x0d || sign === 0x09) return at + 1
    if (sign === 0x0a) {
      this.#line += 1
      this.#lineAt = this.#before + at + 1
    } else if (sign === 0x22) this.#beginText(at)
    else if (sign === 0x7b || sign === 0x5b) this.#beginContainer(sign === 0x7b ? {} : [], at)
    else if (sign === 0x7d || sign === 0x5d) this.#endContainer(sign === 0x5d, at)
    else if (sign === 0x2c) this.#endElement(at)
    else if (sign === 0x3a && this.#expected === 'colon') this.#expected = 'value'
    else return this.#beginBare(text, at)
    return at + 1
  }

  #beginContainer(container: Container, at: number): void {
    this.#checkValue(at)
    if (this.#open.length >= this.#bounds.bodyDepthMax)
      throw holdfastError('too_deep', {
        path: this.#pointer(),
        max: this.#bounds.bodyDepthMax,
        limit: 'bodyDepthMax',
      })
    this.#add(container)
    this.#open.push(container)
    this.#fields.push(undefined)
    this.#expected = Array.isArray(container) ? 'element' : 'field'
  }

  #endContainer(isArray: boolean, at: number): void {
    const container = this.#open.at(-1)
    const isEmpty = this.#expected === (isArray ? 'element' : 'field')
    if (container === undefined || Array.isArray(container) !== isArray) throw this.#wrong(at)
    if (this.#expected !== 'rest' && !isEmpty) throw this.#wrong(at)
    this.#open.pop()
    this.#fields.pop()
    this.#expected = this.#open.length === 0 ? 'end' : 'rest'
  }

  #endElement(at: number): void {
    if (this.#expected !== 'rest') throw this.#wrong(at)
    this.#expected = Array.isArray(this.#open.at(-1)) ? 'value' : 'key'
  }

  #beginText(at: number): void {
    if (this.#expected !== 'key' && this.#expected !== 'field') this.#checkValue(at)
    this.#begun = 'text'
    this.#token = ''
    this.#hasEscapes = false
    this.#isEscaped = false
  }

  #readText(text: string, from: number): number {
    let at = from
    if (this.#isEscaped) at += 1
    this.#isEscaped = false
    for (; at < text.length; at++) {
      const sign = text.charCodeAt(at)
      if (sign === 0x22) {
        this.#endText(this.#token + text.slice(from, at), at)
        return at + 1
      }
      if (sign < 0x20) throw this.#wrong(at)
      if (sign !== 0x5c) continue
      this.#hasEscapes = true
      at += 1
      this.#isEscaped = at === text.length
    }
    this.#token += text.slice(from)
    return text.length
  }

  #endText(raw: string, at: number): void {
    this.#begun = undefined
    const value = this.#hasEscapes ? this.#unescaped(raw, at) : raw
    if (this.#expected === 'key' || this.#expected === 'field') this.#addField(value)
    else this.#addScalar(value)
  }

  #addField(value: string): void {
    this.#fields[this.#fields.length - 1] = value
    if (value === '__proto__') throw this.#refuse(PROTO_REFUSED)
    this.#expected = 'colon'
  }

  #unescaped(raw: string, at: number): string {
    try {
      return JSON.parse(`"${raw}"`) as string
    } catch {
      throw this.#wrong(at)
    }
  }

  #beginBare(text: string, at: number): number {
    this.#checkValue(at)
    this.#begun = 'bare'
    this.#token = ''
    return this.#readBare(text, at)
  }

  /** Reads a number, true, false or null, up to a character that can be in none of them. */
  #readBare(text: string, from: number): number {
    let at = from
    while (at < text.length && isBare(text.charCodeAt(at))) at += 1
    if (at === from && this.#token === '') throw this.#wrong(at)
    this.#token += text.slice(from, at)
    if (this.#token.length > this.#bounds.numberCharsMax && !/^-?\d/.test(this.#token))
      throw this.#wrong(at - this.#token.length)
    if (this.#token.length > this.#bounds.numberCharsMax)
      throw this.#refuse(
        `has a number of more than ${this.#bounds.numberCharsMax} characters`,
        this.#nextPointer(),
      )
    if (at < text.length) this.#endBare(this.#before + at)
    return at
  }

  #endBare(end: number): void {
    const token = this.#token
    this.#begun = undefined
    if (NUMBER.test(token)) {
      if (isChanged(token)) throw this.#refuse(NUMBER_REFUSED, this.#nextPointer())
      this.#addScalar(Number(token))
    } else if (LITERALS.has(token)) this.#addScalar(LITERALS.get(token))
    else throw this.#wrong(end - token.length - this.#before)
  }

  #checkValue(at: number): void {
    if (this.#expected !== 'value' && this.#expected !== 'element') throw this.#wrong(at)
  }

  #addScalar(value: unknown): void {
    this.#add(value)
    this.#expected = this.#open.length === 0 ? 'end' : 'rest'
  }

  #add(value: unknown): void {
    this.#values += 1
    if (this.#values > this.#bounds.bodyValuesMax)
      throw holdfastError(
        'payload_too_large',
        { path: '/', limit: 'bodyValuesMax', max: this.#bounds.bodyValuesMax },
        { message: `The body has more than ${this.#bounds.bodyValuesMax} values (bodyValuesMax).` },
      )
    const container = this.#open.at(-1)
    if (container === undefined) this.#root = value
    else if (Array.isArray(container)) container.push(value)
    else container[this.#fields.at(-1) as string] = value
  }

  #pointer(): string {
    return pointerOf(
      this.#open.map((container, n) =>
        Array.isArray(container) ? container.length - 1 : (this.#fields[n] ?? ''),
      ),
    )
  }

  /** The pointer of a value that was not added to its array yet. */
  #nextPointer(): string {
    const last = this.#open.length - 1
    return pointerOf(
      this.#open.map((container, n) =>
        Array.isArray(container) ? container.length - (n === last ? 0 : 1) : (this.#fields[n] ?? ''),
      ),
    )
  }

  #refuse(problem: string, pointer = this.#pointer()): InvalidRequest {
    return new InvalidRequest([{ in: 'body', pointer, problem }])
  }

  #wrong(at: number): InvalidRequest {
    const column = this.#before + at - this.#lineAt + 1
    return notJson(`unexpected character in line ${this.#line}, column ${column}`)
  }
}

/** Digits, lower-case letters, signs, the decimal point and E. */
function isBare(sign: number): boolean {
  return (
    (sign >= 0x30 && sign <= 0x39) ||
    (sign >= 0x61 && sign <= 0x7a) ||
    sign === 0x2e ||
    sign === 0x2d ||
    sign === 0x2b ||
    sign === 0x45
  )
}

function notJson(where: string): InvalidRequest {
  return new InvalidRequest([{ in: 'body', pointer: '/', problem: `must be JSON; ${where}` }])
}
