import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanJson, cleanText, textOf } from '../../src/domain/clean.js'
import { errorFacts, fingerprint } from '../../src/domain/errors/failure.js'

const UNSTORABLE = /[\0\p{Surrogate}]/u
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('a', '\0', '\ud800', '\udc00', '😀', 'é', '€'), { maxLength: 60 })
    .map((parts) => parts.join('')),
)
const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withTypedArray: true,
  withSparseArray: true,
  withNullPrototype: true,
  withObjectString: true,
})
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

describe('cleanText', () => {
  it.each([
    ['hello', 5, 'head', 'hello', false],
    ['hello', 4, 'head', 'hell', true],
    ['hello', 4, 'tail', 'ello', true],
    ['hello', 0, 'tail', '', true],
    ['a\0b', 9, 'head', 'a\u{FFFD}b', true],
    ['a\ud800b', 9, 'head', 'a\u{FFFD}b', true],
    ['ab😀', 5, 'head', 'ab', true],
    ['ab😀', 6, 'head', 'ab😀', false],
    ['😀ab', 5, 'tail', 'ab', true],
    ['😀', 3, 'head', '', true],
  ] as const)('%j in %i bytes, %s kept: %j', (text, bytes, keep, expected, cleaned) => {
    expect(cleanText(text, bytes, keep)).toEqual({ text: expected, cleaned })
  })

  it('always fits, is storable, flags a change, and changes nothing twice', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.nat(80),
        fc.constantFrom('head' as const, 'tail' as const),
        (text, most, keep) => {
          const result = cleanText(text, most, keep)
          expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(most)
          expect(UNSTORABLE.test(result.text)).toBe(false)
          expect(result.cleaned).toBe(result.text !== text)
          expect(cleanText(result.text, most, keep)).toEqual({ text: result.text, cleaned: false })
          const fits = Buffer.byteLength(text) <= most && !UNSTORABLE.test(text)
          expect(result.cleaned).toBe(!fits)
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('wastes at most one character of room', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 30 }),
        fc.integer({ min: 4, max: 25 }),
        (text, most) => {
          for (const keep of ['head', 'tail'] as const) {
            expect(Buffer.byteLength(cleanText(text, most, keep).text)).toBeGreaterThan(most - 4)
          }
        },
      ),
    )
  })

  it('takes what is not text', () => {
    expect(cleanText(undefined, 20)).toEqual({ text: 'undefined', cleaned: true })
    expect(cleanText(Object.create(null), 20).text).toBe('[unreadable]')
    expect(textOf(Symbol('s'))).toBe('Symbol(s)')
  })
})

