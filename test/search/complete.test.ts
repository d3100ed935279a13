import { expect, it } from 'vitest'
import { completeSearch } from '../../src/search/search.js'

/** The caret is where the bar stands. */
const at = (marked: string) => completeSearch(marked.replace('|', ''), marked.indexOf('|'))
const choicesAt = (marked: string) => at(marked).choices.map(({ text }) => text)

it('offers fields by what is written of their name', () => {
  expect(choicesAt('st|')).toEqual(['state:'])
  expect(choicesAt('state:failed k|')).toEqual(['kind:', 'key:'])
  expect(choicesAt('-k|')).toEqual(['kind:', 'key:'])
  expect(choicesAt('|')).toContain('error:')
  expect(choicesAt('la|')).toEqual(['label.'])
  expect(choicesAt('zzz|')).toEqual([])
})

it('offers states, also after a comma, and replaces only the value at the caret', () => {
  expect(choicesAt('state:f|')).toEqual(['failed'])
  expect(choicesAt('state:failed,pa|')).toEqual(['paused', 'parked'])
  expect(at('state:failed,pa|x kind:a')).toMatchObject({ start: 13, end: 16 })
  expect(choicesAt('state:|')).toHaveLength(13)
})

it('names the field whose values the server knows', () => {
  expect(at('queue:ma|').ask).toEqual({ field: 'queue', prefix: 'ma' })
  expect(at('queue:"ma|').ask).toEqual({ field: 'queue', prefix: 'ma' })
  expect(at('label.team:c|').ask).toBeUndefined()
  expect(at('key:ma|').ask).toBeUndefined()
})

it('offers common durations', () => {
  expect(choicesAt('age>1|')).toEqual(['15m', '1h', '1d'])
})
