import { expect, it } from 'vitest'
import { parseExpression } from '../../../src/domain/schedule/expression.js'
import { nextSlots } from '../../../src/domain/schedule/slots.js'
import { zoneNamed } from '../../../src/domain/schedule/zone.js'

/** The next slots, as far as they differ from each other: `2024-01-31T09:00`. */
function next(expression: string, from = '2024-01-09T12:00:00Z', count = 3, zone = 'UTC'): string[] {
  const slots = nextSlots(parseExpression(expression), zoneNamed(zone), new Date(from), count)
  return slots.map((slot) => slot.toISOString().replace(/(:00)?\.000Z$/, ''))
}

it.each([
  ['@yearly', ['2025-01-01T00:00', '2026-01-01T00:00']],
  ['@annually', ['2025-01-01T00:00', '2026-01-01T00:00']],
  ['@monthly', ['2024-02-01T00:00', '2024-03-01T00:00']],
  ['@weekly', ['2024-01-14T00:00', '2024-01-21T00:00']],
  ['@daily', ['2024-01-10T00:00', '2024-01-11T00:00']],
  ['@hourly', ['2024-01-09T13:00', '2024-01-09T14:00']],
  ['@HOURLY', ['2024-01-09T13:00', '2024-01-09T14:00']],
])('%s means what the document says', (expression, expected) => {
  expect(next(expression, undefined, 2)).toEqual(expected)
})

it.each([
  ['@every 1s', 1_000],
  ['@every 1.5s', 1_500],
  ['@every 90m', 90 * 60_000],
  ['@every 1h30m', 90 * 60_000],
  ['@every 7d', 7 * 86_400_000],
  ['@every 1d12h', 36 * 3_600_000],
  ['@every 2s500ms', 2_500],
  ['@every 1000000us', 1_000],
  ['@every 1000000µs', 1_000],
  ['@every 1000000μs', 1_000],
  ['@every 1000000000ns', 1_000],
  ['@every 1s 500ms', undefined],
])('%s is a rhythm of %s ms', (expression, everyMs) => {
  if (everyMs === undefined) expect(() => parseExpression(expression)).toThrow('position 10')
  else expect(parseExpression(expression)).toEqual({ kind: 'every', everyMs })
})

it('@every counts from the slot before it, whatever the calendar does', () => {
  // The day the clocks change has 23 hours here, and a day is 24.
  expect(next('@every 1d', '2024-03-30T12:00:00Z', 2, 'Europe/Berlin')).toEqual([
    '2024-03-31T12:00',
    '2024-04-01T12:00',
  ])
})

it.each([
  ['999ms', false],
  ['1s', true],
  ['1001ms', true],
  ['3652d11h59m59s', true],
  ['3652d12h', true],
  ['3652d12h1s', false],
])('@every is at least a second and at most ten years: %s', (text, good) => {
  if (good) expect(parseExpression(`@every ${text}`)).toMatchObject({ kind: 'every' })
  else expect(() => parseExpression(`@every ${text}`)).toThrow('position 8')
})

it.each([
  ['*/20 9-10 * * *', ['2024-01-10T09:00', '2024-01-10T09:20', '2024-01-10T09:40']],
  ['5,50 12 * * *', ['2024-01-09T12:05', '2024-01-09T12:50', '2024-01-10T12:05']],
  ['10/25 * * * *', ['2024-01-09T12:10', '2024-01-09T12:35', '2024-01-09T13:10']],
  ['0 9 * * MON-FRI', ['2024-01-10T09:00', '2024-01-11T09:00', '2024-01-12T09:00']],
  ['0 9 * * fri-7', ['2024-01-12T09:00', '2024-01-13T09:00', '2024-01-14T09:00']],
  ['0 0 1 JAN,jul *', ['2024-07-01T00:00', '2025-01-01T00:00', '2025-07-01T00:00']],
  ['15 30 9 * * *', ['2024-01-10T09:30:15', '2024-01-11T09:30:15', '2024-01-12T09:30:15']],
  ['*/30 * * * * ?', ['2024-01-09T12:00:30', '2024-01-09T12:01', '2024-01-09T12:01:30']],
  ['0 0 29 2 *', ['2024-02-29T00:00', '2028-02-29T00:00', '2032-02-29T00:00']],
  ['0 0 L * *', ['2024-01-31T00:00', '2024-02-29T00:00', '2024-03-31T00:00']],
  ['0 0 L-2 2 *', ['2024-02-27T00:00', '2025-02-26T00:00', '2026-02-26T00:00']],
  ['0 0 LW * *', ['2024-01-31T00:00', '2024-02-29T00:00', '2024-03-29T00:00']],
  ['0 0 1W 6,9 *', ['2024-06-03T00:00', '2024-09-02T00:00', '2025-06-02T00:00']],
  ['0 0 13W * *', ['2024-01-12T00:00', '2024-02-13T00:00', '2024-03-13T00:00']],
  ['0 0 * * 5L', ['2024-01-26T00:00', '2024-02-23T00:00', '2024-03-29T00:00']],
  ['0 0 * * FRIL', ['2024-01-26T00:00', '2024-02-23T00:00', '2024-03-29T00:00']],
  ['0 0 * * 1#5', ['2024-01-29T00:00', '2024-04-29T00:00', '2024-07-29T00:00']],
  ['0 0 * * TUE#2', ['2024-02-13T00:00', '2024-03-12T00:00', '2024-04-09T00:00']],
  // Both restricted: either day.
  ['0 0 13 * FRI', ['2024-01-12T00:00', '2024-01-13T00:00', '2024-01-19T00:00']],
  // A field that lets everything through restricts nothing, however it is written.
  ['0 0 1-31 * FRI', ['2024-01-12T00:00', '2024-01-19T00:00', '2024-01-26T00:00']],
  ['  0   0 * * *  ', ['2024-01-10T00:00', '2024-01-11T00:00', '2024-01-12T00:00']],
])('"%s" fires when it says', (expression, expected) => {
  expect(next(expression)).toEqual(expected)
})

