/**
 * What is promised of the server under abuse, on a process and a Postgres of its own. Prints what it does to stderr and one JSON document to
 * stdout; scripts/prove-server.js keeps it.
 */
import { parseArgs } from 'node:util'
import { startEmbedded } from 'holdfast/embedded'
import { openStore } from 'holdfast/store'
import { defaultRoutes } from '../../../src/server/app.js'
import { bombard } from './bombard.js'
import { fieldsOf, nameOf } from './fields.js'
import { exportAll, fillLists, listAll } from './long-lists.js'
import { neighbours } from './neighbours.js'
import { COLLECTING, peakMb, type ServerProcess, startServer } from './server-process.js'
import { serveAmidst, slowCrowd } from './slow-crowd.js'
import { subjectOn } from './subject.js'

const ROUTES = defaultRoutes()

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string', default: '26' },
    requests: { type: 'string', default: '100000' },
    sockets: { type: 'string', default: '2000' },
    rows: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '15' },
  },
})
const began = performance.now()
const say = (text: string) =>
  console.error(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${text}`)
const round = (value: number) => Number(value.toFixed(1))

/** Bars of the promise. */
const VALIDATED_SHARE = 0.9
const GROWTH_OF_RSS = 1.1
const GROWTH_MB = 50
/** Memory is compared between these two, so that the first may be spent on getting warm. */
const WARM_SHARE = 0.2

/** How often memory is looked at between the marks. */
const LOOK_EVERY = 100

async function malformed(server: ServerProcess, count: number) {
  const fields = ROUTES.flatMap(fieldsOf).map(nameOf)
  say(`${count} malformed requests over ${ROUTES.length} routes and ${fields.length} fields`)
  const subject = await subjectOn(server.url, server.key)
  const marks: Record<number, number> = {}
  const step = count / 10
  let mostMb = 0
  const outcome = await bombard(
    { ...server, subject },
    {
      routes: ROUTES,
      seed: Number(values.seed),
      count,
      atOnce: 8,
      sent: async (n) => {
        if (n % LOOK_EVERY === 0) mostMb = Math.max(mostMb, server.rssMb())
        if (n % step !== 0) return
        await server.collect()
        marks[n] = round(server.rssMb())
        say(`${n} sent, ${marks[n]} MB`)
      },
    },
  )
  const { byStage, byStatus, named, allowed, wrong } = outcome
  const warmMb = marks[count * WARM_SHARE] ?? 0
  const endMb = marks[count] ?? 0
  return {
    passed:
      wrong.length === 0 &&
      byStage.contract >= count * VALIDATED_SHARE &&
      endMb <= warmMb * GROWTH_OF_RSS &&
      [...outcome.fields.values()].every((times) => times > 0) &&
      server.isAlive() &&
      server.complaints.length === 0,
    seed: Number(values.seed),
    count,
    routes: ROUTES.length,
    fields: fields.length,
    fieldsAttacked: [...outcome.fields.values()].filter((times) => times > 0).length,
    refusedAt: byStage,
    byStatus,
    namesTheField: named,
    allowedAndNoErrorOfOurs: allowed,
    wrong,
    complaintsOfTheServer: server.complaints,
    rssMb: marks,
    peakMb: round(mostMb),
    growthOfRss: Number((endMb / warmMb).toFixed(3)),
  }
}

async function crowded(server: ServerProcess, sockets: number) {
  say(`${sockets} slow sockets`)
  // Some more, because those that are turned away take a moment to come back.
  const crowd = await slowCrowd(server.url, server.key, Math.ceil(sockets * 1.1))
  try {
    const rssMb = round(server.rssMb())
    const served = await serveAmidst(crowd, server.url, server.key, 200)
    say(`${served.succeeded} of ${served.asked} requests succeeded, the slowest after ${served.slowestMs} ms`)
    const passed = served.succeeded === served.asked && served.openAtLeast >= sockets
    return { passed, sockets, ...served, turnedAway: crowd.turnedAway(), rssMb }
  } finally {
    crowd.leave()
  }
}

async function long(server: ServerProcess, rows: number, databaseUrl: string) {
  const store = await openStore({ url: databaseUrl, connections: 2 })
  say(`filling ${rows} jobs and ${rows} items`)
  await fillLists(store, { jobs: rows, items: rows }).finally(() => store.close())
  const { url, key } = server
  const reads = {
    exportJson: () => exportAll(url, key, 'json'),
    exportCsv: () => exportAll(url, key, 'csv'),
    listJobs: () => listAll(url, key),
  }
  const results: Record<
    string,
    { rows: number; beforeMb: number; peakMb: number; grewMb: number; seconds: number }
  > = {}
  for (const [name, read] of Object.entries(reads)) {
    const beforeMb = round(server.rssMb())
    const start = performance.now()
    let count = 0
    const most = await peakMb(server, async () => {
      count = await read()
    })
    const seconds = round((performance.now() - start) / 1000)
    results[name] = { rows: count, beforeMb, peakMb: round(most), grewMb: round(most - beforeMb), seconds }
    say(`${name}: ${count} rows in ${seconds} s, from ${beforeMb} to ${round(most)} MB`)
  }
  const all = Object.values(results)
  return { passed: all.every((each) => each.rows === rows && each.grewMb <= GROWTH_MB), rows, ...results }
}

/** What others do costs a worker's calls a moment and never a heartbeat, which comes every ten seconds; lists may take twice as long. */
const RENEW_P99_MS = 1_000
const LIST_P99_MS = 2_000

async function beside(server: ServerProcess, seconds: number) {
  say(`a noisy tenant beside a calm one, ${seconds} s each`)
  const phases = await neighbours(server, seconds, say)
  const all = Object.values(phases)
  const passed = all.every(
    ({ renew, finish, list, failures }) =>
      failures.length === 0 && Math.max(renew.p99, finish.p99) <= RENEW_P99_MS && list.p99 <= LIST_P99_MS,
  )
  return { passed: passed && server.complaints.length === 0, seconds, phases }
}

if (values.only === 'fields') {
  for (const field of ROUTES.flatMap(fieldsOf)) console.log(nameOf(field))
  process.exit(0)
}

const postgres = await startEmbedded({ ephemeral: true, settings: { max_connections: '100' } })
try {
  const store = await openStore({ url: postgres.url, migrate: true, connections: 1 })
  const [{ version = '' } = {}] = await store.database.query<{ version: string }>(
    "select current_setting('server_version') as version",
  )
  await store.close()
  /** Each on a server of its own, so that none hides behind what another has grown to. */
  const on = async <T>(part: string, work: (server: ServerProcess) => Promise<T>): Promise<T | undefined> => {
    if (values.only !== undefined && values.only !== part) return undefined
    const server = await startServer(postgres.url, part === 'malformed' ? COLLECTING : [])
    try {
      return await work(server)
    } finally {
      const code = await server.stop()
      say(`the server ended with ${code}`)
      if (code !== 0) process.exitCode = 1
    }
  }
  const parts = {
    malformed: await on('malformed', (server) => malformed(server, Number(values.requests))),
    slowSockets: await on('sockets', (server) => crowded(server, Number(values.sockets))),
    neighbours: await on('neighbours', (server) => beside(server, Number(values.seconds))),
    longLists: await on('lists', (server) => long(server, Number(values.rows), postgres.url)),
  }
  console.log(JSON.stringify({ postgres: version, ...parts }))
} finally {
  await postgres.stop()
}
