import { expect, it } from 'vitest'
import { countedPoints } from '../../dashboard/src/pages/parts/points.js'

const MINUTE = 60_000
const at = (minutes: number) => new Date(Date.UTC(2026, 10, 18) + minutes * MINUTE).toISOString()
const points = [{ at: at(0) }, { at: at(15) }]
const rates = (counted_to: string | null, step_ms = 15 * MINUTE) =>
  countedPoints({ points, counted_to, step_ms }).map(({ perMinute }) => perMinute)

it('counts of the point that is under way are of the time that has passed', () => {
  expect(rates(at(20))).toEqual([1 / 15, 1 / 5])
  expect(rates(at(30))).toEqual([1 / 15, 1 / 15])
  expect(rates(null)).toEqual([1 / 15, 1 / 15])
})

it('a point with less than a minute is left out', () => {
  expect(rates(at(15.9))).toEqual([1 / 15])
  expect(rates(at(15))).toEqual([1 / 15])
  expect(rates(at(15.9), MINUTE)).toEqual([1])
  expect(rates(at(16), MINUTE)).toEqual([1, 1])
})
