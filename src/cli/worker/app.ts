/** Shared by `up`, `worker` and `server`: opens the app on the configured database, and drains it when the process must stop. */
import { setTimeout as sleep } from 'node:timers/promises'
import { webhookOptionsOf, workOptionsOf } from '../../app/configured.js'
import { declareQueues } from '../../app/declare-queues.js'
import { type App, type HoldfastOptions, holdfast } from '../../app/holdfast.js'
import type { WorkHandle } from '../../app/work.js'
import type { Config } from '../../config/resolve.js'
import { openPostgres } from '../../database/postgres.js'
import { SETTINGS } from '../../domain/settings.js'
import { requireNamedDatabase, waitFor } from '../console/connect.js'
import type { CommandContext } from '../program.js'
import { many } from '../terminal/format.js'
import type { CommandLog } from '../terminal/log.js'
import { mask } from '../terminal/mask.js'

/** Opens the app; waits for a configured database that does not answer yet. */
export async function openApp(
  config: Config,
  context: CommandContext,
  options: Pick<HoldfastOptions, 'jobs' | 'queues' | 'schedules' | 'migrate' | 'log'>,
): Promise<App> {
  requireNamedDatabase(config, context)
  const url = config.get('database.url')
  if (url !== undefined) {
    const database = openPostgres({ url, connections: 1, applicationName: 'holdfast cli' })
    try {
      await waitFor({ database, name: mask(url) }, config.get('database.wait_seconds'), context)
    } finally {
      await database.close()
    }
  }
  const app = await holdfast({
    ...options,
    ...(url === undefined ? { embedded: { home: config.get('database.folder') } } : { url }),
    schema: config.get('database.schema'),
    notify: config.get('database.notify'),
    webhooks: webhookOptionsOf(config),
    settings: config.localSettings(),
  })
  for (const { tenant } of workOptionsOf(config).groups ?? [])
    if (tenant !== undefined) await declareQueues(app.store, options.queues ?? {}, tenant)
  return app
}

/** An unreachable database must not delay the shutdown for longer. */
const GRACE_QUERY_MS = 1_000

/** The current grace period, or the one from the start if the database does not answer in time. */
async function graceMsNow(config: Config, app: DrainableApp): Promise<number> {
  const current = graceMsOf(config, app)
  current.catch(() => {})
  const fallback = config.get('settings.SHUTDOWN_GRACE_PERIOD_SECONDS') * 1000
  const timeout = sleep(GRACE_QUERY_MS, fallback, { ref: false })
  return Promise.race([current.catch(() => fallback), timeout])
}

/** To show to people; has no password. */
export function databaseName(config: Config): string {
  const url = config.get('database.url')
  return url === undefined ? `embedded, in ${config.get('database.folder')}` : mask(url)
}

/** Reads the current grace period, because settings may have changed since the start. */
export async function graceMsOf(config: Config, app: Pick<DrainableApp, 'settings'>): Promise<number> {
  const name = 'SHUTDOWN_GRACE_PERIOD_SECONDS'
  // A worker role may read a setting's value, but may not list settings.
  const known = await app.settings
    .list()
    .then((all) =>
      all.filter(({ origin }) => origin === 'set').map(({ name, value }) => [name, value] as const),
    )
    .catch(async () => {
      const value = await app.settings.get(name)
      return value === SETTINGS[name].default ? [] : [[name, value] as const]
    })
  return config.withSettings(new Map<string, number>(known)).get(`settings.${name}`) * 1000
}

/** Resolves on an interrupt, and when the workers have drained because an operator requested it. */
export async function untilStopRequested(working: WorkHandle, { signal }: CommandContext): Promise<void> {
  if (signal.aborted) return
  const interrupted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  await Promise.race([interrupted, working.stopped])
}

const STOPPING = 'stopping: waiting for running jobs; a second signal releases them'

/** The parts of an app that a shutdown needs; a worker of a server has a stand-in. */
export interface DrainableApp {
  readonly settings: Pick<App['settings'], 'list' | 'get'>
  stop(): Promise<void>
}

/** Waits for running jobs, releases those that are left at a second signal or when the grace period is over, then closes everything. */
export async function drainAndStop(
  app: DrainableApp,
  working: WorkHandle | undefined,
  config: Config,
  context: CommandContext,
  log: CommandLog,
): Promise<void> {
  const { interruption } = context
  if (working === undefined) {
    await app.stop()
    interruption.drainedCleanly()
    return
  }
  interruption.drains()
  const graceMs = await graceMsNow(config, app)
  // The second signal may have arrived during the query.
  if (interruption.again.aborted) void working.drain({ reason: 'shutdown' })
  log.info({ event: 'worker_stopping', grace_s: graceMs / 1000 }, STOPPING)
  interruption.again.addEventListener('abort', () => {
    log.warn({ event: 'drain_forced' }, 'second signal: running jobs are released now')
    void working.drain({ reason: 'shutdown' })
  })
  const { clean, released } = await working.drain({ reason: 'shutdown', graceMs })
  await app.stop()
  if (released > 0)
    log.warn({ event: 'worker_stopped', released }, `stopped; ${many(released, 'job')} released`)
  else log.info({ event: 'worker_stopped', clean }, 'stopped; all running jobs finished')
  if (clean) interruption.drainedCleanly()
}
