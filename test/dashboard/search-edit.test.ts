/** The search box: what is coloured, what is underlined, and what a click on a facet makes of a search. */
import { expect, it } from 'vitest'
import { piecesOf, shownProblem } from '../../dashboard/src/search/colours.js'
import { hasValue, toggleValue } from '../../dashboard/src/search/edit.js'
import { parseSearch } from '../../src/search/search.js'

it('pieces cover the whole text, and the mistake alone is wrong', () => {
  const text = 'kind:charge  stat:failed -queue:a,b 42'
  const pieces = piecesOf(text, parseSearch(text))
  expect(pieces.map((piece) => piece.text).join('')).toBe(text)
  expect(pieces.filter(({ wrong }) => wrong).map((piece) => piece.text)).toEqual(['stat'])
  expect(pieces[0]).toMatchObject({ text: 'kind', look: 'field' })
})

it('the word that is being written is not a mistake yet', () => {
  const { problems } = parseSearch('stat:failed')
  expect(shownProblem(problems, 4)).toBeUndefined()
  expect(shownProblem(problems, 11)?.message).toContain('stat')
  expect(shownProblem(problems, null)?.message).toContain('stat')
})

it('a facet adds its value and takes it out again', () => {
  const one = toggleValue('kind:x', 'state', 'failed')
  expect(one).toBe('kind:x state:failed')
  const two = toggleValue(one, 'state', 'parked')
  expect(two).toBe('kind:x state:failed,parked')
  expect(hasValue(two, 'state', 'parked')).toBe(true)
  expect(toggleValue(toggleValue(two, 'state', 'failed'), 'state', 'parked')).toBe('kind:x')
})

it('a value with a star, a space or a quote is meant as it is written', () => {
  for (const name of ['a*b', 'two words', 'say "hi"', 'x,y', 'back\\slash']) {
    const q = toggleValue('', 'queue', name)
    expect(parseSearch(q).problems).toEqual([])
    expect(hasValue(q, 'queue', name)).toBe(true)
    expect(toggleValue(q, 'queue', name)).toBe('')
  }
})
