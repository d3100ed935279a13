// Draining through `work()`, one handler call for each job, against the engine without a runtime and against the peers' own workers.
import { beside, makeCell } from '../../cell.js'
import { BULLMQ_REDIS, drainSample, GRAPHILE, HOLDFAST, PGBOSS } from '../../contenders.js'
import { median } from '../../holds.js'
import { interleave } from '../../measure.js'
import { configuration, jobsFor, peerFacts, tune } from '../../tuned.js'

const ENGINE = 'the engine'

const CELLS = [
  { id: 'e2e_vs_engine', bar: 0.8 },
  { id: 'e2e_vs_graphile', bar: 2, peer: GRAPHILE },
  { id: 'e2e_vs_bullmq', bar: 3, peer: BULLMQ_REDIS },
  { id: 'e2e_vs_pgboss_work', bar: 3, peer: PGBOSS },
]

export const ids = CELLS.map(({ id }) => id)

export async function run(env, wanted) {
  const { sizes, progress } = env
  const { drainJobs: jobs, rounds, budgetMs } = sizes
  const chosen = CELLS.filter(({ id }) => wanted.has(id))
  const peers = chosen.flatMap(({ peer }) => (peer ? [peer] : []))
  const tuned = await tune(env, [HOLDFAST, ...peers], 'work')
  const ours = tuned.get(HOLDFAST.name).variant ?? HOLDFAST.work[0]
  const engine = wanted.has('e2e_vs_engine') ? await tune(env, [HOLDFAST], 'drain') : new Map()
  const lanes = engine.get(HOLDFAST.name)?.variant

  const contenders = contendersOf(env, { ours, lanes, peers, tuned })
  const result = await interleave(contenders, { rounds, budgetMs, progress, label: 'e2e' })
  for (const [name, { problem }] of tuned) if (problem) result.problems[name] ??= problem
  if (engine.get(HOLDFAST.name)?.problem) result.problems[ENGINE] = engine.get(HOLDFAST.name).problem

  const cells = chosen.map(({ id, bar, peer }) =>
    makeCell(env, {
      id,
      what: `${jobs} no-op jobs through work(), against ${peer ? `the worker of ${peer.title}` : "the engine's drain"}`,
      bar,
      ours: HOLDFAST.name,
      against: peer?.name ?? ENGINE,
      result,
      roundsWanted: rounds,
      notes: [
        `Holdfast: ${ours.name}`,
        ...(peer ? configuration(peer, tuned) : [`engine: ${lanes?.name} × ${sizes.batch}`]),
      ],
      more: peer ? peerFacts(result, peer, tuned.get(peer.name)) : {},
    }),
  )
  return { cells, beside: besideOf(env, result.samples) }
}

function contendersOf({ sizes, ...env }, { ours, lanes, peers, tuned }) {
  const { batch, drainJobs: jobs } = sizes
  const entry = (name, who, variant, more = {}) => ({
    name,
    sample: (onProgress) =>
      drainSample({ sizes, ...env }, who, variant, { jobs, batch, op: 'work', ...more, onProgress }),
  })
  const inDefaults = (who) =>
    entry(`${who.name}, defaults`, who, who.workDefaults, {
      jobs: who.workDefaults.jobs ?? sizes.defaultsJobs,
    })
  return [
    entry(HOLDFAST.name, HOLDFAST, ours),
    ...(lanes ? [entry(ENGINE, HOLDFAST, lanes, { op: 'drain' })] : []),
    ...peers
      .filter(({ name }) => tuned.get(name).variant)
      .flatMap((who) => {
        const { variant, tried } = tuned.get(who.name)
        return [entry(who.name, who, variant, { jobs: jobsFor(sizes, tried) }), inDefaults(who)]
      }),
    inDefaults(HOLDFAST),
  ]
}

function besideOf(env, samples) {
  const of = (name, which) => {
    const found = (samples[name] ?? []).filter(Boolean).map(which)
    return median(found)
  }
  return [
    beside(env, {
      id: 'e2e_client_cpu',
      what: 'CPU of the worker process per job drained through work()',
      unit: 'µs',
      value: of(HOLDFAST.name, ({ clientCpuUs }) => clientCpuUs),
    }),
    beside(env, {
      id: 'e2e_server_cpu',
      what: 'Postgres CPU per job drained through work()',
      unit: 'µs',
      value: of(HOLDFAST.name, ({ costs }) => costs.cpuUs),
    }),
    beside(env, {
      id: 'e2e_defaults',
      what: 'jobs through work() with its defaults, 10 slots',
      unit: 'jobs/s',
      value: of(`${HOLDFAST.name}, defaults`, ({ rate }) => rate),
    }),
  ]
}
