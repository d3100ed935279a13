// Who takes part, where each one keeps its jobs, and the configurations from which its fastest is chosen.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchOurs, launchPeer } from './launch.js'
import { peerVersion } from './machine.js'
import { costPerJob, readMeter } from './meter.js'

/** A database of its own on the shared server, dropped after the sample. */
async function onPostgres(env) {
  const database = await env.server.createDatabase()
  return { database, plan: { url: database.url }, leave: () => env.server.dropDatabase(database) }
}

async function onRedis(env) {
  if (!env.redis) throw new Error(env.redisProblem ?? 'there is no Redis')
  await env.redis.clear()
  return { plan: { redisPort: env.redis.port }, leave: () => env.redis.clear() }
}

async function onPglite() {
  const pgliteDir = mkdtempSync(join(tmpdir(), 'holdfast-bench-pglite-'))
  return { plan: { pgliteDir }, leave: () => rmSync(pgliteDir, { recursive: true, force: true }) }
}

const bulkVariants = [
  { name: 'batches of 1,000, two at once', batch: 1_000, parallel: 2 },
  { name: 'batches of 1,000, four at once', batch: 1_000, parallel: 4 },
]
const largeBatches = { name: 'batches of 10,000, two at once', batch: 10_000, parallel: 2 }
const pools = [10, 25].map((pool) => ({ name: `a pool of ${pool}`, pool }))

export const HOLDFAST = {
  name: 'holdfast',
  title: 'Holdfast',
  launch: launchOurs,
  place: onPostgres,
  drain: [2, 3].map((lanes) => ({ name: `${lanes} lanes`, lanes })),
  bulk: [...bulkVariants, largeBatches],
  concurrent: [{ name: 'a pool of 5' }],
  work: [500, 1_000, 2_000].map((concurrency) => ({ name: `${concurrency} slots`, concurrency })),
  workDefaults: { name: 'defaults' },
  pickup: [{ name: 'defaults' }],
}

export const PGLITE = {
  ...HOLDFAST,
  name: 'holdfast on PGlite',
  title: 'Holdfast on PGlite',
  place: onPglite,
}

const peer = (name, { file, npm, ...rest }) => ({
  name,
  title: `${name} ${peerVersion(npm) ?? '(not installed)'}`,
  launch: (plan, options) => launchPeer(file, plan, options),
  place: onPostgres,
  ...rest,
})

export const GRAPHILE = peer('graphile-worker', {
  file: 'graphile.mjs',
  npm: 'graphile-worker',
  drain: [
    { name: 'as documented, one process', settings: 'documented', processes: 1 },
    { name: 'as documented, two processes', settings: 'documented', processes: 2 },
    { name: 'local queue of 2,000, one process', settings: 'wide', processes: 1 },
  ],
  drainDefaults: { name: 'defaults', settings: 'defaults', processes: 1 },
  work: [
    { name: 'as documented, one process', settings: 'documented', processes: 1 },
    { name: 'as documented, two processes', settings: 'documented', processes: 2 },
    { name: 'local queue of 2,000, one process', settings: 'wide', processes: 1 },
    { name: 'local queue of 2,000, two processes', settings: 'wide', processes: 2 },
  ],
  workDefaults: { name: 'defaults', settings: 'defaults', processes: 1 },
  pickup: [
    { name: 'defaults', settings: 'defaults' },
    { name: 'ten at a time', settings: 'prompt' },
    { name: 'as documented for throughput', settings: 'documented' },
  ],
  bulk: [...bulkVariants, largeBatches],
  concurrent: pools,
})

