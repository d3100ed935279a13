import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BigNumber, parseJson, writeJson } from '../../dashboard/src/api/json.js'

/** Engines before JSON.parse with source text (Node 20) lose digits, as JSON.parse does. */
const hasSource = 'rawJSON' in JSON

it('keeps numbers that a double cannot hold, and writes them unchanged, where the engine gives their text', () => {
  const text =
    '{"id":12345678901234567890,"price":0.1000000000000000055511151231257827021181583404541015625,"big":1e400}'
  const value = parseJson(text) as Record<string, unknown>
  if (!hasSource) {
    expect(value).toEqual(JSON.parse(text))
    return
  }
  expect(value.id).toEqual(new BigNumber('12345678901234567890'))
  expect(value.big).toBeInstanceOf(BigNumber)
  expect(writeJson(value)).toBe(text)
})

it('leaves numbers that a double holds as numbers', () => {
  const value = {
    safe: Number.MAX_SAFE_INTEGER,
    half: 0.5,
    zero: 0,
    round: 1e21,
    small: -1.5e-7,
    list: [1, 2.25],
  }
  expect(parseJson(JSON.stringify(value))).toEqual(value)
  expect(parseJson('[1.10, 100, 10000000000000000000000]')).toEqual([1.1, 100, 1e22])
})

it('reads every value of JSON as JSON.parse does, where nothing is lost', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      expect(parseJson(text)).toEqual(JSON.parse(text))
      expect(JSON.parse(writeJson(parseJson(text)))).toEqual(JSON.parse(text))
    }),
  )
})
