// Draining the same no-op jobs: Holdfast with history, fence and attempt rows, each peer in its fastest configuration and in
// its defaults, and the same rows by bare SQL.
import { beside, cost, makeCell } from '../cell.js'
import { BULLMQ_PG, BULLMQ_REDIS, drainSample, GRAPHILE, HOLDFAST, PGBOSS } from '../contenders.js'
import { interleave } from '../measure.js'
import { configuration, jobsFor, peerFacts, tune } from '../tuned.js'

const FLOOR = 'bare SQL'

const CELLS = [
  { id: 'drain_vs_graphile', bar: 2.5, peer: GRAPHILE },
  { id: 'drain_vs_pgboss', bar: 1.5, peer: PGBOSS },
  { id: 'drain_vs_bullmq_redis', bar: 3, peer: BULLMQ_REDIS },
  { id: 'drain_vs_bullmq_pg', bar: 3, peer: BULLMQ_PG },
  { id: 'drain_of_floor', bar: 0.6, against: FLOOR },
]

export const ids = CELLS.map(({ id }) => id)

export async function run(env, wanted) {
  const { sizes, progress } = env
  const { batch, drainJobs: jobs, rounds, budgetMs } = sizes
  const chosen = CELLS.filter(({ id }) => wanted.has(id))
  const peers = chosen.flatMap(({ peer }) => (peer ? [peer] : []))
  const tuned = await tune(env, [HOLDFAST, ...peers], 'drain')
  const ours = tuned.get(HOLDFAST.name).variant ?? HOLDFAST.drain[0]

  const sample = (who, variant, more) => (onProgress) =>
    drainSample(env, who, variant, { jobs, batch, ...more, onProgress })
  const contenders = [{ name: HOLDFAST.name, sample: sample(HOLDFAST, ours) }]
  if (wanted.has('drain_of_floor'))
    contenders.push({ name: FLOOR, sample: sample(HOLDFAST, ours, { op: 'floor' }) })
  for (const who of peers) {
    const { variant, tried } = tuned.get(who.name)
    if (!variant) continue
    contenders.push({ name: who.name, sample: sample(who, variant, { jobs: jobsFor(sizes, tried) }) })
    const defaults = { jobs: sizes.defaultsJobs }
    contenders.push({ name: `${who.name}, defaults`, sample: sample(who, who.drainDefaults, defaults) })
  }
  const result = await interleave(contenders, { rounds, budgetMs, progress, label: 'drain' })
  for (const [name, { problem }] of tuned) if (problem) result.problems[name] ??= problem

  const cells = chosen.map(({ id, bar, peer, against = peer.name }) =>
    makeCell(env, {
      id,
      what: `${jobs} no-op jobs with history, fence and attempts, against ${peer?.title ?? 'the same rows by bare SQL'}`,
      bar,
      ours: HOLDFAST.name,
      against,
      result,
      roundsWanted: rounds,
      notes: [`Holdfast: ${ours.name} × ${batch}`, ...configuration(peer, tuned)],
      more: peer ? peerFacts(result, peer, tuned.get(peer.name)) : {},
    }),
  )
  return { cells, beside: costsOf(env, result.samples[HOLDFAST.name]) }
}

/** What a plain job costs the server from enqueue to its end. */
function costsOf(env, samples) {
  const total = (which) => (cost(samples, which, 'fillCosts') ?? 0) + (cost(samples, which) ?? 0)
  const row = (id, what, unit, which, atMost) =>
    beside(env, { id, what, unit, value: total(which), ...(atMost ? { atMost } : {}) })
  return samples.some(Boolean)
    ? [
        row('wal_plain', 'WAL per plain job, enqueue to end', 'bytes', 'walBytes', 1000),
        row('commits_plain', 'commits per plain job, enqueue to end', 'commits', 'commits'),
        row('cpu_plain', 'Postgres CPU per plain job, enqueue to end', 'µs', 'cpuUs'),
        row('buffers_plain', 'buffers touched per plain job, enqueue to end', 'buffers', 'buffers'),
      ]
    : []
}
