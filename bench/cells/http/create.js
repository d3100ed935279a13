// Making jobs over HTTP, against a route that does one INSERT.
import { makeCell } from '../../cell.js'
import { HOLDFAST, takeSample } from '../../contenders.js'
import { BARE_TABLE } from '../../http/create.js'
import { fastest, interleave } from '../../measure.js'
import { besideServer } from './beside.js'

const ID = 'create_vs_bare'
const BARE = 'bare Fastify'
const VARIANTS = [10, 25].flatMap((pool) => [
  { name: `a pool of ${pool}`, pool },
  { name: `a pool of ${pool}, statement prepared`, pool, prepared: true },
])

export const ids = [ID]

export async function run(env) {
  const { sizes, progress } = env
  const { httpJobs: jobs, httpWarmUp: warmUp, callers, rounds, budgetMs } = sizes
  const ours = (onProgress) =>
    takeSample(env, HOLDFAST, {
      measured: { op: 'httpCreate', jobs, callers, warmUp },
      verify: { jobs: jobs + warmUp, finished: 0, places: { ready: jobs + warmUp } },
      onProgress,
    })
  const bare = ({ name: _name, ...settings }, count, onProgress) =>
    takeSample(env, HOLDFAST, {
      prepare: { sql: [BARE_TABLE] },
      measured: { op: 'bareCreate', jobs: count, callers, warmUp, ...settings },
      verify: { jobs: 0, finished: 0 },
      onProgress,
    })
  const sample = (variant) => bare(variant, Math.ceil(jobs / 4))
  const { variant, tried } = await fastest(VARIANTS, { name: BARE, sample, progress })
  const contenders = [
    { name: HOLDFAST.name, sample: ours },
    { name: BARE, sample: (onProgress) => bare(variant, jobs, onProgress) },
  ]
  const result = await interleave(contenders, { rounds, budgetMs, progress, label: ID })
  const cell = makeCell(env, {
    id: ID,
    what: `${jobs} jobs made one call at a time by ${callers} clients, against a bare Fastify route that does one INSERT`,
    bar: 1,
    ours: HOLDFAST.name,
    against: BARE,
    result,
    roundsWanted: rounds,
    notes: [
      'holdfast: `holdfast server` with its defaults, called with a key, each call in the audit log',
      `bare Fastify: ${variant.name}; no key, no checks`,
    ],
    more: { tried },
  })
  return {
    cells: [cell],
    beside: besideServer(env, 'create', 'a job made over HTTP', result.samples[HOLDFAST.name]),
  }
}