it.each([
  ['', 1, 'there is nothing'],
  ['61 * * * *', 1, '"61" is no minute; it must be 0 to 59'],
  ['* 24 * * *', 3, '"24" is no hour'],
  ['* * 0 * *', 5, 'day of the month'],
  ['* * * 13 *', 7, 'month'],
  ['* * * * 8', 9, 'day of the week'],
  ['* * * JUNE *', 7, 'Did you mean "JUN"?'],
  ['1,,2 * * * *', 3, 'a value is missing'],
  ['1-61 * * * *', 3, '"61" is no minute'],
  ['50-10 * * * *', 1, 'runs backwards; write two, as in 50-59,0-10'],
  ['*/0 * * * *', 3, 'the step of the minute must be a whole number from 1 to 60'],
  ['*/61 * * * *', 3, 'the step'],
  ['*/2/3 * * * *', 4, 'second step'],
  ['? * * * *', 1, 'for days only'],
  ['* * * *', 8, 'there are 4 fields'],
  ['* * * * * * *', 13, 'seventh field'],
  ['0 0 31 2 *', 5, 'no such day'],
  ['0 0 31 4,6,9,11 *', 5, 'no such day'],
  ['0 0 * * L', 9, 'L needs a weekday'],
  ['0 0 * * 1#6', 11, '1 to 5'],
  ['0 0 L-31 * *', 7, 'n must be 0 to 30'],
  ['0 0 32W * *', 5, 'day of the month'],
  ['0 0 5W-7 * *', 5, 'day of the month'],
  ['TZ=UTC 0 0 * * *', 1, 'a field of its own'],
  ['@dayly', 1, 'Did you mean "@daily"?'],
  ['@reboot', 1, 'there is no "@reboot"'],
  ['@daily now', 8, 'nothing may follow'],
  ['@every', 7, 'needs a duration'],
  ['@every 10', 10, 'a unit is missing'],
  ['@every 3x', 9, '"x" is no unit'],
  ['@every 1h3y', 11, '"y" is no unit'],
  ['@every -1h', 8, 'not a number with a unit'],
  ['@every 500ms', 8, 'at least 1s'],
  ['@every 1s1ns', 8, 'whole number of milliseconds'],
])('"%s" is refused at position %i', (expression, position, words) => {
  const problem = expect.stringContaining(`position ${position}: `)
  const refusal = { code: 'invalid_input', details: { path: '/expression', position, problem } }
  expect(() => parseExpression(expression)).toThrow(expect.objectContaining(refusal))
  expect(() => parseExpression(expression)).toThrow(words)
})

it('an expression has at most 256 characters', () => {
  const long = (length: number) =>
    `${'0,'.repeat(200)}`.slice(0, length - 9).replace(/,$/, '0') + ' * * * *'.padEnd(9)
  for (const length of [255, 256]) expect(parseExpression(long(length))).toMatchObject({ kind: 'cron' })
  expect(() => parseExpression(long(257))).toThrow('position 257')
})

it('a day that did not happen at all fires at the first instant after it', () => {
  // Samoa went from the 29th of December 2011 to the 31st.
  expect(next('0 9 30 12 *', '2011-06-01T00:00:00Z', 2, 'Pacific/Apia')).toEqual([
    '2011-12-30T10:00',
    '2012-12-29T19:00',
  ])
})

it.each(['Mars/Olympus', '+01:00', '', 7, 'Europe/Berln'])('the time zone %j is refused', (zone) => {
  expect(() => zoneNamed(zone)).toThrow('there is no time zone')
})
