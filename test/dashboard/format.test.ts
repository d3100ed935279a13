import { describe, expect, it } from 'vitest'
import {
  formatBytes,
  formatCapped,
  formatClock,
  formatCompact,
  formatDuration,
  formatExact,
  formatNumber,
  formatRelative,
  formatShare,
  formatTick,
  formatUnit,
} from '../../dashboard/src/ui/format.js'

const plain = (text: string) => text.replaceAll('\u202f', ' ')

it('a number has fewer digits behind the point the larger it is', () => {
  expect([0, 0.253, 9.876, 28.83, 99.96, 100.4, 18_204].map(formatNumber)).toEqual([
    '0',
    '0.25',
    '9.88',
    '28.8',
    '100',
    '100',
    '18,204',
  ])
})

describe('durations have two units at most', () => {
  it.each([
    [0, '0 ms'],
    [0.4, '< 1 ms'],
    [8, '8 ms'],
    [999, '999 ms'],
    [1_000, '1.0 s'],
    [9_999, '9.9 s'],
    [10_000, '10 s'],
    [119_999, '119 s'],
    [120_000, '2 min'],
    [3_599_999, '59 min'],
    [3_600_000, '1 h'],
    [7_800_000, '2 h 10 min'],
    [86_400_000, '1 d'],
    [273_600_000, '3 d 4 h'],
    [14 * 86_400_000, '14 d'],
    [-1_500, '−1.5 s'],
  ])('%d ms', (ms, text) => {
    expect(plain(formatDuration(ms))).toBe(text)
  })
})

it('times are relative to the clock that is given', () => {
  const now = Date.parse('2026-11-17T12:00:00Z')
  expect(formatRelative(now - 400, now)).toBe('now')
  expect(formatRelative(now - 4_200, now)).toBe('4 s ago')
  expect(formatRelative(now + 7_800_000, now)).toBe('in 2 h 10 min')
})

it('below a chart a day begins with its date', () => {
  expect(formatTick(Date.parse('2026-11-17T18:00:00Z'), 'utc')).toBe('18:00')
  expect(formatTick(Date.parse('2026-11-17T00:00:00Z'), 'utc')).toBe('17 Nov')
})

it('exact times have their zone, and the date unless it is today', () => {
  const at = Date.parse('2026-11-17T09:14:05.123Z')
  expect(formatExact(at, 'utc')).toBe('2026-11-17 09:14:05.123 UTC')
  expect(formatClock(at, at + 3_600_000, 'utc')).toBe('09:14')
  const days = (n: number) => at + n * 86_400_000
  expect(formatClock(at, days(1), 'utc')).toBe('yesterday 09:14')
  expect(formatClock(at, days(-1), 'utc')).toBe('tomorrow 09:14')
  expect(formatClock(at, days(14), 'utc')).toBe('17 Nov 09:14')
  expect(formatClock(at, days(60), 'utc')).toBe('17 Nov 2026 09:14')
  expect(formatExact(at, 'local')).toMatch(/^2026-11-1\d \d\d:\d\d:05\.123 [+−]\d\d:\d\d$/)
})

it('shares never round to everything or nothing', () => {
  expect(plain(formatShare(0))).toBe('0 %')
  expect(plain(formatShare(0.0001))).toBe('< 0.1 %')
  expect(plain(formatShare(0.031))).toBe('3.1 %')
  expect(plain(formatShare(0.87))).toBe('87 %')
  expect(plain(formatShare(0.9999))).toBe('> 99.9 %')
  expect(plain(formatShare(1))).toBe('100 %')
})

it('large numbers are short in tiles, and a count that stopped shows it', () => {
  expect(plain(formatCompact(1_420_000))).toMatch(/^1[.,]42 M$/)
  expect(plain(formatCompact(9_999))).toMatch(/^9.?999$/)
  expect(formatCapped(1_000, 1_000)).toMatch(/^1.?000\+$/)
  expect(formatCapped(999, 1_000)).toBe('999')
})

it('a number is shown in the unit that its name ends with', () => {
  expect(formatUnit(3_600, 'ALERT_RUNNING_SEC')).toBe('1 h')
  expect(formatUnit(30, 'ALERT_DAYS')).toBe('30 days')
  expect(formatUnit(60, 'LEASE_SEC_DEFAULT')).toBe('60 s')
  expect(formatUnit(5_000, 'PROCESSING_POLL_MS')).toBe('5 s')
  expect(formatUnit(5, 'MAX_ATTEMPTS_DEFAULT')).toBe('5')
  expect(plain(formatUnit(10, 'ALERT_FAILED_PERCENT'))).toBe('10 %')
  expect(formatUnit(10, 'AGE_STEP')).toBe('10')
  expect(formatBytes(1_500)).toBe('1.5 kB')
})
