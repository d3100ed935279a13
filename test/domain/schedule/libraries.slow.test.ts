// What two libraries make of the days on which clocks change, beside what we do: each difference must have a reason.
import { CronExpressionParser } from 'cron-parser'
import { Cron } from 'croner'
import { beforeAll, expect, it } from 'vitest'
import { AROUND, goldenRows, HOUR, isRhythm, minutes, type Row, wallAt, within } from './switches.js'

let rows: Row[]
beforeAll(() => {
  rows = goldenRows()
})

/** What a library does otherwise, and why we do not. Minutes count from the switch. */
interface Difference extends Row {
  readonly onlyOurs: readonly number[]
  readonly onlyTheirs: readonly number[]
  /** Their error, when they could not go on. */
  readonly threw: string | undefined
}

const inGap = ({ kind }: Row) => kind === 'gap'
const inOverlap = ({ kind }: Row) => kind === 'overlap'
/** Wall times of these minutes, to see whether two instants show the same. */
const shown = (row: Row, times: readonly number[]) =>
  times.map((time) => wallAt(row.zone, row.at + time * 60_000))
const after = (row: Row, times: readonly number[]) =>
  times.length > 0 && times.every((time) => time >= 0 && time < row.byMs / 60_000)
const before = (row: Row, times: readonly number[]) =>
  times.length > 0 && times.every((time) => time < 0 && time >= -row.byMs / 60_000)

const KEEPS_THE_MINUTES = {
  because:
    'It moves a time in the gap by the length of the gap, 02:30 to 03:30; ours is the first instant after it.',
  holds: (d: Difference) =>
    inGap(d) &&
    !isRhythm(d.pattern) &&
    `${d.onlyOurs}` === '0' &&
    // In a gap of two hours a time can be moved to where the next one is already.
    (after(d, d.onlyTheirs) || (d.byMs === 2 * HOUR && d.onlyTheirs.length === 0)),
}
const TAKES_THE_SECOND = {
  because:
    'Of a time that happens twice it fires the second; ours is the first, as nobody can know that there will be another.',
  holds: (d: Difference) =>
    inOverlap(d) &&
    !isRhythm(d.pattern) &&
    `${shown(d, d.onlyOurs)}` === `${shown(d, d.onlyTheirs)}` &&
    after(d, d.onlyTheirs),
}
const EXPLAINED: Record<'croner' | 'cron-parser', { because: string; holds(d: Difference): boolean }[]> = {
  croner: [
    KEEPS_THE_MINUTES,
    TAKES_THE_SECOND,
    {
      because:
        'It fires a rhythm once in an hour that happens twice, so two real hours pass; ours fires at every real tick.',
      holds: (d) =>
        inOverlap(d) &&
        isRhythm(d.pattern) &&
        (after(d, d.onlyOurs) || before(d, d.onlyOurs)) &&
        d.onlyTheirs.length === 0,
    },
    {
      because:
        'Where the gap is half an hour it moves the missing tick of a rhythm; a rhythm has no tick there.',
      holds: (d) => inGap(d) && isRhythm(d.pattern) && d.onlyOurs.length === 0 && `${d.onlyTheirs}` === '0',
    },
  ],
  'cron-parser': [
    KEEPS_THE_MINUTES,
    TAKES_THE_SECOND,
    {
      because:
        'It fires each of several times that fall into one gap; for us they are one slot, the first instant after it.',
      holds: (d) => inGap(d) && !isRhythm(d.pattern) && d.onlyOurs.length === 0 && after(d, d.onlyTheirs),
    },
    {
      because:
        'Where the gap begins at midnight it drops what falls into it; ours fires at the first instant after it.',
      holds: (d) =>
        inGap(d) &&
        !isRhythm(d.pattern) &&
        `${d.onlyOurs}` === '0' &&
        d.onlyTheirs.length === 0 &&
        new Date(wallAt(d.zone, d.at - 1000)).getUTCHours() === 23,
    },
    {
      because: 'Where clocks are turned by two hours it fires a time of day twice; ours fires once.',
      holds: (d) =>
        inOverlap(d) &&
        d.byMs === 2 * HOUR &&
        !isRhythm(d.pattern) &&
        d.onlyOurs.length === 0 &&
        after(d, d.onlyTheirs),
    },
    {
      because:
        'Where clocks are not turned by whole hours, or not at one, it loses or shifts ticks, or fails with "loop limit exceeded".',
      holds: (d) => ['Australia/Lord_Howe', 'Pacific/Chatham'].includes(d.zone),
    },
  ],
}

const THEIRS: Record<keyof typeof EXPLAINED, (row: Row) => (after: Date) => Date | null> = {
  croner: ({ pattern, zone }) => {
    const cron = new Cron(pattern, { timezone: zone })
    return (from) => cron.nextRun(from)
  },
  'cron-parser': ({ pattern, zone, at }) => {
    const cron = CronExpressionParser.parse(pattern, { tz: zone, currentDate: new Date(at - AROUND) })
    return () => cron.next().toDate()
  },
}

it.each(['croner', 'cron-parser'] as const)(
  'agrees with %s but for differences that have a reason',
  (library) => {
    const used = new Set<string>()
    const unexplained: string[] = []
    let agreed = 0
    for (const row of rows) {
      let theirs: number[] = []
      let threw: string | undefined
      try {
        theirs = within(row, THEIRS[library](row))
      } catch (error) {
        threw = (error as Error).message
      }
      const only = (some: readonly number[], others: readonly number[]) =>
        minutes(
          some.filter((tick) => !others.includes(tick)),
          row.at,
        )
      const difference = {
        ...row,
        onlyOurs: only(row.ours, theirs),
        onlyTheirs: only(theirs, row.ours),
        threw,
      }
      if (threw === undefined && difference.onlyOurs.length + difference.onlyTheirs.length === 0) {
        agreed++
        continue
      }
      const reason = EXPLAINED[library].find(({ holds }) => holds(difference))
      if (reason !== undefined) used.add(reason.because)
      else
        unexplained.push(
          `${row.zone} ${row.kind} "${row.pattern}": only ours ${difference.onlyOurs}; only theirs ${difference.onlyTheirs}; ${threw}`,
        )
    }
    expect(unexplained).toEqual([])
    // A reason that nothing needs any more is no longer true.
    expect([...used].sort()).toEqual(EXPLAINED[library].map(({ because }) => because).sort())
    expect(agreed).toBeGreaterThan(rows.length / 2)
  },
)
