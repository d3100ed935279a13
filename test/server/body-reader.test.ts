// Large bodies are read piece by piece, to the rules of JSON.parse and to bounds of our own.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type BodyBounds, JsonReader } from '../../src/server/http/body/json-reader.js'

const BOUNDS: BodyBounds = { bodyDepthMax: 256, bodyValuesMax: 500_000, numberCharsMax: 400 }

function read(text: string, cuts: readonly number[] = [], bounds = BOUNDS): unknown {
  const reader = new JsonReader(bounds)
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
  for (const [n, from] of places.entries()) reader.push(text.slice(from, places[n + 1] ?? text.length))
  return reader.end()
}

const cuts = fc.array(fc.nat(10_000), { maxLength: 8 })
const json = fc.json({ maxDepth: 6 }).filter((text) => !text.includes('__proto__') && !/\d{16}/.test(text))

it('6.16 what is read in pieces is what JSON.parse makes of the whole, wherever it is cut', () => {
  fc.assert(
    fc.property(json, cuts, fc.constantFrom(0, 1, 4), (text, where, indent) => {
      const written = JSON.stringify(JSON.parse(text), null, indent)
      expect(read(written, where)).toEqual(JSON.parse(written))
      expect(read(text, where)).toEqual(JSON.parse(text))
    }),
    { numRuns: 500 },
  )
})

it('6.16 what JSON.parse refuses is refused, wherever it is cut', () => {
  const broken = fc.tuple(
    json,
    fc.nat(),
    fc.constantFrom('', ',', '}', ']', '"', ':', '-', '01', '\\', '\n', 'e', '\u0001', 'nul'),
  )
  fc.assert(
    fc.property(broken, cuts, ([text, place, put], where) => {
      const at = place % (text.length + 1)
      const spoiled = text.slice(0, at) + put + text.slice(at + (place % 2))
      let expected: unknown
      try {
        expected = { value: JSON.parse(spoiled) }
      } catch {
        expected = 'refused'
      }
      let found: unknown
      try {
        found = { value: read(spoiled, where) }
      } catch {
        found = 'refused'
      }
      if (!/\d{16}|__proto__/.test(spoiled)) expect(found).toEqual(expected)
    }),
    { numRuns: 2_000 },
  )
})

it.each([
  ['{"a": [1, 2', 'must be JSON; the text ends too early'],
  ['{"a": "b', 'must be JSON; the text ends too early'],
  ['', 'must be JSON; the text ends too early'],
  ['{"a": 1}\n {', 'must be JSON; unexpected character in line 2, column 2'],
  ['{"a": tru}', 'must be JSON; unexpected character in line 1, column 7'],
  ['{"a": "\\x"}', 'must be JSON; unexpected character in line 1, column 10'],
])('6.16 %j is refused with the place where it is not JSON', (text, problem) => {
  for (const where of [[], [3], [1, 4, 7]])
    expect(() => read(text, where)).toThrow(
      expect.objectContaining({ errors: [{ in: 'body', pointer: '/', problem }] }),
    )
})

it.each([
  ['{"a": [0, {"__proto__": 1}]}', '/a/1/__proto__'],
  ['{"a": [0, {"__pr\\u006fto__": 1}]}', '/a/1/__proto__'],
  ['{"a": [0, [1, 12345678901234567]]}', '/a/1/1'],
  ['{"a": [0, -12345678901234567 ]}', '/a/1'],
  [`{"a": {"b": ${'7'.repeat(401)}}}`, '/a/b'],
])('6.16 %j is refused with its place', (text, pointer) => {
  for (const where of [[], [13], [2, 12, 14, 20]])
    expect(() => read(text, where)).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ pointer })] }),
    )
})

it('6.16 a value that is nested too deep, a number that is too long and too many values are refused before the rest is read', () => {
  const deep = new JsonReader(BOUNDS)
  expect(() => deep.push('['.repeat(257))).toThrow(
    expect.objectContaining({
      code: 'too_deep',
      details: expect.objectContaining({ max: 256, limit: 'bodyDepthMax' }),
    }),
  )
  const long = new JsonReader(BOUNDS)
  long.push('[')
  long.push('7'.repeat(400))
  expect(() => long.push('7')).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  const many = new JsonReader({ ...BOUNDS, bodyValuesMax: 3 })
  many.push('[0,0')
  expect(() => many.push(',0,')).toThrow(
    expect.objectContaining({
      code: 'payload_too_large',
      details: expect.objectContaining({ limit: 'bodyValuesMax' }),
    }),
  )
})
