/**
 * Work of seven kinds in one FIFO queue: workers grow from 2 to 8 and shrink again, and the whole app is killed with kill -9 and recovers.
 * What each kind takes and how it ends is in the catalogue (kinds.ts), the numbers of workers are in holdfast.toml.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type App, holdfast } from 'holdfast'
import { buildServer } from 'holdfast/server'
import { type Attempt, type Job, stateWord } from 'holdfast/store'
import { openDatabase } from '../support/database.js'
import type { ExampleOptions, RunningExample } from '../support/example.js'
import { opening } from '../support/opened.js'
import { until } from '../support/until.js'
import { Workers } from '../support/workers.js'
import { type AppLife, chartOf, livesOf, sparkline } from './chart.js'
import { batch, config, kindsAt, QUEUE } from './kinds.js'

const DEFAULT_COUNT = config().get('workers.default_count')
const MAX_COUNT = config().get('workers.max_count')
const RETRY_MS = 1_000
/** When this share of the jobs has ended, the app is killed. */
const KILL_AFTER = 1 / 3
/** Claims that overlap can be dated in either order; jobs that are done in another order are far more than this apart. */
const CLAIMS_OVERLAP_MS = 1_000

export const start = (options: ExampleOptions): Promise<RunningExample> =>
  opening(async (opened) => {
    const { print, speed, args } = options
    const database = opened.add(await openDatabase('work-kinds', options), (each) => each.stop())
    const { url, schema } = database
    const { jobs } = kindsAt(speed)
    const retryBaseMs = Math.round(RETRY_MS / speed)
    // You are invited to kill the app as often as you like: no job is blamed for it.
    const queues = { [QUEUE]: { preset: 'catalog', retryBaseMs, crashBudget: null } } as const
    const made = await holdfast({ url, schema, migrate: true, jobs: [...jobs], queues, log: false })
    const app = opened.add(made, (each) => each.stop())
    const ids = await enqueued(app)
    const listening = await opened
      .add(served(app), (each) => each.close())
      .listen({
        port: options.port,
        host: '127.0.0.1',
      })
    print('chart', `${listening}/workers.svg`)
    const workers = opened.add(new Workers(options), (each) => each.stop())
    workers.start({
      name: 'app',
      program: new URL('./worker.js', import.meta.url),
      env: { ...database.env, SPEED: String(speed) },
    })
    const stopping = opened.add(new AbortController(), (each) => each.abort())
    const stage: Stage = { app, ids, stopping: stopping.signal, print }
    const isKilled = !args.includes('calm') && options.chaos === undefined
    return {
      url: listening,
      kills: workers.kills,
      async result() {
        if (isKilled) await killOnce(stage, workers)
        await until(async () => (await counts(stage)).ended === ids.length, stopping.signal)
        const lives = await backToDefault(stage)
        writeFileSync(join(options.out, 'workers.svg'), chartOf(lives, MAX_COUNT))
        print('workers', sparkline(lives, MAX_COUNT), 'strong')
        return reported(stage, options.out)
      },
      stop: () => opened.close(),
    }
  })

/** The server of Holdfast, with the chart. */
function served({ store }: App) {
  const server = buildServer(store, { loopback: true, log: false })
  server.get('/workers.svg', async (_request, reply) =>
    reply.type('image/svg+xml').send(chartOf(await livesOf(store, DEFAULT_COUNT), MAX_COUNT)),
  )
  return server
}

/** With nothing left to do, the workers go back to their default number. */
function backToDefault({ app, stopping }: Stage): Promise<AppLife[]> {
  return until(async () => {
    const lives = await livesOf(app.store, DEFAULT_COUNT)
    return lives.at(-1)?.steps.at(-1)?.workers === DEFAULT_COUNT && lives
  }, stopping)
}

/** Enqueues the batch in one transaction; a run that is continued finds it, because the same call answers with the same jobs. */
async function enqueued(app: App): Promise<number[]> {
  const kinds = batch()
  const made = await app.store.enqueueMany(
    kinds.map((kind, n) => ({ queue: QUEUE, kind, input: { number: n + 1 } })),
    { idempotencyKey: 'the batch of work-kinds' },
  )
  return made.map(({ jobId }) => jobId)
}

interface Stage {
  readonly app: App
  readonly ids: readonly number[]
  readonly stopping: AbortSignal
  readonly print: ExampleOptions['print']
}

/** Kills the app while it works. Its jobs come back when their leases expire. */
async function killOnce(stage: Stage, workers: Workers): Promise<void> {
  await until(async () => (await counts(stage)).ended >= stage.ids.length * KILL_AFTER, stage.stopping)
  const { running } = await counts(stage)
  for (const pid of workers.pids) process.kill(pid, 'SIGKILL')
  stage.print('kill -9', `the app is gone, in the middle of ${running} jobs`, 'bad')
}

/** The report: for people, all attempts; as the result, what each job has come to. */
async function reported({ app, ids, print }: Stage, out: string) {
  const reports = await Promise.all(ids.map((id) => reportOf(app, id)))
  writeFileSync(join(out, 'report.json'), `${JSON.stringify(reports, null, 2)}\n`)
  const claims = reports.map(({ attempts }) => attempts[0]?.claimedAt?.getTime() ?? 0)
  const isFifo = claims.every((at, n) => at >= Math.max(0, ...claims.slice(0, n)) - CLAIMS_OVERLAP_MS)
  const states = new Map<string, number>()
  for (const { state } of reports) states.set(state, (states.get(state) ?? 0) + 1)
  print('report', [...states].map(([state, count]) => `${count} ${state}`).join(', '))
  print('report', isFifo ? 'first claims were in order of creation' : 'first claims were out of order')
  return {
    isFifo,
    jobs: reports.map(({ number, kind, state, digest }) => ({ number, kind, state, digest })),
  }
}

interface JobReport {
  readonly number: number
  readonly kind: string
  readonly state: string
  readonly digest: string | null
  readonly attempts: readonly Pick<
    Attempt,
    'attempt' | 'worker' | 'outcome' | 'reason' | 'claimedAt' | 'finishedAt'
  >[]
}

async function reportOf(app: App, jobId: number): Promise<JobReport> {
  const job: Job = await app.store.read.job(jobId)
  const attempts = await app.store.read.attempts(jobId)
  return {
    number: (job.input as { number: number }).number,
    kind: job.kind,
    state: stateWord('catalog', job.state, { attempted: job.attempt > 0 }),
    digest: (job.result as { digest?: string } | null)?.digest ?? null,
    attempts: attempts.map(({ attempt, worker, outcome, reason, claimedAt, finishedAt }) => ({
      attempt,
      worker,
      outcome,
      reason,
      claimedAt,
      finishedAt,
    })),
  }
}

async function counts({ app }: Stage): Promise<{ ended: number; running: number }> {
  const { counts: jobs } = await app.store.list.stateCounts({ queue: QUEUE })
  return { ended: jobs.succeeded + jobs.failed + jobs.canceled, running: jobs.assigned + jobs.running }
}
