import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffMs } from '../../src/domain/retry.js'
import { resolvePolicy } from '../../src/domain/settings.js'
import { PRESETS, type PresetName } from '../../src/presets/presets.js'

const SECOND = 1000
const HOUR = 3_600_000

function delayOf(preset: PresetName, failures: number, random: number): number {
  const policy = resolvePolicy(PRESETS[preset])
  return backoffMs({
    failures,
    baseMs: policy.retryBaseMs,
    factor: policy.retryFactor,
    capMs: policy.retryCapMs,
    jitterLow: policy.jitterLow,
    jitterHigh: policy.jitterHigh,
    random,
  })
}

describe('the delay before a retry', () => {
  it.each([
    [0, 30],
    [1, 60],
    [2, 120],
    [3, 240],
    [4, 480],
    [5, 960],
    [6, 1920],
    [7, 3600],
    [8, 3600],
    [1000, 3600],
  ])('harvest: after %i earlier failures %i s, plus up to a fifth', (failures, seconds) => {
    expect(delayOf('harvest', failures, 0)).toBe(seconds * SECOND)
    expect(delayOf('harvest', failures, 1)).toBe(seconds * SECOND * 1.2)
  })

  it.each([
    [1, 48, 72],
    [2, 96, 144],
    [3, 192, 288],
    [4, 384, 576],
    [5, 768, 1152],
    [12, 19.2 * 3600, 28.8 * 3600],
    [20, 19.2 * 3600, 28.8 * 3600],
    [1001, 19.2 * 3600, 28.8 * 3600],
  ])('crawl: retry %i waits %d to %d s', (retry, low, high) => {
    expect(delayOf('crawl', retry - 1, 0)).toBe(low * SECOND)
    expect(delayOf('crawl', retry - 1, 1)).toBe(high * SECOND)
  })

  it('crawl: is 24 h from 11 earlier failures on and not before', () => {
    expect(delayOf('crawl', 10, 0.5)).toBe(1024 * 60 * SECOND)
    for (const failures of [11, 12, 19, 20, 100]) expect(delayOf('crawl', failures, 0.5)).toBe(24 * HOUR)
  })

  it('catalog: 1 s doubled up to 60 s', () => {
    expect([0, 1, 2, 5, 6].map((failures) => delayOf('catalog', failures, 0.5))).toEqual([
      1000, 2000, 4000, 32_000, 60_000,
    ])
  })

  it('stays within [0, cap · (1 + jitter)] for any attempts, base, factor, cap and jitter', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 31 }),
        fc.oneof(fc.integer({ min: 0, max: 1e9 }), fc.double({ min: 0, max: 1e9, noNaN: true })),
        fc.double({ min: 1, max: 100, noNaN: true }),
        fc.integer({ min: 0, max: 1e12 }),
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, baseMs, factor, capMs, jitterLow, spread, random) => {
          const jitterHigh = Math.min(1, jitterLow + spread)
          const delay = backoffMs({ failures, baseMs, factor, capMs, jitterLow, jitterHigh, random })
          expect(Number.isInteger(delay)).toBe(true)
          expect(delay).toBeGreaterThanOrEqual(0)
          expect(delay).toBeLessThanOrEqual(capMs * (1 + jitterHigh))
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('is a whole number even for numbers that make no sense', () => {
    const odd = fc.constantFrom(Number.NaN, Infinity, -Infinity, -1, 0, 1, 1e308, 5e-324)
    fc.assert(
      fc.property(odd, odd, odd, odd, odd, (failures, baseMs, factor, random, jitterLow) => {
        const delay = backoffMs({ failures, baseMs, factor, capMs: 1000, jitterLow, jitterHigh: 0.2, random })
        expect(Number.isInteger(delay)).toBe(true)
        expect(delay).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  it('draws its own jitter when none is given', () => {
    const delay = backoffMs({
      failures: 0,
      baseMs: 1000,
      factor: 2,
      capMs: 1000,
      jitterLow: -0.2,
      jitterHigh: 0.2,
    })
    expect(delay).toBeGreaterThanOrEqual(800)
    expect(delay).toBeLessThanOrEqual(1200)
  })
})