export const PGBOSS = peer('pg-boss', {
  file: 'pgboss.mjs',
  npm: 'pg-boss',
  drain: [
    ...[1, 2, 4].map((loops) => ({ name: `${loops} × fetch 1,000`, loops, batch: 1_000 })),
    { name: '2 × fetch 1,000, own partition', loops: 2, batch: 1_000, prepare: { partition: true } },
  ],
  // work() takes one job every two seconds by default; a loop of fetch() without options is the kinder reading.
  drainDefaults: { name: 'defaults', loops: 1, batch: 1 },
  work: [1, 2, 4].map((loops) => ({
    name: `${loops} × batches of 1,000, on without a pause while full`,
    loops,
    settings: {
      batchSize: 1_000,
      burstWhenBatchFull: true,
      localConcurrency: loops,
      pollingIntervalSeconds: 0.5,
    },
  })),
  workDefaults: { name: 'defaults', jobs: 5 },
  bulk: [...bulkVariants, largeBatches],
  concurrent: pools,
})

const bullmqDrain = [
  { name: 'concurrency 32, completed jobs removed', concurrency: 32, workers: 1, remove: true },
  { name: 'concurrency 100, completed jobs removed', concurrency: 100, workers: 1, remove: true },
  { name: '2 workers × concurrency 32, completed jobs removed', concurrency: 32, workers: 2, remove: true },
]

const bullmq = {
  file: 'bullmq.mjs',
  npm: 'bullmq',
  drain: bullmqDrain,
  work: bullmqDrain,
  drainDefaults: { name: 'defaults', concurrency: 1, workers: 1, remove: false },
  workDefaults: { name: 'defaults', concurrency: 1, workers: 1, remove: false },
  bulk: bulkVariants,
  concurrent: pools,
}

export const BULLMQ_REDIS = peer('BullMQ on Redis', {
  ...bullmq,
  place: onRedis,
  // One connection carries all commands, so there is no pool to size.
  concurrent: [{ name: 'one connection', pool: 1 }],
})

// A commit, with its wait for the disk, for each job: tuned with fewer of them.
export const BULLMQ_PG = peer('BullMQ on Postgres', { ...bullmq, tuneShare: 0.1 })

export const PEERS = [GRAPHILE, PGBOSS, BULLMQ_REDIS, BULLMQ_PG]

/**
 * One sample in a place of its own: set up, fill, measure one step, verify the rows. The server's meter is read around the
 * fill and around the measured step, each in a process that has ended by then.
 */
export async function takeSample(env, who, { prepare = {}, fill, measured, verify, onProgress = () => {} }) {
  const { database, plan, leave } = await who.place(env)
  const read = () => (database ? readMeter(env.server, database) : null)
  const launch = (steps, options) => who.launch({ ...plan, steps }, options)
  try {
    await launch([{ op: 'prepare', ...prepare }])
    // Before the fill: right before the drain it would make Postgres log whole pages for what was just written.
    await env.server.checkpoint()
    let fillCosts = null
    if (fill) {
      const before = await read()
      await launch([fill], { onProgress: (done) => onProgress(done / 10, fill.jobs) })
      if (before) fillCosts = costPerJob(before, await read(), fill.jobs)
    }
    const before = await read()
    const [result] = await launch([measured], { onProgress: (done) => onProgress(done, measured.jobs) })
    const costs = before ? costPerJob(before, await read(), measured.jobs) : null
    await launch([{ op: 'verify', ...verify }])
    return { ...result, costs, fillCosts }
  } finally {
    await leave()
  }
}

/** Enqueue, then drain to the last job. */
export function drainSample(
  env,
  who,
  variant,
  { jobs, batch, shape = {}, prepare = {}, op = 'drain', onProgress },
) {
  const { name: _name, prepare: own, ...settings } = variant
  return takeSample(env, who, {
    prepare: { ...prepare, ...own },
    fill: { op: 'bulk', jobs, batch: 1_000, parallel: 2, ...shape },
    measured: { op, jobs, batch, ...shape, ...settings },
    verify: { jobs, finished: jobs, waiting: 0, remove: settings.remove ?? false },
    onProgress,
  })
}

export function enqueueSample(env, who, variant, { op, jobs, callers, onProgress }) {
  const { name: _name, ...settings } = variant
  return takeSample(env, who, {
    measured: { op, jobs, ...(callers ? { callers } : {}), ...settings },
    verify: { jobs, finished: 0, waiting: jobs, places: { ready: jobs } },
    onProgress,
  })
}
