import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkJson } from '../../src/domain/json.js'
import { refusal as refusalOf } from '../support/refusal.js'

const refusal = (value: unknown, bounds = {}) => refusalOf(() => checkJson(value, bounds))

function nested(depth: number): unknown {
  let value: unknown = []
  for (let level = 1; level < depth; level++) value = level % 2 ? { in: value } : [value]
  return value
}

class Point {
  constructor(readonly x: number) {}
}

describe('checkJson', () => {
  it('returns the JSON text of anything JSON can hold', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8, stringUnit: 'grapheme' }), (value) => {
        fc.pre(!JSON.stringify(value).includes('__proto__') && !JSON.stringify(value).includes('\\u0000'))
        expect(checkJson(value)).toBe(JSON.stringify(value))
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    [undefined, 'null'],
    [null, 'null'],
    [-0, '0'],
    [1e308, '1e+308'],
    [{ a: undefined, b: 1 }, '{"b":1}'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [{ at: new URL('https://example.com/') }, '{"at":"https://example.com/"}'],
    [new Point(3), '{"x":3}'],
    [Object.assign(Object.create(null), { a: '😀' }), '{"a":"😀"}'],
  ])('takes %o', (value, text) => {
    expect(checkJson(value)).toBe(text)
  })

  it.each<[string, unknown, string, string]>([
    ['NUL in text', { a: [1, 'x\0y'] }, '/a/1', 'NUL'],
    ['NUL in a key', { a: { 'k\0': 1 } }, '/a/k\u{FFFD}', 'NUL'],
    ['a lone high surrogate', { a: '\ud800' }, '/a', 'surrogate'],
    ['a lone low surrogate', ['ok', '\udc00x'], '/1', 'surrogate'],
    ['NaN', { n: Number.NaN }, '/n', 'NaN'],
    ['Infinity, as 1e400 is parsed', JSON.parse('{"n":[1e400]}'), '/n/0', 'Infinity'],
    ['a bigint', { 'a/b': { 'c~d': 1n } }, '/a~1b/c~0d', 'bigint'],
    ['a function', { f() {} }, '/f', 'function'],
    ['a symbol', [Symbol('s')], '/0', 'symbol'],
    ['undefined in a list', [undefined], '/0', 'undefined'],
    ['a hole in a list', new Array(1), '/0', 'undefined'],
    ['__proto__ as data', JSON.parse('{"a":{"__proto__":{"admin":true}}}'), '/a/__proto__', '__proto__'],
    ['a Map', { m: new Map([[1, 2]]) }, '/m', 'Map'],
    ['a Set', { m: new Set([1]) }, '/m', 'Set'],
    ['an Error', { e: new Error('x') }, '/e', 'Error'],
    ['bytes', { b: Buffer.from('x') }, '/b', 'Uint8Array'],
    ['an invalid date', { d: new Date(Number.NaN) }, '/d', 'date'],
    ['the root itself', 5n, '/', 'bigint'],
  ])('refuses %s and names the place', (_what, value, path, word) => {
    const error = refusal(value)
    expect(error).toMatchObject({ code: 'invalid_input', status: 400 })
    expect(error.details.path).toBe(path)
    expect(error.message).toContain(word)
  })

  it('begins the pointer where the caller says', () => {
    expect(refusal({ a: 1n }, { path: '/jobs/3/input' }).details.path).toBe('/jobs/3/input/a')
  })

  it('takes 64 levels and refuses 65', () => {
    expect(checkJson(nested(63))).toBeTruthy()
    expect(checkJson(nested(64))).toBeTruthy()
    expect(refusal(nested(65))).toMatchObject({ code: 'too_deep', status: 400, details: { max: 64 } })
    expect(refusal(nested(100_000)).code).toBe('too_deep')
  })

  it('refuses a value that contains itself, and says so', () => {
    const loop: Record<string, unknown> = { a: {} }
    ;(loop.a as Record<string, unknown>).again = loop
    expect(refusal(loop).message).toContain('contains itself')
  })

  it.each([
    ['plain', 'x'],
    ['two bytes a character', 'é'],
    ['escaped', '"'],
  ])('takes exactly the limit of bytes (%s)', (_name, letter) => {
    const perLetter = letter === 'x' ? 1 : 2
    const bounds = { bytesMax: 2 + 100 * perLetter }
    expect(checkJson(letter.repeat(99), bounds)).toBeTruthy()
    expect(checkJson(letter.repeat(100), bounds)).toBeTruthy()
    expect(refusal(letter.repeat(101), bounds)).toMatchObject({ code: 'payload_too_large', status: 413 })
  })

  it('has 256 KiB as its limit unless told otherwise, and names it', () => {
    expect(checkJson('x'.repeat(262_142))).toHaveLength(262_144)
    expect(refusal('x'.repeat(262_143)).details).toMatchObject({ limit: 'payloadBytesMax', max: 262_144 })
    expect(refusal('x'.repeat(65_536), { limit: 'itemBytesMax' }).details).toMatchObject({
      limit: 'itemBytesMax',
      max: 65_536,
    })
  })

  it('gives up early on values that unfold into far more than the limit', () => {
    let bomb: unknown = 'boom'
    for (let level = 0; level < 60; level++) bomb = [bomb, bomb]
    expect(refusal(bomb).code).toBe('payload_too_large')
    expect(refusal(new Array(4_000_000_000)).code).toBe('payload_too_large')
  })

  it('a value that throws when it is read is refused, not passed on', () => {
    const trap = {
      get a() {
        throw new Error('trap')
      },
    }
    expect(refusal({ b: trap }).message).toContain('cannot be read')
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(refusal([proxy]).code).toBe('invalid_input')
  })

  it('does not repeat long keys in its answer', () => {
    expect(refusal({ ['k'.repeat(5000)]: 1n }).message.length).toBeLessThan(300)
  })
})