describe('cleanJson', () => {
  it('leaves alone what is fine', () => {
    expect(cleanJson({ a: [1, 'x', null] })).toEqual({ json: '{"a":[1,"x",null]}', cleaned: false })
    expect(cleanJson(undefined)).toEqual({ json: 'null', cleaned: false })
  })

  it.each<[string, unknown, string, string]>([
    ['bigint', { n: 12n }, '{"n":"12"}', '/n: bigint'],
    ['NaN', [Number.NaN, -Infinity], '["NaN","-Infinity"]', '/0: NaN'],
    ['NUL', { 'k\0': 'a\0b' }, '{"k\u{FFFD}":"a\u{FFFD}b"}', 'characters replaced'],
    [
      'a Map',
      {
        m: new Map<unknown, unknown>([
          ['a', 1],
          [2, { b: 3n }],
        ]),
      },
      '{"m":{"2":{"b":"3"},"a":1}}',
      '/m: Map',
    ],
    ['a Set', new Set([1, 2]), '[1,2]', 'Set'],
    ['an Error', { e: new TypeError('x') }, '{"e":{"name":"TypeError","message":"x"}}', '/e: error'],
    ['a function', { f() {}, g: 1 }, '{"f":"[function]","g":1}', '/f: function'],
    ['a hole', [undefined, 1], '[null,1]', '/0: undefined'],
    [
      'an invalid date',
      { d: new Date(Number.NaN), e: new Date(0) },
      '{"d":null,"e":"1970-01-01T00:00:00.000Z"}',
      '/d',
    ],
    ['bytes', { b: new Uint8Array(9) }, '{"b":"[9 bytes]"}', '/b: binary'],
    ['__proto__', JSON.parse('{"a":1,"__proto__":{"x":1}}'), '{"a":1}', '__proto__'],
    ['toJSON', { n: 1n, at: new URL('https://example.com/') }, '{"n":"1","at":"https://example.com/"}', '/n'],
    ['undefined fields', { a: undefined, n: 1n }, '{"n":"1"}', '/n'],
  ])('writes %s in another way and says so', (_what, value, json, note) => {
    const result = cleanJson(value)
    expect(JSON.parse(result.json)).toEqual(JSON.parse(json))
    expect(result.cleaned).toBe(true)
    expect(result.note).toContain(note)
  })

  it('says so where a value cannot even be looked at', () => {
    expect(cleanJson({ p: revoked(), n: 1 })).toMatchObject({
      json: '{"p":"[unreadable]","n":1}',
      cleaned: true,
    })
    expect(errorFacts(revoked())).toMatchObject({ class: 'object', message: '[unreadable]', stack: null })
  })

  it('breaks cycles and cuts what is nested too deep', () => {
    const loop: Record<string, unknown> = { n: 1 }
    loop.self = loop
    expect(cleanJson(loop).json).toBe('{"n":1,"self":"[cycle]"}')
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect(cleanJson(deep).json).toContain('[too deep]')
  })

  it('replaces what is too large by a marker, and by null where not even that fits', () => {
    const result = cleanJson({ text: 'x'.repeat(300_000) })
    expect(JSON.parse(result.json)).toEqual({ _holdfast: { dropped: 'too large', bytesMax: 262_144 } })
    expect(result.note).toContain('too large')
    expect(cleanJson('x'.repeat(30), 20).json).toBe('null')
    expect(cleanJson(new Array(4_000_000_000)).json).toContain('too large')
    let bomb: unknown = 1n
    for (let level = 0; level < 60; level++) bomb = [bomb, bomb]
    expect(cleanJson(bomb).json).toContain('too large')
  })

  it('never throws, always fits, is always JSON that Postgres can store', () => {
    fc.assert(
      fc.property(
        fc.oneof(anything, fc.jsonValue({ stringUnit: 'binary' })),
        fc.integer({ min: 4, max: 400 }),
        (value, most) => {
          const { json, cleaned, note } = cleanJson(value, most)
          expect(Buffer.byteLength(json)).toBeLessThanOrEqual(most)
          JSON.parse(json, (key, part) => {
            expect(UNSTORABLE.test(key) || key === '__proto__').toBe(false)
            expect(typeof part === 'string' && UNSTORABLE.test(part)).toBe(false)
            return part
          })
          expect(note !== undefined).toBe(cleaned)
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('errorFacts', () => {
  it('keeps class, message, stack and the causes', () => {
    const error = new TypeError('no such page', { cause: new RangeError('page 7') })
    const facts = errorFacts(error)
    expect(facts).toMatchObject({ class: 'TypeError', message: 'no such page' })
    expect(facts.stack).toMatch(/TypeError: no such page[\s\S]*Caused by: RangeError: page 7/)
    expect(facts.fingerprint).toMatch(/^[0-9a-f]{16}$/)
  })

  it.each<[unknown, string, string]>([
    ['plain text', 'string', 'plain text'],
    [undefined, 'undefined', 'undefined'],
    [null, 'object', 'null'],
    [7n, 'bigint', '7'],
    [{ message: 'made by hand' }, 'Object', 'made by hand'],
    [{ code: 'ECONNRESET' }, 'Object', 'ECONNRESET'],
    [new AggregateError([new Error('first'), new Error('second')]), 'AggregateError', 'first; second'],
    [Object.create(null), 'object', '[unreadable]'],
  ])('takes whatever is thrown: %#', (thrown, kind, message) => {
    expect(errorFacts(thrown)).toMatchObject({ class: kind, message })
  })

  it('bounds message and stack and makes them storable', () => {
    const error = new Error(`\0${'x'.repeat(100_000)}`)
    error.stack = 'y'.repeat(100_000)
    const facts = errorFacts(error)
    expect(Buffer.byteLength(facts.message)).toBe(8192)
    expect(facts.message[0]).toBe('\u{FFFD}')
    expect(facts.stack).toHaveLength(16_384)
  })

  it('never throws and always fits', () => {
    fc.assert(
      fc.property(anything, (thrown) => {
        const facts = errorFacts(thrown)
        expect(Buffer.byteLength(facts.class)).toBeLessThanOrEqual(100)
        expect(Buffer.byteLength(facts.message)).toBeLessThanOrEqual(8192)
        expect(UNSTORABLE.test(facts.class + facts.message)).toBe(false)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('fingerprint', () => {
  it.each([
    ['timeout after 30000 ms', 'timeout after 1.5 ms'],
    ['job 8f14e45f-ceea-467f-9575-2d4a1b2c3d4e failed', 'job 00000000-0000-4000-8000-000000000001 failed'],
    ["can't find user 'bob'", "can't find user 'alice smith'"],
    ['bad value "x" in `a`', 'bad value "some y" in `b c`'],
    ['at 0xdeadbeef', 'at 0x1'],
    ['commit 9fceb02d0ae5 missing', 'commit 1a2b3c4d5e missing'],
  ])('groups %j with %j', (a, b) => {
    expect(fingerprint('Error', a)).toBe(fingerprint('Error', b))
  })

  it.each([
    ['connection refused', 'connection reset'],
    ["can't find user 'bob'", "can't find page 'bob'"],
    ['no such column feedface', 'no such column deadbeef'],
  ])('keeps %j apart from %j', (a, b) => {
    expect(fingerprint('Error', a)).not.toBe(fingerprint('Error', b))
  })

  it('keeps classes apart', () => {
    expect(fingerprint('TypeError', 'x')).not.toBe(fingerprint('RangeError', 'x'))
  })
})
