// A cell of the table: one ratio with its bar, and everything it was made of. A sample's `rate` is what ratios are made of, and more of it is
// always better; `reading` is what people are shown of it, in `unit`.
import { judge, median, ratiosOf, reaches } from './holds.js'

export function makeCell(
  env,
  {
    id,
    what,
    bar,
    unit = 'jobs/s',
    ours,
    against,
    result,
    roundsWanted,
    reading = (sample) => sample.rate,
    also = [],
    notes = [],
    more = {},
  },
) {
  const { samples, problems } = result
  const mine = samples[ours] ?? []
  const theirs = against === undefined ? [] : (samples[against] ?? [])
  const problem =
    problems[ours] ?? problems[against] ?? (against === undefined ? 'no contender could run' : undefined)
  const ratios = ratiosOf(mine, theirs)
  const { ratio, spread, holds, reasons } = judge({
    ratios: ratios.map((entry) => entry.ratio),
    bar,
    also,
    roundsWanted,
    problem,
  })
  const middle = (list) => median(list.filter(Boolean).map(reading))
  return {
    id,
    what,
    value: middle(mine),
    unit,
    against: { what: against ?? null, value: middle(theirs) },
    samples: Object.fromEntries(
      Object.entries(samples).filter(([name]) => name === ours || name === against),
    ),
    ratio,
    spread,
    bar,
    holds,
    note: [...reasons, ...notes].join('; '),
    also: also.map((condition) => ({ ...condition, holds: reaches(condition) })),
    ...more,
    mode: env.sizes.mode,
    at: new Date().toISOString(),
  }
}

/** Something known and not measured, to be measured against: the same in every round. */
export function withGiven(result, name, sample) {
  const rounds = Math.max(0, ...Object.values(result.samples).map((list) => list.length))
  return { ...result, samples: { ...result.samples, [name]: Array(rounds).fill(sample) } }
}

/** A cell that could not even begin. */
export function missingCell(env, { id, what, bar, reason }) {
  return makeCell(env, {
    id,
    what,
    bar,
    ours: 'holdfast',
    result: { samples: {}, problems: { holdfast: reason } },
    roundsWanted: 1,
  })
}

/** A number that stands beside the cells, with the aim it has, if any. */
export function beside(env, { id, what, value, unit, atMost = null, note = '' }) {
  const holds = atMost === null ? null : reaches({ value, atMost })
  return { id, what, value, unit, atMost, holds, note, mode: env.sizes.mode, at: new Date().toISOString() }
}

/** The median of one cost over a contender's samples. */
export function cost(samples, name, which = 'costs') {
  const found = samples.filter((sample) => typeof sample?.[which]?.[name] === 'number')
  return median(found.map((sample) => sample[which][name]))
}
