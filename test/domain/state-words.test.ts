import { describe, expect, it } from 'vitest'
import { isEnded, isLive, isState, placeOf, STATES, type State } from '../../src/domain/states/states.js'
import { PRESET_NAMES, type PresetName } from '../../src/presets/presets.js'
import {
  attemptedForStateWord,
  statesWithStateWord,
  stateWord,
  stateWordsOf,
} from '../../src/presets/state-words.js'

const PRESETS: PresetName[] = ['harvest', 'crawl', 'pipeline', 'target', 'catalog']

describe('words', () => {
  it.each<[State, boolean, string]>([
    ['pending', false, 'queued queued queued PENDING queued'],
    ['scheduled', false, 'queued queued queued QUEUED queued'],
    ['queued', false, 'queued queued queued QUEUED queued'],
    ['assigned', true, 'processing crawling processing RUNNING assigned'],
    ['running', true, 'processing crawling processing RUNNING running'],
    ['retrying', true, 'queued queued failed_retryable QUEUED queued'],
    ['queued', true, 'queued queued failed_retryable QUEUED queued'],
    ['scheduled', true, 'queued queued failed_retryable QUEUED queued'],
    ['waiting', false, 'queued queued queued QUEUED queued'],
    ['parked', true, 'queued queued failed_retryable QUEUED queued'],
    ['paused', true, 'queued queued failed_retryable PAUSED queued'],
    ['errored', true, 'queued queued failed_retryable ERROR queued'],
    ['succeeded', true, 'done success completed SUCCESS succeeded'],
    ['failed', true, 'failed failed failed CANCELED failed'],
    ['canceled', true, 'failed failed failed CANCELED canceled'],
  ])('%s (attempted: %s) reads %s', (state, attempted, words) => {
    expect(PRESETS.map((preset) => stateWord(preset, state, { attempted }))).toEqual(words.split(' '))
    expect(stateWord('default', state, { attempted })).toBe(state)
  })

  it.each<[PresetName, string]>([
    ['harvest', 'queued processing done failed'],
    ['crawl', 'queued crawling success failed'],
    ['pipeline', 'queued processing completed failed_retryable failed'],
    ['target', 'PENDING QUEUED RUNNING PAUSED ERROR SUCCESS CANCELED'],
    ['catalog', 'queued assigned running succeeded failed canceled'],
  ])('%s has no words but %s', (preset, words) => {
    expect(stateWordsOf(preset).sort()).toEqual(words.split(' ').sort())
  })

  it('every job is found by the word it reads, and by no other', () => {
    for (const preset of PRESET_NAMES) {
      for (const state of STATES) {
        for (const attempted of [false, true]) {
          const found = stateWordsOf(preset).filter((word) => {
            const needs = attemptedForStateWord(preset, word)
            return (
              statesWithStateWord(preset, word).includes(state) && (needs === null || needs === attempted)
            )
          })
          const impossible = state === 'retrying' && !attempted
          if (!impossible) expect(found).toEqual([stateWord(preset, state, { attempted })])
        }
      }
    }
  })

  it('an unknown word finds nothing', () => {
    expect(statesWithStateWord('crawl', 'processing')).toEqual([])
  })
})

describe('states', () => {
  it('belong to one place each and are either live or ended', () => {
    expect(STATES).toHaveLength(13)
    for (const state of STATES) {
      expect(isState(state)).toBe(true)
      expect(isLive(state)).toBe(placeOf(state) !== 'attempt')
      expect(isEnded(state)).toBe(!isLive(state))
    }
    expect(isState('done')).toBe(false)
    expect(() => placeOf('done' as State)).toThrow('no place')
  })
})
