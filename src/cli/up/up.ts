/** `holdfast up`: starts a database with its schema, the HTTP API and workers in one process, until Ctrl-C. `--demo` adds simulated jobs. */

import type { Command } from 'commander'
import { catalogue, WORK_KINDS } from '../../app/catalogue.js'
import { webhookOptionsOf, workOptionsOf } from '../../app/configured.js'
import type { App } from '../../app/holdfast.js'
import { startUpkeep, type UpkeepLoop } from '../../app/upkeep-loop.js'
import type { WorkHandle } from '../../app/work.js'
import type { Config } from '../../config/resolve.js'
import { given } from '../../json/given.js'
import type { WorkerMetrics } from '../../telemetry/worker-metrics.js'
import type { SqsBridge } from '../../triggers/sqs/connect.js'
import { DEMO_QUEUE, startLoad } from '../demo/load.js'
import { SHOP_JOBS, SHOP_QUEUES } from '../demo/shop.js'
import { configOf, databaseCommand, wholeNumber } from '../flags.js'
import type { CommandContext } from '../program.js'
import { checkPort, type ServeFlags, type Serving, serve, serveKeys } from '../server/serve.js'
import { withAddressOptions } from '../server/server.js'
import { openInBrowser } from '../terminal/browser.js'
import { type CommandLog, openLog } from '../terminal/log.js'
import { drainAndStop, graceMsOf, openApp, untilStopRequested } from '../worker/app.js'
import { type JobModules, loadJobs } from '../worker/job-module.js'
import { startMetrics } from '../worker/metrics-endpoint.js'
import { closeSqs, sqsKeys, sqsOf, withSqsOptions } from '../worker/sqs.js'
import { queuesOf, type WorkFlags, withWorkerOptions, workerKeys } from '../worker/worker.js'
import { printBanner } from './banner.js'
import { listenForKeys, ownsTerminal } from './keys.js'
import { checkNotRunning, writePidFile } from './pid-file.js'
import { openProgress, type ProgressReport } from './progress.js'

interface Flags extends WorkFlags, ServeFlags {
  readonly demo?: boolean
}

export function upCommand(context: CommandContext): Command {
  const command = databaseCommand(
    'up',
    'start database, server and workers; stop with Ctrl-C',
    'holdfast up --demo',
    'holdfast up ./jobs.js',
  )
    .argument('[modules...]', 'files that export jobs made with defineJob')
    .option('--demo', 'run simulated jobs')
    .option('-q, --queue <names...>', 'only these queues (default: those of the jobs)')
    .option('--processes <n>', 'number of worker processes', wholeNumber(1, 1000), 1)
  return withWorkerOptions(withSqsOptions(withAddressOptions(command))).action(
    (modules: string[], flags: Flags) => up(modules, flags, context),
  )
}

