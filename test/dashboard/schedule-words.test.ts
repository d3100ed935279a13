/** Schedules in words, and the days on which clocks change. */
import { expect, it } from 'vitest'
import { inWords } from '../../dashboard/src/pages/schedules/words.js'
import {
  clockChange,
  clockChangeWords,
  offsetMinutes,
  wallTime,
} from '../../dashboard/src/pages/schedules/zones.js'

it.each([
  ['@daily', 'Every day at 00:00'],
  ['@hourly', 'Every hour'],
  ['@every 90m', 'Every 90 minutes'],
  ['@every 1h30m', 'Every 1 hour 30 minutes'],
  ['@every 1h', 'Every hour'],
  ['*/10 * * * *', 'Every 10 minutes'],
  ['* * * * *', 'Every minute'],
  ['*/5 * * * * *', 'Every 5 seconds'],
  ['30 2 * * *', 'Every day at 02:30'],
  ['30 0 9 * * *', 'Every day at 09:00:30'],
  ['0 9 * * MON-FRI', 'Every weekday at 09:00'],
  ['0 9,17 * * 1-5', 'Every weekday at 09:00 and 17:00'],
  ['0 9 * * 7', 'Every Sunday at 09:00'],
  ['15 * * * *', 'Every hour at :15'],
  ['0 */6 * * *', 'Every 6 hours'],
  ['*/15 8-17 * * MON-FRI', 'Every 15 minutes from 08:00 to 17:59, every weekday'],
  ['0 0 1 * *', 'On the 1st of the month at 00:00'],
  ['0 0 1,15 1 *', 'On the 1st and 15th of the month at 00:00, in January'],
  ['0 6 L * *', 'On the last day of the month at 06:00'],
  ['0 6 * * 5#2', 'On the 2nd Friday of the month at 06:00'],
  ['0 6 * * 5L', 'On the last Friday of the month at 06:00'],
])('%s is: %s', (expression, words) => {
  expect(inWords(expression)).toBe(words)
})

it.each(['', 'nonsense', '0 9 1 * MON', '0 9 15W * *', '10-40/10 * * * *', '1 2 3'])(
  '%j has no words and is shown as it is written',
  (expression) => {
    expect(inWords(expression)).toBeNull()
  },
)

it('the time on the wall is that of the zone, with seconds only if there are any', () => {
  const at = Date.parse('2026-11-17T23:30:00Z')
  expect(wallTime(at, 'Europe/Berlin')).toEqual({ date: '2026-11-18', weekday: 'Wed', time: '00:30' })
  expect(wallTime(at + 5_000, 'UTC').time).toBe('23:30:05')
  expect([offsetMinutes(at, 'Asia/Kolkata'), offsetMinutes(at, 'America/New_York')]).toEqual([330, -300])
})

it.each([
  ['2026-03-28T12:00:00Z', 'Europe/Berlin', 0],
  ['2026-03-28T23:30:00Z', 'Europe/Berlin', 60],
  ['2026-03-29T21:59:00Z', 'Europe/Berlin', 60],
  ['2026-03-29T22:00:00Z', 'Europe/Berlin', 0],
  ['2026-10-25T12:00:00Z', 'Europe/Berlin', -60],
  ['2026-10-25T12:00:00Z', 'UTC', 0],
  ['2026-11-01T12:00:00Z', 'America/New_York', -60],
  ['2026-04-04T20:00:00Z', 'Australia/Lord_Howe', -30],
])('on the day of %s in %s clocks change by %d minutes', (at, zone, minutes) => {
  expect(clockChange(Date.parse(at), zone)).toBe(minutes)
})

it('a change of clocks has words', () => {
  expect([clockChangeWords(60), clockChangeWords(-30)]).toEqual([
    'clocks go forward 1 h',
    'clocks go back 30 min',
  ])
})
