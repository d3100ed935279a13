/** How many jobs a step of a search examines. */
import { expect, it } from 'vitest'
import { nextWindow } from '../../../src/store/search/job-search.js'

it.each([
  ['doubles after a quick step', 4_000, { tookMs: 10, leftMs: 280 }, 8_000],
  ['stays after a step of usual length', 4_000, { tookMs: 100, leftMs: 200 }, 4_000],
  ['halves after a slow step', 8_000, { tookMs: 200, leftMs: 1_000 }, 4_000],
  ['takes no more than fits into the time left', 16_000, { tookMs: 30, leftMs: 15 }, 8_000],
  ['never falls below the first', 1_000, { tookMs: 160, leftMs: 1 }, 1_000],
  ['never exceeds the largest', 50_000, { tookMs: 20, leftMs: 2_000 }, 50_000],
] as const)('a window %s', (_title, window, step, next) => {
  expect(nextWindow(window, step)).toBe(next)
})