async function up(modules: readonly string[], flags: Flags, context: CommandContext): Promise<void> {
  const config = configOf(flags, context, { ...workerKeys(flags), ...serveKeys(flags), ...sqsKeys(flags) })
  const loaded = withDemo(await loadJobs(modules), flags.demo === true)
  const mark = checkNotRunning(config)
  // Checked before the database starts, which takes seconds.
  if (context.env.HOLDFAST_WORKER_CHILD === undefined) await checkPort(config)
  const log = openLog(config, context.terminal, flags.json === true)
  context.terminal.status('starting …')
  const began = performance.now()
  const app = await openApp(config, context, { ...loaded, migrate: true, log: log.below })
  const unmark = writePidFile(mark)
  const tally = openProgress(context.terminal, log, flags.demo === true)
  const { terminal, signal } = context
  let serving: Serving | undefined
  let upkeep: UpkeepLoop | undefined
  let sqs: SqsBridge | undefined
  let restoreTerminal = () => {}
  try {
    // Worker child processes do not serve HTTP.
    if (context.env.HOLDFAST_WORKER_CHILD === undefined) serving = await serve(app, config, log)
    const metrics = await startMetrics(config, flags.processes, log)
    sqs = loaded.jobs.length === 0 ? undefined : await sqsOf(config)
    const working = await startWork(app, loaded, { config, flags, tally, metrics, sqs })
    // Workers do upkeep themselves; without workers, schedules and due jobs still need it.
    if (working === undefined) upkeep = upkeepOf(app, config, log)
    const keys = hasKeys(log, context)
    const started = { ...loaded, demo: flags.demo === true, tookMs: performance.now() - began, keys }
    await printBanner(app, config, { ...started, serving }, context, log)
    if (keys) restoreTerminal = listenForKeys({ open: () => void showDashboard(serving, log) })
    const load = flags.demo ? startLoad(app, DEMO, signal) : undefined
    tally.begin(app, working)
    await ended(working, context)
    tally.end()
    // The server keeps running after an operator has drained the workers.
    if (serving !== undefined && !signal.aborted) {
      log.info(
        { event: 'workers_drained' },
        'workers drained on request; server and database stay until Ctrl-C',
      )
      upkeep = upkeepOf(app, config, log)
      await ended(undefined, context)
    }
    await load
    await serving?.close()
    await upkeep?.stop()
    await drainAndStop(app, working, config, context, log)
    closeSqs(sqs, flags.processes, log)
    if (log.pretty) terminal.out('The data is kept for the next `up`.')
  } catch (error) {
    tally.end()
    await serving?.close()
    await upkeep?.stop()
    await app.stop({ graceMs: 0 })
    sqs?.close()
    throw error
  } finally {
    restoreTerminal()
    unmark()
  }
}

function hasKeys({ pretty }: CommandLog, { terminal, env }: CommandContext): boolean {
  return pretty && terminal.interactive && env.TERM !== 'dumb' && ownsTerminal()
}

async function showDashboard(serving: Serving | undefined, log: CommandLog): Promise<void> {
  if (serving === undefined) return
  const { dashboard } = serving
  const opened = await openInBrowser(dashboard)
  log.line('dashboard', opened ? `opened ${dashboard}` : `no browser here; its address is ${dashboard}`)
}

function upkeepOf({ store }: App, config: Config, log: CommandLog): UpkeepLoop {
  return startUpkeep(store, log.below, config.localSettings(), webhookOptionsOf(config))
}

const DEMO = catalogue(WORK_KINDS, DEMO_QUEUE)

function withDemo(loaded: JobModules, demo: boolean): JobModules {
  if (!demo) return loaded
  const { jobs, queues } = loaded
  return {
    ...loaded,
    jobs: [...jobs, ...DEMO.jobs, ...SHOP_JOBS],
    queues: { [DEMO_QUEUE]: { preset: 'catalog' }, ...SHOP_QUEUES, ...queues },
  }
}

interface StartDeps {
  readonly config: Config
  readonly flags: Flags
  readonly tally: ProgressReport
  readonly metrics: WorkerMetrics | undefined
  readonly sqs: SqsBridge | undefined
}

/** Returns undefined without jobs; then only database and server run. */
async function startWork(
  app: App,
  { jobs }: JobModules,
  { config, flags, tally, metrics, sqs }: StartDeps,
): Promise<WorkHandle | undefined> {
  const queues = queuesOf(jobs, flags.queue)
  if (queues.length === 0) return undefined
  return app.work({
    ...workOptionsOf(config, queues),
    processes: flags.processes,
    graceMs: await graceMsOf(config, app),
    ...given({ metrics, trigger: sqs }),
    onEnded: tally.ended,
    onScale: tally.scaled,
  })
}

/** Resolves on an interrupt, and when an operator has drained the workers. */
async function ended(working: WorkHandle | undefined, context: CommandContext): Promise<void> {
  if (working !== undefined) await untilStopRequested(working, context)
  else if (!context.signal.aborted)
    await new Promise<void>((resolve) => {
      // Keeps the process alive.
      const alive = setInterval(() => {}, 60_000)
      context.signal.addEventListener('abort', () => {
        clearInterval(alive)
        resolve()
      })
    })
}
