/** `holdfast worker`: runs the jobs of your modules until it is stopped, on a database or through a server. */
import type { Command } from 'commander'
import { workOptionsOf } from '../../app/configured.js'
import type { DefinedJob } from '../../app/define-job.js'
import { work } from '../../app/remote-work.js'
import type { TransportOptions } from '../../client/transport.js'
import type { Config } from '../../config/resolve.js'
import { PACKAGE_VERSION } from '../../database/package.js'
import { SETTINGS } from '../../domain/settings.js'
import { given } from '../../json/given.js'
import {
  configOf,
  consoleCommand,
  type DatabaseFlags,
  type FlagKeys,
  serverOf,
  usageError,
  wholeNumber,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { type CommandLog, openLog } from '../terminal/log.js'
import {
  type DrainableApp,
  databaseName,
  drainAndStop,
  graceMsOf,
  openApp,
  untilStopRequested,
} from './app.js'
import { loadJobs } from './job-module.js'
import { type MetricsFlags, metricsKeys, startMetrics, withMetricsOptions } from './metrics-endpoint.js'
import { closeSqs, type SqsFlags, sqsKeys, sqsOf, withSqsOptions } from './sqs.js'

export interface WorkFlags extends DatabaseFlags, MetricsFlags, SqsFlags {
  readonly queue?: string[]
  readonly concurrency?: number
  readonly min?: string
  readonly max?: string
  readonly tenants?: string
  readonly pollMs?: string
  readonly lease?: string
  readonly grace?: string
  readonly processes: number
  readonly name?: string
  readonly key?: string
}

export function workerCommand(context: CommandContext): Command {
  const command = consoleCommand(
    'worker',
    'run the jobs of your modules until stopped',
    'holdfast worker ./jobs.js',
    'holdfast worker ./jobs.js --queue mail --concurrency 50 --processes 4',
  )
    .argument('<modules...>', 'files that export jobs made with defineJob')
    .option('-q, --queue <names...>', 'only these queues (default: those of the jobs)')
    .option('--processes <n>', 'number of processes', wholeNumber(1, 1000), 1)
    .option('--name <name>', 'name of this worker, shown with its attempts')
    .option('--key <key>', 'API key; HOLDFAST_KEY is safer, as flags are visible to others')
  return withWorkerOptions(withSqsOptions(command)).action((modules: string[], flags: WorkFlags) =>
    worker(modules, flags, context),
  )
}

/** Flags that override [workers] of the configuration. */
export function withWorkerOptions(command: Command): Command {
  const sized = command
    .option(
      '-c, --concurrency <n>',
      'run this many jobs at once (sets --min and --max)',
      wholeNumber(1, 1000),
    )
    .option('--min <n>', 'jobs at once when the queues are short')
    .option('--max <n>', 'most jobs at once')
    .option('--tenants <counts>', 'jobs at once for each tenant, like acme=1,bolt=2-6')
    .option('--poll-ms <ms>', 'how often to poll for jobs when idle')
    .option('--lease <seconds>', 'how long a worker without heartbeat keeps its jobs')
    .option('--grace <seconds>', 'how long running jobs may take at shutdown')
  return withMetricsOptions(sized)
}

export function workerKeys({
  concurrency,
  min,
  max,
  tenants,
  pollMs,
  lease,
  grace,
  ...metrics
}: WorkFlags): FlagKeys {
  const both = concurrency === undefined ? undefined : { flag: '--concurrency', value: concurrency }
  if (both !== undefined && (min !== undefined || max !== undefined))
    throw usageError(
      '--concurrency sets both --min and --max.',
      'Give either --concurrency, or --min and --max.',
    )
  if (tenants !== undefined && (concurrency ?? min ?? max) !== undefined)
    throw usageError(
      '--tenants has the numbers of its tenants.',
      'Give either --tenants, or --concurrency, --min and --max.',
    )
  return {
    'workers.tenants': { flag: '--tenants', value: tenants },
    'workers.default_count': both ?? { flag: '--min', value: min },
    'workers.max_count': both ?? { flag: '--max', value: max },
    'workers.poll_interval_ms': { flag: '--poll-ms', value: pollMs },
    'workers.lease_timeout_seconds': { flag: '--lease', value: lease },
    'settings.SHUTDOWN_GRACE_PERIOD_SECONDS': { flag: '--grace', value: grace },
    ...metricsKeys(metrics),
  }
}

export function queuesOf(jobs: readonly DefinedJob[], selected: readonly string[] | undefined): string[] {
  return selected === undefined ? [...new Set(jobs.map((job) => job.queue))] : [...selected]
}

async function worker(modules: readonly string[], flags: WorkFlags, context: CommandContext): Promise<void> {
  const config = configOf(flags, context, { ...workerKeys(flags), ...sqsKeys(flags) })
  const { jobs, queues, schedules } = await loadJobs(modules)
  const log = openLog(config, context.terminal, flags.json === true)
  const server = serverOf(flags, context)
  if (server !== undefined) {
    const { key = server.key } = flags
    if (schedules.length > 0 || Object.keys(queues).length > 0)
      log.warn(
        {
          event: 'declarations_skipped',
          queues: Object.keys(queues),
          schedules: schedules.map(({ name }) => name),
        },
        'queues and schedules of the module are not declared: this needs a database, not a server',
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
  log.info(
    {
      event: 'worker_started',
      version: PACKAGE_VERSION,
      database: databaseName(config),
      queues: names,
      kinds,
    },
    'working',
  )
  await untilStopRequested(working, context)
  await drainAndStop(app, working, config, context, log)
  closeSqs(sqs, flags.processes, log)
}

/** A worker of a server got the grace period with the terms of its queues, so it reads no settings. */
const NO_SETTINGS: DrainableApp['settings'] = {
  list: async () => [],
  get: async () => SETTINGS.SHUTDOWN_GRACE_PERIOD_SECONDS.default,
}

interface RemoteWorkerDeps {
  readonly flags: WorkFlags
  readonly config: Config
  readonly context: CommandContext
  readonly log: CommandLog
}

/** Runs jobs through a server, which has the queues and the settings. */
async function workForServer(
  server: TransportOptions,
  jobs: readonly DefinedJob[],
  { flags, config, context, log }: RemoteWorkerDeps,
): Promise<void> {
  if (flags.processes > 1)
    throw usageError('--processes needs a database.', 'Start this command several times instead.')
  if (config.get('sqs.queue_url') !== undefined)
    throw usageError('SQS needs a database, not a server.', 'Leave out --sqs and sqs.queue_url, or --server.')
  const names = queuesOf(jobs, flags.queue)
  if (config.get('workers.tenants') !== undefined)
    throw usageError('--tenants needs a database.', 'A key of a server works for its own tenant only.')
  const metrics = await startMetrics(config, 1, log)
  const working = await work({
    server,
    jobs,
    log: log.below,
    ...workOptionsOf(config, names),
    ...given({ name: flags.name, metrics }),
    onEnded: log.ended,
  })
  log.info(
    {
      event: 'worker_started',
      version: PACKAGE_VERSION,
      server: String(server.url),
      queues: names,
      kinds: jobs.map(({ kind }) => kind),
    },
    'working',
  )
  await untilStopRequested(working, context)
  await drainAndStop({ settings: NO_SETTINGS, stop: async () => {} }, working, config, context, log)
}
