// examples/lead-harvester, run as its README shows it: a site, a server, a worker in TypeScript and one in Python, as processes.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { curlPaths, isRunning, killsOf, type StartedExample, startExample } from '../support/run-example.js'
import { expectHealthy, freshStore, postgresUrl } from '../support/world.js'

interface Harvest {
  readonly cities: { city: string; status: string; done_reason: string | null; seen: number }[]
  readonly leads: { phone: string; name: string; trade: string; city: string }[]
}

const FAST = ['--speed', '20']
const all = (city: string, seen: number) => ({ city, status: 'done', done_reason: 'no_more_results', seen })
const enough = (city: string, seen: number) => ({ city, status: 'done', done_reason: 'target_reached', seen })
/** Twelve pages of ten; or as many as are needed for 40 and 25 leads, of which each page has nine; or the three pages there are. */
const CITIES = [
  { city: 'Atlantis', status: 'failed', done_reason: null, seen: 0 },
  enough('Liepaja', 50),
  all('Narva', 30),
  all('Riga', 120),
  all('Tallinn', 120),
  enough('Tartu', 30),
  all('Ventspils', 120),
  all('Vilnius', 120),
]
/** One business of ten is listed twice, and three chains in three cities. */
const LEADS = (4 * 120 + 50 + 30 + 30) * 0.9 - 2 * 3

beforeAll(() => {
  if (spawnSync('python3', ['--version']).error !== undefined)
    throw new Error('python3 is missing; install it with: sudo apt-get install --yes python3')
})

function expectHarvest({ cities, leads }: Harvest): void {
  expect(cities).toEqual(CITIES)
  expect(leads).toHaveLength(LEADS)
  expect(new Set(leads.map(({ phone }) => phone)).size).toBe(LEADS)
}

/** The exported leads without what differs from run to run: item, job and time. */
function rowsOf({ out }: StartedExample): string[] {
  const [, ...rows] = readFileSync(join(out, 'leads.csv'), 'utf8').trimEnd().split('\r\n')
  return rows.map((row) => row.replace(/,\d+,\d+,[^,]*,$/, '')).sort()
}

it('S0.12 on an embedded database both workers harvest every city, the export has every phone once, and Ctrl-C ends all of it', async () => {
  const example = startExample('lead-harvester', FAST, { DATABASE_URL: '' })
  const harvest = await example.result<Harvest>()
  expectHarvest(harvest)
  const workers = new Set(example.lines.map((line) => /(typescript|python) +\w+ page \d+: /.exec(line)?.[1]))
  expect(workers).toContain('typescript')
  expect(workers).toContain('python')

  const csv = await (await fetch(`${await example.url()}/api/v1/items/export?queue=leads&format=csv`)).text()
  expect(readFileSync(join(example.out, 'leads.csv'), 'utf8')).toBe(csv)
  const [head = '', ...rows] = csv.trimEnd().split('\r\n')
  expect(head).toBe('city,name,phone,trade,item_id,job_id,created_at,other_fields')
  expect(rows.map((row) => /\+\d{3} \d\d \d{5}/.exec(row)?.[0]).sort()).toEqual(
    harvest.leads.map(({ phone }) => phone),
  )

  for (const path of curlPaths('lead-harvester'))
    expect((await fetch((await example.url()) + path)).status, path).toBe(200)
  expect(example.processes(), 'the example and two workers').toHaveLength(3)
  const database = JSON.parse(readFileSync(join(example.out, 'pg', 'connection.json'), 'utf8')) as {
    pid: number
  }
  expect(await example.interrupt()).toBe(0)
  expect(isRunning(database.pid)).toBe(false)
})

it('S0.12 with workers killed at random the leads are those of the undisturbed run', async () => {
  // One after the other: the address of the database is that of the last one that is ready.
  const run = async (...flags: string[]) => {
    const store = await freshStore()
    const env = { DATABASE_URL: postgresUrl(), HOLDFAST_SCHEMA: store.schema }
    return { store, example: startExample('lead-harvester', [...FAST, ...flags], env) }
  }
  const calm = await run()
  const wild = await run('--chaos', '7')
  const runs = [calm, wild]
  const undisturbed = await calm.example.result<Harvest>()
  expectHarvest(undisturbed)
  expect(await wild.example.result()).toEqual(undisturbed)
  expect(rowsOf(wild.example)).toEqual(rowsOf(calm.example))
  expect(killsOf(calm.example)).toBe(0)
  expect(killsOf(wild.example)).toBeGreaterThan(2)
  for (const { example, store } of runs) {
    expect(await example.interrupt()).toBe(0)
    await expectHealthy(store)
  }
})

