/** `holdfast up`: a database, its schema, the HTTP API and workers in one go, until Ctrl-C. With --demo also something to do. */

import type { Command } from 'commander'
import { catalogue, WORK_KINDS } from '../app/catalogue.js'
import { webhookOptionsOf, workOptionsOf } from '../app/configured.js'
import type { App } from '../app/holdfast.js'
import { startUpkeep, type UpkeepLoop } from '../app/upkeep-loop.js'
import type { Working } from '../app/work.js'
import type { Config } from '../config/resolve.js'
import { given } from '../domain/given.js'
import type { WorkerMetrics } from '../telemetry/worker-metrics.js'
import type { SqsBridge } from '../triggers/sqs/connect.js'
import { configOf, databaseCommand, wholeNumber } from './flags.js'
import { type JobModules, loadJobs } from './job-module.js'
import { type Log, openLog } from './log.js'
import { startMetrics } from './measuring.js'
import type { Context } from './program.js'
import { withAddress } from './server.js'
import { checkPort, type ServeFlags, type Serving, serve, serveKeys } from './serving.js'
import { endSqs, sqsKeys, sqsOf, withSqsQueues } from './sqs.js'
import { printBanner } from './up/banner.js'
import { DEMO_QUEUE, startLoad } from './up/load.js'
import { refuseSecond, writeMark } from './up/mark.js'
import { openTally, type Tally } from './up/tally.js'
import { queuesOf, sizeKeys, type WorkFlags, withSizes } from './worker.js'
import { drainAndStop, graceMsOf, openApp, untilAsked } from './working.js'

interface Flags extends WorkFlags, ServeFlags {
  readonly demo?: boolean
}

export function upCommand(context: Context): Command {
  const command = databaseCommand(
    'up',
    'database, server and workers in one go, until Ctrl-C',
    'holdfast up --demo',
    'holdfast up ./jobs.js',
  )
    .argument('[modules...]', 'files that export jobs made with defineJob')
    .option('--demo', 'pretended work, so that there is something to see')
    .option('-q, --queue <names...>', 'only these queues (default: those of the jobs)')
    .option('--processes <n>', 'run jobs in so many processes', wholeNumber(1, 1000), 1)
  return withSizes(withSqsQueues(withAddress(command))).action((modules: string[], flags: Flags) =>
    up(modules, flags, context),
  )
}

async function up(modules: readonly string[], flags: Flags, context: Context): Promise<void> {
  const config = configOf(flags, context, { ...sizeKeys(flags), ...serveKeys(flags), ...sqsKeys(flags) })
  const loaded = withDemo(await loadJobs(modules), flags.demo === true)
  const mark = refuseSecond(config)
  // Before the database: a port that is taken would stop it again seconds later.
  if (context.env.HOLDFAST_WORKER_CHILD === undefined) await checkPort(config)
  const log = openLog(config, context.terminal, flags.json === true)
  context.terminal.passing('starting …')
  const began = performance.now()
  const app = await openApp(config, context, { ...loaded, migrate: true, log: log.below })
  const unmark = writeMark(mark)
  const tally = openTally(context.terminal, log, flags.demo === true)
  const { terminal, signal } = context
  let serving: Serving | undefined
  let upkeep: UpkeepLoop | undefined
  let sqs: SqsBridge | undefined
  try {
    // Those that work for another process leave the server to it.
    if (context.env.HOLDFAST_WORKER_CHILD === undefined) serving = await serve(app, config, log)
    const metrics = await startMetrics(config, flags.processes, log)
    sqs = loaded.jobs.length === 0 ? undefined : await sqsOf(config)
    const working = await startWork(app, loaded, { config, flags, tally, metrics, sqs })
    // Whoever works does it as well; without jobs, schedules and due jobs of others still need somebody.
    if (working === undefined) upkeep = upkeepOf(app, config, log)
    const started = { ...loaded, demo: flags.demo === true, tookMs: performance.now() - began }
    await printBanner(app, config, { ...started, server: serving?.url ?? '' }, context, log)
    const load = flags.demo ? startLoad(app, DEMO, signal) : undefined
    tally.begin(app, working)
    await ended(working, context)
    tally.end()
    // A server has users of its own, beside the workers that somebody sent home through the database.
    if (serving !== undefined && !signal.aborted) {
      log.info({}, 'the workers have gone, as they were asked; server and database stay until Ctrl-C')
      upkeep = upkeepOf(app, config, log)
      await ended(undefined, context)
    }
    await load
    await serving?.close()
    await upkeep?.stop()
    await drainAndStop(app, working, config, context, log)
    endSqs(sqs, flags.processes, log)
    if (log.pretty) terminal.out('The data is kept: `up` goes on with it.')
  } catch (error) {
    tally.end()
    await serving?.close()
    await upkeep?.stop()
    await app.stop({ graceMs: 0 })
    sqs?.close()
    throw error
  } finally {
    unmark()
  }
}

function upkeepOf({ store }: App, config: Config, log: Log): UpkeepLoop {
  return startUpkeep(store, log.below, config.localSettings(), webhookOptionsOf(config))
}

const DEMO = catalogue(WORK_KINDS, DEMO_QUEUE)

function withDemo(loaded: JobModules, demo: boolean): JobModules {
  if (!demo) return loaded
  const { jobs, queues } = loaded
  return {
    ...loaded,
    jobs: [...jobs, ...DEMO.jobs],
    queues: { [DEMO_QUEUE]: { preset: 'catalog' }, ...queues },
  }
}

interface Around {
  readonly config: Config
  readonly flags: Flags
  readonly tally: Tally
  readonly metrics: WorkerMetrics | undefined
  readonly sqs: SqsBridge | undefined
}

/** Without jobs there is nothing to run; the database alone is then what is up. */
async function startWork(
  app: App,
  { jobs }: JobModules,
  { config, flags, tally, metrics, sqs }: Around,
): Promise<Working | undefined> {
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

/** Until somebody interrupts us, or the workers have gone because of a request in the database. */
async function ended(working: Working | undefined, context: Context): Promise<void> {
  if (working !== undefined) await untilAsked(working, context)
  else if (!context.signal.aborted)
    await new Promise<void>((resolve) => {
      // Nothing else keeps this process alive.
      const alive = setInterval(() => {}, 60_000)
      context.signal.addEventListener('abort', () => {
        clearInterval(alive)
        resolve()
      })
    })
}
