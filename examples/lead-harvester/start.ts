/** Harvest leads: a TypeScript and a Python worker page through a directory; the same phone is kept once. Kill either: the other goes on. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type App, holdfast } from 'holdfast'
import { buildServer } from 'holdfast/server'
import { stateWord } from 'holdfast/store'
import { openDatabase } from '../support/database.js'
import type { ExampleOptions, RunningExample } from '../support/example.js'
import { exampleFile } from '../support/files.js'
import { listen, portAfter } from '../support/listen.js'
import { type WorkerProgram, Workers } from '../support/workers.js'
import { startSite } from './site.js'

const QUEUE = 'leads'
const PAGE_MS = 500
const LEASE_SEC = 5
const LEASE_SEC_MIN = 2
const RETRY_MS = 2_000

/** Some want a number of leads, the others all there are. Atlantis cannot be harvested, and gives up after three attempts. */
const JOBS = [
  { city: 'Riga' },
  { city: 'Atlantis', maxAttempts: 3 },
  { city: 'Tallinn' },
  { city: 'Liepaja', targetCount: 40 },
  { city: 'Ventspils' },
  { city: 'Tartu', targetCount: 25 },
  { city: 'Narva', targetCount: 1_000 },
  { city: 'Vilnius' },
]
/** A worker that is killed costs its job an attempt; killed as often as here, it must not run out of them. */
const ATTEMPTS_MAX = 1_000

export async function start(options: ExampleOptions): Promise<RunningExample> {
  const { print, port, speed } = options
  const database = await openDatabase('lead-harvester', options)
  const app = await holdfast({
    url: database.url,
    schema: database.schema,
    migrate: true,
    queues: {
      [QUEUE]: { preset: 'harvest', retryBaseMs: Math.ceil(RETRY_MS / speed), crashBudget: ATTEMPTS_MAX },
    },
  })
  // The workers are other programs, so nothing else here returns the jobs of a killed one.
  app.upkeep.start()
  const server = buildServer(app.store, { loopback: true })
  const url = await listen(server, port)
  const kept = await keptJobs(app)
  const site = await startSite({ port: kept?.sitePort ?? portAfter(port), delayMs: PAGE_MS / speed })
  print('site', `${site.url}/Riga?page=1`)
  const ids = kept?.ids ?? (await enqueueJobs(app, site.url))
  print('queue', `${ids.length} cities to harvest`)
  const workers = new Workers(options)
  for (const program of programs(url, options)) workers.start(program)
  return {
    url,
    kills: workers.kills,
    result: () => harvested(app, ids, url, options),
    async stop() {
      await workers.stop()
      await server.close()
      await app.stop()
      await site.stop()
      await database.stop()
    },
  }
}

/** The jobs of the last run, and where they look for the site. */
async function keptJobs(app: App): Promise<{ ids: number[]; sitePort: number } | undefined> {
  const { rows } = await app.store.list.jobs({ queue: QUEUE, limit: 100 })
  const [first] = rows
  if (first === undefined) return undefined
  const { site } = (await app.store.read.job(first.id)).input as { site: string }
  return { ids: rows.map(({ id }) => id), sitePort: Number(new URL(site).port) }
}

async function enqueueJobs(app: App, site: string): Promise<number[]> {
  const made = await app.store.enqueueMany(
    JOBS.map(({ city, targetCount, maxAttempts = ATTEMPTS_MAX }) => ({
      queue: QUEUE,
      kind: 'harvest',
      input: { site, city },
      maxAttempts,
      ...(targetCount === undefined ? {} : { itemGoal: targetCount }),
    })),
  )
  return made.map(({ jobId }) => jobId)
}

function programs(url: string, { print, speed }: ExampleOptions): WorkerProgram[] {
  const leaseSec = Math.max(LEASE_SEC_MIN, Math.round(LEASE_SEC / speed))
  const args = (name: string) => [
    ...['--url', url, '--worker-id', name],
    ...['--lease-sec', String(leaseSec), '--wait-sec', '1'],
  ]
  const typescript = (name: string) => ({
    name,
    program: new URL('./worker.js', import.meta.url),
    args: args(name),
  })
  if (spawnSync('python3', ['--version']).error !== undefined) {
    print('python', 'python3 is not installed: a second worker in TypeScript takes its place', 'bad')
    return [typescript('typescript'), typescript('typescript-2')]
  }
  const python = {
    name: 'python',
    program: 'python3',
    args: [
      exampleFile('lead-harvester/worker.py'),
      ...args('python'),
      '--report-items',
      '10',
      '--end-with-stdin',
    ],
  }
  return [typescript('typescript'), python]
}

/** What is the same in each run: which worker found a lead first is not. */
async function harvested(app: App, ids: readonly number[], url: string, { out }: ExampleOptions) {
  await Promise.allSettled(ids.map((id) => app.handle(id).result()))
  const export_ = (format: string) => fetch(`${url}/api/v1/items/export?queue=${QUEUE}&format=${format}`)
  writeFileSync(join(out, 'leads.csv'), await (await export_('csv')).text())
  const items = (await (await export_('json')).json()) as { data: { phone: string } }[]
  const jobs = await Promise.all(ids.map((id) => app.store.read.job(id)))
  return {
    cities: jobs
      .map(({ input, state, reason, progressCount }) => ({
        city: (input as { city: string }).city,
        status: stateWord('harvest', state, { attempted: true }),
        done_reason: state === 'succeeded' ? reason : null,
        seen: progressCount,
      }))
      .sort((a, b) => (a.city < b.city ? -1 : 1)),
    leads: items.map(({ data }) => data).sort((a, b) => (a.phone < b.phone ? -1 : 1)),
  }
}
