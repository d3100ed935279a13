// A worker's round of 100 jobs over the worker protocol, against the same words spoken to the database directly.
import { beside, makeCell } from '../../cell.js'
import { HOLDFAST, takeSample } from '../../contenders.js'
import { median, ratiosOf } from '../../holds.js'
import { interleave } from '../../measure.js'
import { besideServer } from './beside.js'

const ID = 'http_cycle_100'
const DIRECT = 'the direct runtime'
const BATCH = 100

export const ids = [ID]

export async function run(env) {
  const { sizes, progress } = env
  const { httpJobs, httpWarmUp: warmUp, rounds, budgetMs } = sizes
  const entry = (name, op, reports) => {
    // Without reports a round is ten times as fast.
    const jobs = reports ? Math.ceil(httpJobs / 4) : httpJobs
    const all = jobs + warmUp
    return {
      name,
      sample: (onProgress) =>
        takeSample(env, HOLDFAST, {
          fill: { op: 'bulk', jobs: all, batch: 1_000 },
          measured: { op, jobs, batch: BATCH, reports, warmUp },
          verify: { jobs: all, finished: all },
          onProgress,
        }),
    }
  }
  const silent = (name) => `${name}, no reports`
  const contenders = [
    entry(HOLDFAST.name, 'httpCycle', true),
    entry(DIRECT, 'directCycle', true),
    entry(silent(HOLDFAST.name), 'httpCycle', false),
    entry(silent(DIRECT), 'directCycle', false),
  ]
  const result = await interleave(contenders, { rounds, budgetMs, progress, label: ID })
  const cell = makeCell(env, {
    id: ID,
    what: `claim of ${BATCH}, a report on each, finish of ${BATCH}, over and over by one worker over /api/v1/work, against the same through the store`,
    bar: 0.5,
    ours: HOLDFAST.name,
    against: DIRECT,
    result,
    roundsWanted: rounds,
    notes: [
      'both through the worker’s port, over HTTP with `fetch` and a key; a report is a call and a commit of its own on both ways',
    ],
  })
  const mine = result.samples[silent(HOLDFAST.name)]
  const ratios = ratiosOf(mine, result.samples[silent(DIRECT)]).map(({ ratio }) => ratio)
  return {
    cells: [cell],
    beside: [
      beside(env, {
        id: 'cycle_silent',
        what: `the round without its reports: claim and finish of ${BATCH}, HTTP ÷ direct`,
        unit: 'times',
        value: median(ratios),
      }),
      ...besideServer(env, 'cycle', 'a job of a round with reports', result.samples[HOLDFAST.name]),
      ...besideServer(env, 'cycle_silent', 'a job of a round without reports', mine),
    ],
  }
}
