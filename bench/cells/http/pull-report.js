// One job pulled and reported over HTTP, against the same verbs behind two bare routes.
import { makeCell } from '../../cell.js'
import { HOLDFAST, takeSample } from '../../contenders.js'
import { interleave } from '../../measure.js'
import { besideServer } from './beside.js'

const ID = 'pull_report_vs_bare'
const BARE = 'bare Fastify'

export const ids = [ID]

export async function run(env) {
  const { sizes, progress } = env
  const { httpCycles: jobs, rounds, budgetMs } = sizes
  const warmUp = Math.ceil(jobs / 3)
  const all = jobs + warmUp
  const entry = (name, op) => ({
    name,
    sample: (onProgress) =>
      takeSample(env, HOLDFAST, {
        prepare: { preset: 'harvest' },
        fill: { op: 'bulk', jobs: all, batch: 1_000 },
        measured: { op, jobs, callers: 1, warmUp },
        verify: { jobs: all, finished: all },
        onProgress,
      }),
  })
  const contenders = [entry(HOLDFAST.name, 'httpPullReport'), entry(BARE, 'barePullReport')]
  const result = await interleave(contenders, { rounds, budgetMs, progress, label: ID })
  const cell = makeCell(env, {
    id: ID,
    what: `${jobs} times /api/pull_job and /api/report_results (one item, done), one after the other, against the same verbs behind bare Fastify routes`,
    bar: 0.7,
    unit: 'jobs/s',
    ours: HOLDFAST.name,
    against: BARE,
    result,
    roundsWanted: rounds,
    notes: [
      'holdfast: `holdfast server` with its defaults, called with a key, each call in the audit log',
      'bare Fastify: the two statements of our store; no key, no checks',
    ],
  })
  const mine = result.samples[HOLDFAST.name]
  return { cells: [cell], beside: besideServer(env, 'pull_report', 'a pull and its report', mine) }
}