it('S0.03 when a worker stalls, the other one goes on with its city from the next page, before cities that no worker has begun', async () => {
  const store = await freshStore()
  const env = { DATABASE_URL: postgresUrl(), HOLDFAST_SCHEMA: store.schema }
  const example = startExample('lead-harvester', [], env)
  const [, name = ''] = await example.shows(/(typescript|python) +Riga page 2: /)
  const [, pid] = await example.shows(new RegExp(`${name} +started as process (\\d+)`))
  // Stopped, not killed: a killed one is started again, and might get the city itself.
  process.kill(Number(pid), 'SIGSTOP')
  const [, other, page] = await example.shows(/(typescript|python) +Riga: attempt 2, from page (\d+)/)
  const first = example.lines.findIndex((line) => line.includes('Riga: attempt 2'))
  expect(other).not.toBe(name)
  expect(Number(page)).toBeGreaterThan(2)
  // The last city in line waits still: upkeep has returned this one, not the lack of others.
  expect(example.lines.slice(0, first).filter((line) => line.includes('Vilnius: attempt 1'))).toEqual([])
  process.kill(Number(pid), 'SIGCONT')
  await example.shows(new RegExp(`${name} +Riga: dropped`))
  expect(await example.interrupt()).toBe(0)
  await expectHealthy(store)
})

it('S0.12 if the whole example is killed or interrupted, no process is left, and --keep resumes from what was done', async () => {
  const store = await freshStore()
  const env = { DATABASE_URL: postgresUrl(), HOLDFAST_SCHEMA: store.schema }
  const killed = startExample('lead-harvester', FAST, env)
  await killed.shows(/page 2: /)
  killed.child.kill('SIGKILL')
  await killed.ended
  await expect.poll(() => killed.processes()).toEqual([])

  const interrupted = startExample('lead-harvester', [...FAST, '--keep'], env)
  await interrupted.shows(/page \d+: /)
  expect(await interrupted.interrupt()).toBe(0)

  const last = startExample('lead-harvester', [...FAST, '--keep', '--exit'], env)
  expectHarvest(await last.result<Harvest>())
  expect(await last.ended).toBe(0)
  expect(last.processes()).toEqual([])
  await expectHealthy(store)
})

it('S0.12 without python3 a second worker in TypeScript takes its place, and the leads are the same', async () => {
  const store = await freshStore()
  const env = { DATABASE_URL: postgresUrl(), HOLDFAST_SCHEMA: store.schema, PATH: '/nowhere' }
  const example = startExample('lead-harvester', [...FAST, '--exit'], env)
  await example.shows(/python3 is not installed: a second worker in TypeScript takes its place/)
  expectHarvest(await example.result<Harvest>())
  expect(await example.ended).toBe(0)
})

it('a port that is in use and a database that is not there are refused with what to do, and nothing is left', async () => {
  const { schema } = await freshStore()
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  const port = String((taken.address() as AddressInfo).port)
  const env = { DATABASE_URL: postgresUrl(), HOLDFAST_SCHEMA: schema }
  const crowded = startExample('lead-harvester', ['--port', port], env)
  expect(await crowded.ended).toBe(1)
  expect(crowded.lines.at(-1)).toBe(`port ${port} is in use; choose another one with --port`)
  expect(crowded.processes()).toEqual([])

  const lost = startExample('lead-harvester', [], { DATABASE_URL: 'postgres://127.0.0.1:1/none' })
  expect(await lost.ended).toBe(1)
  expect(lost.lines.join('\n')).toMatch(/127\.0\.0\.1:1/)
  expect(lost.lines.filter((line) => /^ +at /.test(line))).toEqual([])
})
