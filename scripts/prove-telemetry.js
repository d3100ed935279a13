// Measures what metrics, traces and log lines cost a worker, and what a scrape costs on a million jobs, and writes docs/proofs/telemetry.json.
//
//   npm run build && node scripts/prove-telemetry.js [--jobs 20000] [--rounds 5] [--baseline <folder with another build's dist>]
//
// 1. Parts: nanoseconds for each ended attempt, by calling what a worker calls, a million times.
// 2. Drain: CPU of the worker's process for each no-op job, with nothing, with metrics, with metrics and a scrape a second; rounds take turns. With
//    --baseline also the library of another build.
// 3. Scrape: /metrics of a server on a database with a million claimable jobs.
import { fork } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { startEmbedded } from '../dist/embedded.js'
import { serverMetrics, workerMetrics } from '../dist/metrics.js'
import { buildServer } from '../dist/server.js'
import { openStore } from '../dist/store.js'
import { openTraces } from '../dist/telemetry/traces.js'
import { circumstances } from './prove/circumstances.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '5' },
    baseline: { type: 'string' },
    drain: { type: 'string' },
  },
})
const jobs = Number(values.jobs)

if (values.drain !== undefined) await drain(JSON.parse(values.drain))
else await measure()

async function measure() {
  const server = await startEmbedded({ ephemeral: true })
  try {
    const result = {
      ...circumstances(root, ['src', 'sql']),
      loadAverage: loadavg().map((one) => Number(one.toFixed(1))),
      parts: parts(),
      drain: await drains(server.url),
      scrape: await scrape(server.url),
    }
    mkdirSync(`${root}docs/proofs`, { recursive: true })
    writeFileSync(`${root}docs/proofs/telemetry.json`, `${JSON.stringify(result, null, 2)}\n`)
    console.log(JSON.stringify(result, null, 2))
  } finally {
    await server.stop()
  }
}

function parts() {
  const feed = workerMetrics().join({
    tenant: 'default',
    kinds: ['noop'],
    stats: () => ({}),
    depths: async () => [],
  })
  const ended = {
    kind: 'noop',
    queueId: 1,
    queue: 'q',
    outcome: 'succeeded',
    accepted: true,
    state: 'succeeded',
    ranMs: 0.02,
    waitedMs: 12,
  }
  const tracer = openTraces('0').attempts()
  const job = { trace: null }
  return {
    metricsNsPerAttempt: nanoseconds(() => feed.ended(ended)),
    tracesWithoutSdkNsPerAttempt: nanoseconds(() => tracer.begin(job, 'q', 'w')),
  }
}

function nanoseconds(work) {
  const times = 1_000_000
  const rounds = Array.from({ length: 7 }, () => {
    const before = process.cpuUsage()
    for (let n = 0; n < times; n += 1) work()
    const { user, system } = process.cpuUsage(before)
    return Math.round(((user + system) * 1000) / times)
  })
  return median(rounds)
}

/** Each in a process of its own, so that none meets what another has left in memory. */
async function drains(url) {
  const own = new URL('../dist/index.js', import.meta.url).href
  const variants = {
    ...(values.baseline === undefined
      ? {}
      : { baseline: { library: pathToFileURL(`${values.baseline}/index.js`).href } }),
    nothing: { library: own },
    metrics: { library: own, metrics: true },
    scraped: { library: own, metrics: true, scrapeMs: 1000 },
  }
  const found = Object.fromEntries(Object.keys(variants).map((name) => [name, []]))
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const [name, variant] of Object.entries(variants)) {
      const sample = await drainElsewhere({ ...variant, url, schema: `drain_${round}_${name}` })
      found[name].push(sample)
      console.log(round + 1, name, sample)
    }
  return Object.fromEntries(
    Object.entries(found).map(([name, samples]) => [
      name,
      {
        cpuUsPerJob: median(samples.map((one) => one.cpuUs)),
        jobsPerSecond: median(samples.map((one) => one.perSecond)),
      },
    ]),
  )
}

function drainElsewhere(plan) {
  const child = fork(fileURLToPath(import.meta.url), [
    '--jobs',
    String(jobs),
    '--drain',
    JSON.stringify(plan),
  ])
  return new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => code !== 0 && reject(new Error(`a drain ended with ${code}`)))
  })
}

async function drain({ library, url, schema, metrics: wanted, scrapeMs }) {
  const { defineJob, holdfast } = await import(library)
  const noop = defineJob({ kind: 'noop', queue: 'bench', handler: () => {} })
  const app = await holdfast({ url, schema, migrate: true, jobs: [noop] })
  for (let made = 0; made < jobs; made += 1000)
    await app.enqueueMany(
      noop,
      Array.from({ length: 1000 }, () => null),
    )
  const metrics = wanted ? workerMetrics() : undefined
  let left = jobs
  let last
  const all = new Promise((resolve) => {
    last = resolve
  })
  const scraping = scrapeMs === undefined ? undefined : setInterval(() => void metrics.text(), scrapeMs)
  const before = process.cpuUsage()
  const began = performance.now()
  const onEnded = () => --left === 0 && last()
  const working = await app.work({ concurrency: 200, onEnded, ...(metrics === undefined ? {} : { metrics }) })
  await all
  const took = performance.now() - began
  const { user, system } = process.cpuUsage(before)
  clearInterval(scraping)
  await working.drain()
  await app.stop()
  process.send({ cpuUs: (user + system) / jobs, perSecond: Math.round((jobs * 1000) / took) }, () =>
    process.disconnect(),
  )
}

async function scrape(url) {
  const store = await openStore({ url, schema: 'scraped', migrate: true })
  const [{ id }] = await store.database.query(
    "select holdfast.create_queue('many', 'catalog', p_tenant => 'default') as id",
  )
  const patiently = { deadlineMs: 120_000 }
  await store.database.query(
    `insert into holdfast.job (id, created_at, queue_id, initial_priority, kind, input)
       select n, holdfast.now(), $1, 0, 'noop', 'null' from generate_series(1, 1000000) n`,
    [id],
    patiently,
  )
  await store.database.query(
    `insert into holdfast.ready (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, level)
       select n, $1, 0, 0, 0, 0, 0, false, 100 from generate_series(1, 1000000) n`,
    [id],
    patiently,
  )
  const app = buildServer(store, { loopback: true, metrics: serverMetrics() })
  const ms = async (work) => {
    const began = performance.now()
    await work()
    return Math.round(performance.now() - began)
  }
  const queues = []
  const kinds = []
  const windows = []
  for (let n = 0; n < 5; n += 1) {
    queues.push(await ms(() => store.gauges.queues()))
    kinds.push(await ms(() => store.gauges.depthByKind([id], 10_000)))
    windows.push(await ms(() => store.stats.queues()))
  }
  const first = await ms(() => app.inject({ url: '/metrics', headers: { host: 'localhost' } }))
  const again = await ms(() => app.inject({ url: '/metrics', headers: { host: 'localhost' } }))
  await app.close()
  await store.close()
  return {
    jobs: 1_000_000,
    queueGaugesMs: median(queues),
    depthByKindOf10000Ms: median(kinds),
    windowsMs: median(windows),
    scrapeMs: first,
    scrapeAgainMs: again,
  }
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
