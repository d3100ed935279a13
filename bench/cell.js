// A cell of the table: one ratio with its bar, and everything it was made of.
import { judge, median, ratiosOf, reaches } from './holds.js'

export function makeCell(
  env,
  { id, what, bar, unit = 'jobs/s', ours, against, result, roundsWanted, also = [], notes = [], more = {} },
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
  const rateOf = (list) => median(list.filter(Boolean).map((sample) => sample.rate))
  return {
    id,
    what,
    value: rateOf(mine),
    unit,
    against: { what: against ?? null, value: rateOf(theirs) },
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
