/** What `up` and `worker` share: an app on the configured database, at work until somebody ends it. */
import { webhookOptionsOf } from '../app/configured.js'
import { type App, type HoldfastOptions, holdfast } from '../app/holdfast.js'
import type { Working } from '../app/work.js'
import type { Config } from '../config/resolve.js'
import { SETTINGS } from '../domain/settings.js'
import { openPostgres } from '../store/postgres.js'
import { refuseUnnamed, waitFor } from './connect.js'
import type { Log } from './log.js'
import { mask } from './mask.js'
import type { Context } from './program.js'
import { many } from './words.js'

/** Opens the app; a database that is configured but does not answer yet gets its time. */
export async function openApp(
  config: Config,
  context: Context,
  options: Pick<HoldfastOptions, 'jobs' | 'queues' | 'schedules' | 'migrate' | 'log'>,
): Promise<App> {
  refuseUnnamed(config, context)
  const url = config.get('database.url')
  if (url !== undefined) {
    const database = openPostgres({ url, connections: 1, applicationName: 'holdfast cli' })
    try {
      await waitFor({ database, name: mask(url) }, config.get('database.wait_seconds'), context)
    } finally {
      await database.close()
    }
  }
  return holdfast({
    ...options,
    ...(url === undefined ? { embedded: { home: config.get('database.folder') } } : { url }),
    schema: config.get('database.schema'),
    notify: config.get('database.notify'),
    webhooks: webhookOptionsOf(config),
    settings: config.localSettings(),
  })
}

/** For people; without a password. */
export function databaseName(config: Config): string {
  const url = config.get('database.url')
  return url === undefined ? `embedded, in ${config.get('database.folder')}` : mask(url)
}

/** Settings as they are now: they may have been changed since the start. */
export async function graceMsOf(config: Config, app: Pick<Stoppable, 'settings'>): Promise<number> {
  const name = 'SHUTDOWN_GRACE_PERIOD_SECONDS'
  // A role that may only work may ask for a value, and not who has set it.
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

/** Resolves when somebody interrupts us, or asked the workers through the database to go. */
export async function untilAsked(working: Working, { signal }: Context): Promise<void> {
  if (signal.aborted) return
  const interrupted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  await Promise.race([interrupted, working.gone])
}

const STOPPING = 'stopping: running jobs may end; once more gives them back'

/** An app, or what stands in for it where a server has the settings. */
export interface Stoppable {
  readonly settings: Pick<App['settings'], 'list' | 'get'>
  stop(): Promise<void>
}

/** Lets running jobs end, or gives them back at a second interruption or when the grace is over; then closes everything. */
export async function drainAndStop(
  app: Stoppable,
  working: Working | undefined,
  config: Config,
  context: Context,
  log: Log,
): Promise<void> {
  const { interruption } = context
  if (working === undefined) {
    await app.stop()
    interruption.drainedCleanly()
    return
  }
  interruption.drains()
  const graceMs = await graceMsOf(config, app)
  // The second one may have come while we asked.
  if (interruption.again.aborted) void working.drain({ reason: 'shutdown' })
  log.info({ grace_s: graceMs / 1000 }, STOPPING)
  interruption.again.addEventListener('abort', () => {
    log.warn({}, 'asked again: what still runs is given back now')
    void working.drain({ reason: 'shutdown' })
  })
  const { clean, released } = await working.drain({ reason: 'shutdown', graceMs })
  await app.stop()
  if (released > 0) log.warn({ released }, `stopped; ${many(released, 'job')} given back`)
  else log.info({ clean }, 'stopped; every job that ran has ended')
  if (clean) interruption.drainedCleanly()
}
