// The rule for days on which clocks change, on every such day of 47 zones: as a table of its own, and as the rule says it word by word.
import { Cron } from 'croner'
import { beforeAll, expect, it } from 'vitest'
import {
  AROUND,
  goldenRows,
  isRhythm,
  minutes,
  type Row,
  type Switch,
  switchesOf,
  wallAt,
  ZONES,
} from './switches.js'

let rows: Row[]
beforeAll(() => {
  rows = goldenRows()
})

const clocks = new Map<string, { instants: number[]; walls: number[] }>()

/** Every half minute around a switch, because one expression has seconds, with what the wall shows then. */
function clocksAround({ zone, at }: Switch): { instants: number[]; walls: number[] } {
  const known = clocks.get(`${zone} ${at}`)
  if (known !== undefined) return known
  const instants: number[] = []
  for (let instant = at - AROUND + 30_000; instant < at + AROUND; instant += 30_000) instants.push(instant)
  const made = { instants, walls: instants.map((instant) => wallAt(zone, instant)) }
  clocks.set(`${zone} ${at}`, made)
  return made
}

it('has at least forty zones, each with both switches', () => {
  const kinds = Object.entries(ZONES).map(([zone, year]) =>
    switchesOf(zone, year)
      .map(({ kind }) => kind)
      .sort(),
  )
  expect(kinds.length).toBeGreaterThanOrEqual(40)
  expect(kinds).toEqual(kinds.map(() => ['gap', 'overlap']))
})

it('fires on each day the clocks change as the golden table says', async () => {
  const lines = rows.map(({ zone, at, kind, byMs, pattern, ours }) =>
    [zone, new Date(at).toISOString(), kind, byMs / 60_000, pattern, minutes(ours, at).join(' ')].join(' | '),
  )
  const head =
    '# zone | first instant of the new time | kind | minutes turned | expression | slots, in minutes from that instant, within 4 hours'
  await expect(`${[head, ...lines].join('\n')}\n`).toMatchFileSnapshot('./golden.txt')
})

it('fires as the rule says it word by word: real ticks for a rhythm, once or at the end of the gap for times of day', () => {
  for (const row of rows) {
    const { zone, at, pattern } = row
    const { instants, walls } = clocksAround(row)
    // A clock that is never turned says which times are meant.
    const meant = new Set<number>()
    const plain = new Cron(pattern, { timezone: 'UTC' })
    const [first, last] = [Math.min(...walls), Math.max(...walls)]
    for (
      let time = plain.nextRun(new Date(first - 1000));
      time && time.getTime() <= last;
      time = plain.nextRun(time)
    )
      meant.add(time.getTime())
    const ticks = isRhythm(pattern)
      ? instants.filter((_, n) => meant.has(walls[n] as number))
      : [...meant].map((wall) => instants[walls.indexOf(wall)] ?? at)
    expect(row.ours, `${zone} ${pattern}`).toEqual([...new Set(ticks)].sort((a, b) => a - b))
  }
})
