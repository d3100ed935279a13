// Proves what is promised of history while work goes on, on a Postgres of its own with fsync on, and writes docs/proofs/history.json.
//
//   npm run build && node scripts/prove-history.js [--finished 5000000] [--survivors 1000]
//
// 1. Prune: millions of finished jobs, some survivors spread over all old ranges. While jobs are enqueued, claimed (also old ones)
//    and finished, failed ones retried and survivors read, everything old is pruned. Nothing may be lost, no statement may take over 2 s.
// 2. Migration: at 200 jobs/s all functions are replaced, several times. No statement may take over 2 s.
import { mkdirSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startEmbedded } from '../dist/embedded.js'
import { migrateUp, openPostgres, openStore } from '../dist/store.js'
import { circumstances } from './prove/circumstances.js'
import { fillPast, PATIENTLY } from './prove/past.js'

const BAR_MS = 2_000
const root = fileURLToPath(new URL('../', import.meta.url))
const { finished, survivors } = numbers()
/** As wide as ranges are, or narrower so that there are five of them. */
const width = Math.min(1_000_000, Math.ceil(finished / 5))
const began = performance.now()
const say = (text) => console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${text}`)

const server = await startEmbedded({
  ephemeral: true,
  settings: { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', max_wal_size: '4GB' },
})
try {
  const store = await openStore({ url: server.url, migrate: true, connections: 2 })
  const load = await openStore({ url: server.url, connections: 8 })
  try {
    const result = await prove(store, load)
    mkdirSync(`${root}docs/proofs`, { recursive: true })
    // A list of numbers on one line, as the formatter has it.
    const json = JSON.stringify(result, null, 2).replace(/\[[\d.,\s]+\]/g, (list) =>
      list.replace(/\s+/g, ' ').replace('[ ', '[').replace(' ]', ']'),
    )
    writeFileSync(`${root}docs/proofs/history.json`, `${json}\n`)
    say(`written to docs/proofs/history.json: ${result.passed ? 'passed' : 'FAILED'}`)
    process.exitCode = result.passed ? 0 : 1
  } finally {
    await load.close()
    await store.close()
  }
} finally {
  await server.stop()
}

async function prove(store, load) {
  const fillMs = await fillPast(store, { finished, survivors, width, say })
  const prune = await provePrune(store, load)
  const migration = await proveMigration(store, load)
  const [{ version }] = await store.database.query("select current_setting('server_version') as version")
  return {
    passed: prune.passed && migration.passed,
    ...circumstances(root, ['src', 'sql']),
    postgres: version,
    loadAverage: loadavg().map((value) => Number(value.toFixed(1))),
    finished,
    survivors,
    jobsPerRange: width,
    fillMs,
    prune,
    migration,
  }
}

async function provePrune(store, load) {
  const work = startWork(load, { perSecond: 400, old: survivors / 5 / 60 })
  await sleep(3_000)
  const passes = []
  const expected = finished - survivors
  const total = () => passes.reduce((sum, { gone }) => sum + gone, 0)
  while (total() < expected && passes.length < 1_000) {
    const start = performance.now()
    const gone = await store.upkeep.prune()
    const ms = Math.round(performance.now() - start)
    passes.push({ gone, ms })
    say(gone > 0 ? `pruned ${gone} jobs in ${ms} ms` : `gave up after ${ms} ms: somebody was in the way`)
    await sleep(gone > 0 ? 2_000 : 250)
  }
  const done = await work.stop()
  const lost = await whatIsLost(store, done)
  const longestMs = longest(done.calls)
  say(`longest statement while pruning: ${longestMs} ms; ${lost.length} lost`)
  return {
    passed: lost.length === 0 && longestMs <= BAR_MS && total() === expected && done.errors.length === 0,
    pruned: total(),
    expected,
    passes: passes.filter(({ gone }) => gone > 0),
    gaveUp: passes.filter(({ gone }) => gone === 0).length,
    longestStatementMs: longestMs,
    ...summary(done),
    lost,
  }
}

/** Every survivor and every acknowledged job is where it should be, with its attempts, and nothing impossible is. */
async function whatIsLost(store, { enqueued, ended }) {
  const lost = (await store.read.violations()).map(({ rule, jobId }) => `${rule}: ${jobId}`)
  const rows = await store.database.query(
    `select u.id, u.why, j.state from (
       select id, why from public.past union all select id, null from unnest($1::bigint[]) n (id)) u
     left join holdfast.jobs j on j.id = u.id`,
    [enqueued],
    PATIENTLY,
  )
  const queued = ['queued', 'assigned', 'succeeded']
  const states = [queued, ['succeeded'], ['failed', ...queued], ['scheduled'], ['pending']]
  for (const { id, why, state } of rows) {
    const right = why === null ? queued : states[why]
    if (!right.includes(state)) lost.push(`job ${id} (${why ?? 'new'}) is ${state ?? 'gone'}`)
  }
  const finals = await store.database.query(
    `select id from unnest($1::bigint[]) n (id)
     where not exists (select from holdfast.attempt a where a.job_id = n.id and a.final and a.moved_to = 'succeeded')`,
    [ended],
    PATIENTLY,
  )
  return [...lost, ...finals.map(({ id }) => `the end of job ${id} is gone`)].slice(0, 100)
}

async function proveMigration(store, load) {
  const quiet = startWork(load, { perSecond: 200, old: 0 })
  await sleep(5_000)
  const before = await quiet.stop()
  const work = startWork(load, { perSecond: 200, old: 0 })
  const migrations = []
  const database = openPostgres({ url: server.url, connections: 1 })
  await sleep(1_000)
  for (let round = 0; round < 5; round += 1) {
    await database.query("update holdfast.code set hash = 'other'")
    const start = performance.now()
    await migrateUp(database, 'holdfast')
    migrations.push(Math.round(performance.now() - start))
    say(`all functions replaced under load in ${migrations.at(-1)} ms`)
    await sleep(1_000)
  }
  await database.close()
  const done = await work.stop()
  const lost = await whatIsLost(store, done)
  const longestMs = longest(done.calls)
  say(
    `longest statement while migrating: ${longestMs} ms (${longest(before.calls)} ms without); ${lost.length} lost`,
  )
  return {
    passed: lost.length === 0 && longestMs <= BAR_MS && done.errors.length === 0,
    migrationsMs: migrations,
    longestStatementMs: longestMs,
    longestWithoutMs: longest(before.calls),
    ...summary(done),
    lost,
  }
}

/** Producers at a rate, two claimers, a reader of the past; per second `old` jobs of the past are claimed, and as many retried. */
function startWork(load, { perSecond, old }) {
  const done = { calls: {}, enqueued: [], ended: [], errors: [] }
  let going = true
  const timed = async (name, call) => {
    const start = performance.now()
    try {
      return await call()
    } catch (error) {
      done.errors.push(`${name}: ${error.message}`)
      return []
    } finally {
      done.calls[name] ??= []
      done.calls[name].push(performance.now() - start)
    }
  }
  const endless = async (turn, everyMs) => {
    while (going) {
      const next = performance.now() + everyMs
      await turn()
      await sleep(Math.max(0, next - performance.now()))
    }
  }
  const finish = async (jobs) => {
    const endings = jobs.map((job) => ({ ...job, outcome: 'succeeded' }))
    const answers = jobs.length === 0 ? [] : await timed('finish', () => load.work.finish(endings))
    done.ended.push(...answers.filter(({ accepted }) => accepted).map(({ jobId }) => jobId))
  }
  const claim = (queues, limit) => timed('claim', () => load.work.claim({ worker: 'prover', queues, limit }))
  const jobs = Array.from({ length: perSecond / 20 }, () => ({ queue: 'live', kind: 'new', input: { a: 1 } }))
  // Every fifth survivor, from the second on, failed an hour ago.
  let failed = 2
  const retryNext = async () => {
    const id = failed * Math.floor(finished / survivors)
    failed += 5
    if (failed < survivors) await timed('retry', () => load.commands.retry(id))
  }
  const turns = [
    endless(async () => {
      const made = await timed('enqueue', () => load.enqueueMany(jobs))
      done.enqueued.push(...made.map(({ jobId }) => jobId))
    }, 50),
    ...[1, 2].map(() => endless(async () => finish(await claim(['live'], 100)), 20)),
    endless(async () => {
      const id = Math.ceil(Math.random() * survivors) * Math.floor(finished / survivors)
      await timed('report', () => load.read.history(id))
    }, 20),
    ...(old > 0 ? [endless(async () => finish(await claim(['old', 'done'], 2)), 1000 / old)] : []),
    ...(old > 0 ? [endless(() => retryNext(), 1000 / old)] : []),
  ]
  return {
    async stop() {
      going = false
      await Promise.all(turns)
      return done
    },
  }
}

function summary({ calls, enqueued, ended, errors }) {
  const round = (value) => Number(value.toFixed(1))
  const statements = Object.fromEntries(
    Object.entries(calls).map(([name, times]) => {
      const sorted = times.toSorted((a, b) => a - b)
      const at = (share) => round(sorted[Math.floor((sorted.length - 1) * share)])
      return [name, { calls: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }]
    }),
  )
  return { enqueued: enqueued.length, ended: ended.length, errors: errors.slice(0, 20), statements }
}

function longest(calls) {
  return Math.round(
    Math.max(0, ...Object.values(calls).map((times) => times.reduce((a, b) => Math.max(a, b), 0))),
  )
}

function numbers() {
  const { values } = parseArgs({
    options: {
      finished: { type: 'string', default: '5000000' },
      survivors: { type: 'string', default: '1000' },
    },
  })
  return { finished: Number(values.finished), survivors: Number(values.survivors) }
}
