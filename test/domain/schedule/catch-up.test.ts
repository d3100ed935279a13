import { expect, it } from 'vitest'
import { type Due, planDue, SLOTS_COUNTED_MAX, STEPS_MAX } from '../../../src/domain/schedule/catch-up.js'
import { parseExpression } from '../../../src/domain/schedule/expression.js'
import { zoneNamed } from '../../../src/domain/schedule/zone.js'

const at = (text: string) => new Date(`2030-01-01T${text}Z`)
const short = (time: Date) => time.toISOString().slice(11, 19)

function plan(expression: string, now: string, more: Partial<Due> = {}): string[] {
  const steps = planDue({
    expression: parseExpression(expression),
    zone: zoneNamed('UTC'),
    nextSlot: at('01:00:00'),
    quietUntil: null,
    now: at(now),
    lateAfterMs: 120_000,
    catchUp: 'latest',
    catchUpMax: 3,
    ...more,
  })
  // Each step begins where the one before led to: that is what the database checks.
  expect(steps.slice(1).map(({ slot }) => slot)).toEqual(steps.slice(0, -1).map(({ next }) => next))
  return steps.map((step) =>
    step.do === 'fire'
      ? `fire ${short(step.slot)}`
      : `${step.outcome} ${step.slots} ${short(step.slot)}-${short(step.last)}`,
  )
}

it.each([
  ['not yet', '00:59:59', {}, []],
  ['at its instant', '01:00:00', {}, ['fire 01:00:00']],
  ['just on time', '01:02:00', { catchUp: 'skip' }, ['fire 01:00:00']],
  ['just late', '01:02:01', { catchUp: 'skip' }, ['missed 1 01:00:00-01:00:00']],
  ['just late', '01:02:01', { catchUp: 'latest' }, ['fire 01:00:00']],
  [
    'late, with one on time',
    '02:00:30',
    { catchUp: 'latest' },
    ['missed 1 01:00:00-01:00:00', 'fire 02:00:00'],
  ],
  [
    'late, with one on time',
    '02:00:30',
    { catchUp: 'skip' },
    ['missed 1 01:00:00-01:00:00', 'fire 02:00:00'],
  ],
  ['late, with one on time', '02:00:30', { catchUp: 'all' }, ['fire 01:00:00', 'fire 02:00:00']],
  [
    'more than may be made up for, with one on time',
    '05:00:30',
    { catchUp: 'all', catchUpMax: 2 },
    ['missed 2 01:00:00-02:00:00', 'fire 03:00:00', 'fire 04:00:00', 'fire 05:00:00'],
  ],
  [
    'paused meanwhile',
    '05:00:30',
    { quietUntil: at('04:30:00') },
    ['skipped 4 01:00:00-04:00:00', 'fire 05:00:00'],
  ],
  ['paused until now', '05:00:30', { quietUntil: at('05:00:30') }, ['skipped 5 01:00:00-05:00:00']],
  ['paused long ago', '01:00:00', { quietUntil: at('00:30:00') }, ['fire 01:00:00']],
] as const)('an hourly schedule, %s: %s %j', (_what, now, more, expected) => {
  expect(plan('@hourly', now, more)).toEqual(expected)
})

it('counts the slots it passes up to a bound, and knows the last of them beyond it', () => {
  const passed = (seconds: number) => {
    const end = new Date(at('01:00:00').getTime() + seconds * 1000)
    const [step] = planDue({
      expression: parseExpression('@every 1s'),
      zone: zoneNamed('UTC'),
      nextSlot: at('01:00:00'),
      quietUntil: end,
      now: end,
      lateAfterMs: 120_000,
      catchUp: 'latest',
      catchUpMax: 1,
    })
    expect(step).toMatchObject({ do: 'pass', last: end })
    return (step as { slots: number | null }).slots
  }
  // The first slot counts, too.
  expect([SLOTS_COUNTED_MAX - 2, SLOTS_COUNTED_MAX - 1, SLOTS_COUNTED_MAX].map(passed)).toEqual([
    SLOTS_COUNTED_MAX - 1,
    SLOTS_COUNTED_MAX,
    null,
  ])
})

it('plans no more than so many firings at once; the rest is for the next plan', () => {
  const steps = plan('@every 1s', '02:00:00', { catchUp: 'all', catchUpMax: 1000, lateAfterMs: 3_600_000 })
  expect(steps).toHaveLength(STEPS_MAX)
  expect(steps[0]).toBe('fire 01:00:00')
})
