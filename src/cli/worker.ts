/** `holdfast worker`: runs the jobs of your module until it is told to stop. */
import type { Command } from 'commander'
import { workOptionsOf } from '../app/configured.js'
import type { Job } from '../app/define-job.js'
import { work } from '../app/remote-work.js'
import type { TransportOptions } from '../client/transport.js'
import type { Config } from '../config/resolve.js'
import { given } from '../domain/given.js'
import { SETTINGS } from '../domain/settings.js'
import { PACKAGE_VERSION } from '../store/package.js'
import {
  configOf,
  type DatabaseFlags,
  eitherCommand,
  type FlagKeys,
  serverOf,
  usageError,
  wholeNumber,
} from './flags.js'
import { loadJobs } from './job-module.js'
import { type Log, openLog } from './log.js'
import { type MetricsFlags, metricsKeys, startMetrics, withMetrics } from './measuring.js'
import type { Context } from './program.js'
import { endSqs, type SqsFlags, sqsKeys, sqsOf, withSqsQueues } from './sqs.js'
import { databaseName, drainAndStop, graceMsOf, openApp, type Stoppable, untilAsked } from './working.js'

export interface WorkFlags extends DatabaseFlags, MetricsFlags, SqsFlags {
  readonly queue?: string[]
  readonly concurrency?: number
  readonly min?: string
  readonly max?: string
  readonly pollMs?: string
  readonly lease?: string
  readonly grace?: string
  readonly processes: number
  readonly name?: string
  readonly key?: string
}

export function workerCommand(context: Context): Command {
  const command = eitherCommand(
    'worker',
    'run the jobs of a module of yours until told to stop',
    'holdfast worker ./jobs.js',
    'holdfast worker ./jobs.js --queue mail --concurrency 50 --processes 4',
  )
    .argument('<modules...>', 'files that export jobs made with defineJob')
    .option('-q, --queue <names...>', 'only these queues (default: those of the jobs)')
    .option('--processes <n>', 'run in so many processes', wholeNumber(1, 1000), 1)
    .option('--name <name>', 'the name in the log of attempts')
    .option('--key <key>', 'of the server; better in HOLDFAST_KEY, where others cannot read it')
  return withSizes(withSqsQueues(command)).action((modules: string[], flags: WorkFlags) =>
    worker(modules, flags, context),
  )
}

/** Flags over [workers] of the configuration. */
export function withSizes(command: Command): Command {
  const sized = command
    .option('-c, --concurrency <n>', 'jobs at once, always; for --min and --max alike', wholeNumber(1, 1000))
    .option('--min <n>', 'jobs at once when there is little to do')
    .option('--max <n>', 'jobs at once at most')
    .option('--poll-ms <ms>', 'how often to look for jobs when idle')
    .option('--lease <seconds>', 'how long a silent worker keeps its jobs')
    .option('--grace <seconds>', 'how long running jobs may take to end when stopped')
  return withMetrics(sized)
}

export function sizeKeys({ concurrency, min, max, pollMs, lease, grace, ...metrics }: WorkFlags): FlagKeys {
  const both = concurrency === undefined ? undefined : { flag: '--concurrency', value: concurrency }
  if (both !== undefined && (min !== undefined || max !== undefined))
    throw usageError('--concurrency stands for --min and --max.', 'Give either it or those two.')
  return {
    'workers.default_count': both ?? { flag: '--min', value: min },
    'workers.max_count': both ?? { flag: '--max', value: max },
    'workers.poll_interval_ms': { flag: '--poll-ms', value: pollMs },
    'workers.lease_timeout_seconds': { flag: '--lease', value: lease },
    'settings.SHUTDOWN_GRACE_PERIOD_SECONDS': { flag: '--grace', value: grace },
    ...metricsKeys(metrics),
  }
}

export function queuesOf(jobs: readonly Job[], named: readonly string[] | undefined): string[] {
  return named === undefined ? [...new Set(jobs.map((job) => job.queue))] : [...named]
}

async function worker(modules: readonly string[], flags: WorkFlags, context: Context): Promise<void> {
  const config = configOf(flags, context, { ...sizeKeys(flags), ...sqsKeys(flags) })
  const { jobs, queues, schedules } = await loadJobs(modules)
  const log = openLog(config, context.terminal, flags.json === true)
  const server = serverOf(flags, context)
  if (server !== undefined) {
    const { key = server.key } = flags
    if (schedules.length > 0 || Object.keys(queues).length > 0)
      log.warn(
        { queues: Object.keys(queues), schedules: schedules.map(({ name }) => name) },
        'queues and schedules of the module are not declared: that takes the database, not a server',
      )
    return workForServer({ ...server, ...given({ key }) }, jobs, {
      flags,
      config,
      context,
      log,
    })
  }
  const metrics = await startMetrics(config, flags.processes, log)
  const app = await openApp(config, context, { jobs, queues, schedules, log: log.below })
  const names = queuesOf(jobs, flags.queue)
  const sqs = await sqsOf(config)
  const working = await app
    .work({
      ...workOptionsOf(config, names),
      ...given({ trigger: sqs, name: flags.name, metrics }),
      processes: flags.processes,
      graceMs: await graceMsOf(config, app),
      onEnded: log.ended,
    })
    .catch(async (error: unknown) => {
      await app.stop()
      throw error
    })
  const kinds = jobs.map(({ kind }) => kind)
  log.info({ version: PACKAGE_VERSION, database: databaseName(config), queues: names, kinds }, 'working')
  await untilAsked(working, context)
  await drainAndStop(app, working, config, context, log)
  endSqs(sqs, flags.processes, log)
}

/** The settings of a server are not asked for: its worker has been given their grace already. */
const SERVERS_OWN: Stoppable['settings'] = {
  list: async () => [],
  get: async () => SETTINGS.SHUTDOWN_GRACE_PERIOD_SECONDS.default,
}

interface Around {
  readonly flags: WorkFlags
  readonly config: Config
  readonly context: Context
  readonly log: Log
}

/** The same without a database: queues and settings are the server's. */
async function workForServer(
  server: TransportOptions,
  jobs: readonly Job[],
  { flags, config, context, log }: Around,
): Promise<void> {
  if (flags.processes > 1)
    throw usageError('--processes needs a database.', 'Start this command several times instead.')
  if (config.get('sqs.queue_url') !== undefined)
    throw usageError('SQS needs a database, not a server.', 'Leave out --sqs and sqs.queue_url, or --server.')
  const names = queuesOf(jobs, flags.queue)
  const { pollMs: _poll, ...options } = workOptionsOf(config, names)
  const metrics = await startMetrics(config, 1, log)
  const working = await work({
    server,
    jobs,
    log: log.below,
    ...options,
    // Wake-ups come over the same wire, so asking is only a safety net.
    ...(flags.pollMs === undefined ? {} : { pollMs: config.get('workers.poll_interval_ms') }),
    ...given({ name: flags.name, metrics }),
    onEnded: log.ended,
  })
  log.info(
    {
      version: PACKAGE_VERSION,
      server: String(server.url),
      queues: names,
      kinds: jobs.map(({ kind }) => kind),
    },
    'working',
  )
  await untilAsked(working, context)
  await drainAndStop({ settings: SERVERS_OWN, stop: async () => {} }, working, config, context, log)
}
