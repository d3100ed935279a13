// How long the jobs of a killed worker are away.
import { makeCell, withGiven } from '../../cell.js'
import { HOLDFAST, takeSample } from '../../contenders.js'
import { interleave } from '../../measure.js'

const ID = 'recovery'
const PROMISE = 'the lease and a second'

export const ids = [ID]

export async function run(env) {
  const { sizes, progress } = env
  const { heldJobs: jobs, leaseMs, rounds, budgetMs } = sizes
  const sample = (onProgress) =>
    takeSample(env, HOLDFAST, {
      measured: { op: 'recovery', jobs, leaseMs },
      verify: { jobs, finished: jobs, attempt: 2 },
      onProgress,
    })
  const say = ({ ms }) => `${Math.round(ms)} ms`
  const found = await interleave([{ name: HOLDFAST.name, sample }], {
    rounds,
    budgetMs,
    progress,
    label: ID,
    say,
  })
  const cell = makeCell(env, {
    id: ID,
    what: `from kill -9 of a worker to the moment the last of its ${jobs} jobs has begun in another, against lease + 1 s`,
    bar: 1,
    unit: 'ms',
    ours: HOLDFAST.name,
    against: PROMISE,
    result: withGiven(found, PROMISE, { rate: 1, ms: leaseMs + 1_000 }),
    reading: ({ ms }) => ms,
    roundsWanted: rounds,
    notes: [`a lease of ${leaseMs / 1000} s, killed right after a renewal, so that all of it has to run out`],
  })
  return { cells: [cell] }
}
