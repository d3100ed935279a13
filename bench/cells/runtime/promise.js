// A cell about how long something takes, against how long it may take at most: less is better, and the most is given, not measured.
import { makeCell, withGiven } from '../../cell.js'
import { HOLDFAST, takeSample } from '../../contenders.js'
import { interleave } from '../../measure.js'

/** `also` is asked for with the samples, once they are taken. */
export async function cellOfPromise(env, { id, what, promise, mostMs, measured, verify, also, notes }) {
  const { rounds, budgetMs } = env.sizes
  const sample = (onProgress) => takeSample(env, HOLDFAST, { measured, verify, onProgress })
  const found = await interleave([{ name: HOLDFAST.name, sample }], {
    rounds,
    budgetMs,
    progress: env.progress,
    label: id,
    say: ({ ms }) => `${Math.round(ms)} ms`,
  })
  return makeCell(env, {
    id,
    what,
    bar: 1,
    unit: 'ms',
    ours: HOLDFAST.name,
    against: promise,
    result: withGiven(found, promise, { rate: 1, ms: mostMs }),
    reading: ({ ms }) => ms,
    roundsWanted: rounds,
    also: also?.((found.samples[HOLDFAST.name] ?? []).filter(Boolean)) ?? [],
    notes,
  })
}
