// Measures the pages of the dashboard on a database with many jobs: the calls that each page makes in a real browser, how many statements
// they send, whether each is bounded and how much it reads, and how long the data of a page takes. Writes docs/proofs/dashboard.json and the
// tables of docs/internals/dashboard-proof.md.
//
//   npm run prove:dashboard -- [--live 1000000] [--finished 5000000] [--rounds 20] [--dry] [--only overview,jobs] [--keep DIR] [--url postgres://...]
//
// --dry prints and writes nothing; --keep DIR keeps the filled database in DIR, and the next run with the same DIR starts from it: filling
// takes most of a run; --url names a database that is filled already, or empty
//   npm run prove:dashboard -- --only interaction    how soon the page answers clicks and keys under load (prove/interaction.js)
//
// Without --only, the run ends with that measurement.
import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { startEmbedded } from '../dist/embedded.js'
import { buildServer } from '../dist/server.js'
import { openStore } from '../dist/store.js'
import { fillBusyStore } from './prove/busy-store.js'
import { circumstances } from './prove/circumstances.js'
import {
  BULK_PREVIEWS,
  DASHBOARD_PAGES,
  dashboardPage,
  isBounded,
  LIMITS_MS,
} from './prove/dashboard-table.js'
import { proveInteraction } from './prove/interaction.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const { live, finished, rounds, dry, only, keep, url: given } = options()
const began = performance.now()
const say = (text) =>
  console.error(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${text}`)

if (only?.includes('interaction')) process.exit((await proveInteraction({ root, dry, say })) ? 0 : 1)
const server = given === undefined ? await start() : { url: given, stop: async () => {} }
try {
  await prepare()
  const proof = await measure()
  if (dry) console.log(JSON.stringify(proof))
  else {
    writeFileSync(`${root}docs/proofs/dashboard.json`, `${JSON.stringify(proof, null, 2)}\n`)
    writeFileSync(`${root}docs/internals/dashboard-proof.md`, dashboardPage(proof))
  }
  say(proof.passed ? 'passed' : 'FAILED')
  process.exitCode = proof.passed ? 0 : 1
} finally {
  await server.stop()
}
if (only === undefined && !(await proveInteraction({ root, dry, say }))) process.exitCode = 1

function start() {
  return startEmbedded({
    ...(keep === undefined ? { ephemeral: true } : { dir: keep }),
    settings: {
      ...{ fsync: 'off', full_page_writes: 'off' },
      max_wal_size: '4GB',
      shared_preload_libraries: 'pg_stat_statements',
      'pg_stat_statements.track_planning': 'on',
    },
  })
}

async function prepare() {
  const store = await openStore({ url: server.url, migrate: true, connections: 4 })
  const [job] = await store.database.query('select from holdfast.job limit 1')
  if (job === undefined) await fillBusyStore(store, { finished, live, say })
  // What the measurement connects with is canceled after this time, as behind a pooler that does so.
  await store.database.script(`create extension if not exists pg_stat_statements;
    do $$ begin execute format('alter database %I set statement_timeout = ${LIMITS_MS.statement}', current_database()); end $$`)
  await store.close()
}

async function measure() {
  const store = await openStore({ url: server.url, connections: 8 })
  const watching = await openStore({ url: server.url, connections: 1 })
  const app = buildServer(store, { loopback: true })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    chromiumSandbox: false,
  })
  const chosen = ([name]) => only === undefined || only.some((part) => name.includes(part))
  const run = async (name, calls, mostMs) => {
    const measured = { page: name, ...(await timed({ store, watching }, calls, mostMs)) }
    say(`${name}: ${measured.calls} calls, p95 ${measured.p95Ms} ms, most pages ${measured.pagesMost}`)
    return measured
  }
  const pages = []
  for (const [name, place] of Object.entries(DASHBOARD_PAGES).filter(chosen)) {
    const calls = await callsOf(browser, `${url}/${place.replace('{job}', String(finished + 1))}`)
    pages.push(await run(name, calls, LIMITS_MS.page))
  }
  await browser.close()
  const previews = []
  for (const [name, body] of Object.entries(BULK_PREVIEWS).filter(chosen)) {
    const call = { url: `${url}/api/v1/bulk/preview`, method: 'POST', body: JSON.stringify(body) }
    previews.push(await run(name, [call], LIMITS_MS.preview))
  }
  const [history] = await watching.database.query(
    `select sum(c.relpages)::int as pages, current_setting('server_version') as version from pg_class c
     where c.relnamespace = 'holdfast'::regnamespace and c.relkind = 'r' and c.relname ~ '^(job|attempt)_[0-9]+$'`,
  )
  await app.close()
  await store.close()
  await watching.close()
  const isFine = ({ p95Ms, mostMs, slowestMs, pagesMost, unbounded, refused }) =>
    p95Ms <= mostMs &&
    slowestMs <= LIMITS_MS.statement &&
    pagesMost < history.pages &&
    unbounded.length === 0 &&
    refused.length === 0
  return {
    passed: [...pages, ...previews].every(isFine),
    ...circumstances(root, ['src', 'sql', 'dashboard']),
    ...{
      postgres: history.version,
      live,
      finished,
      historyPages: history.pages,
      rounds,
      loadAverage: loadavg().map((value) => Number(value.toFixed(1))),
    },
    pages,
    previews,
  }
}

/** The reads of a page as a browser makes them, without the stream. */
async function callsOf(browser, address) {
  const page = await browser.newPage()
  const calls = new Map()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.startsWith('/api/v1/') || pathname === '/api/v1/events') return
    calls.set(`${request.method()} ${request.url()} ${request.postData() ?? ''}`, {
      ...{ url: request.url(), method: request.method(), body: request.postData() ?? undefined },
    })
  })
  await page.goto(address)
  await page.locator('main h1').first().waitFor()
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null, undefined, {
    timeout: 60_000,
  })
  await page.close()
  return [...calls.values()]
}

/** All calls of a page at once, as it makes them, again and again. */
async function timed({ store, watching }, calls, mostMs) {
  const statements = new Map()
  let slowest = 0
  const stop = store.observe({
    queried(text, seconds) {
      statements.set(text, Math.max(statements.get(text) ?? 0, seconds))
      slowest = Math.max(slowest, seconds)
    },
    enqueued() {},
    refused() {},
  })
  await watching.database.query('select pg_stat_statements_reset()')
  const times = []
  const byPath = new Map()
  const refused = new Set()
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now()
    const answers = await Promise.all(
      calls.map(async ({ url, method, body }) => {
        const headers = { 'content-type': 'application/json' }
        const answer = await fetch(url, { method, ...(body === undefined ? {} : { body, headers }) })
        await answer.text()
        const path = new URL(url).pathname
        byPath.set(path, Math.max(byPath.get(path) ?? 0, Math.round(performance.now() - start)))
        return { status: answer.status, path }
      }),
    )
    times.push(performance.now() - start)
    for (const { status, path } of answers) if (status >= 400) refused.add(`${path} ${status}`)
  }
  stop()
  // Pages that one call of a statement touches on average, in memory or not, in its functions too.
  const read = await watching.database.query(
    `select s.query, s.calls, (s.shared_blks_hit + s.shared_blks_read) / s.calls as pages, round(s.mean_exec_time) as ms,
       round(s.mean_plan_time) as plan_ms from pg_stat_statements s join pg_database d on d.oid = s.dbid
     where d.datname = current_database() and s.calls > 0 order by s.total_exec_time desc limit 500`,
  )
  times.sort((one, other) => one - other)
  const at = (share) =>
    Math.round(times[Math.min(times.length - 1, Math.ceil(share * times.length) - 1)] ?? 0)
  if (dry) {
    for (const { query, calls: sent, pages, ms, plan_ms: planMs } of read.slice(0, 6))
      say(
        `  ${sent} x ${ms} ms, plan ${planMs} ms, ${pages} pages: ${query.replace(/\s+/g, ' ').slice(0, 150)}`,
      )
    say(`  slowest of each call: ${[...byPath].map(([path, ms]) => `${path} ${ms}`).join(', ')}`)
  }
  return {
    ...{ calls: calls.length, statements: statements.size, p50Ms: at(0.5), p95Ms: at(0.95), mostMs },
    slowestMs: Math.round(slowest * 1000),
    pagesMost: Math.max(0, ...read.map(({ pages }) => Number(pages))),
    pagesRead: Math.round(
      read.reduce((sum, { pages, calls: sent }) => sum + Number(pages) * Number(sent), 0) / rounds,
    ),
    unbounded: [...statements.keys()]
      .filter((text) => !isBounded(text))
      .map((text) => text.trim().slice(0, 200)),
    refused: [...refused],
  }
}

function options() {
  const { values } = parseArgs({
    options: {
      live: { type: 'string', default: '1000000' },
      finished: { type: 'string', default: '5000000' },
      rounds: { type: 'string', default: '20' },
      dry: { type: 'boolean', default: false },
      only: { type: 'string' },
      keep: { type: 'string' },
      url: { type: 'string' },
    },
  })
  const whole = (text) => Number.parseInt(text, 10)
  return {
    ...values,
    live: whole(values.live),
    finished: whole(values.finished),
    rounds: whole(values.rounds),
    only: values.only?.split(','),
  }
}
