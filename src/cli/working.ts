/** What `up` and `worker` share: an app on the configured database, at work until somebody ends it. */
import { setTimeout as wait } from 'node:timers/promises'
import { type App, type HoldfastOptions, holdfast } from '../app/holdfast.js'
import type { Working, WorkOptions } from '../app/work.js'
import { PACKAGED } from '../config/files.js'
import type { Config } from '../config/resolve.js'
import { openPostgres } from '../store/postgres.js'
import { waitFor } from './connect.js'
import type { Log } from './log.js'
import { mask } from './mask.js'
import type { Context } from './program.js'
import { many } from './words.js'

/** Opens the app; a database that is configured but does not answer yet gets its time. */
export async function openApp(
  config: Config,
  context: Context,
  options: Pick<HoldfastOptions, 'jobs' | 'queues' | 'migrate' | 'log'>,
): Promise<App> {
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
  })
}

/** What the configuration says about working. */
export function workOptionsOf(config: Config, queues: readonly string[]): WorkOptions {
  return {
    groups: [
      {
        queues,
        defaultCount: config.get('workers.default_count'),
        maxCount: config.get('workers.max_count'),
      },
    ],
    scaleIntervalMs: config.get('workers.scale_interval_ms'),
    pollMs: config.get('workers.poll_interval_ms'),
    // Unless somebody asks for another, the queues know best how long a lease of theirs should be.
    ...(isOwn(config.origin('workers.lease_timeout_seconds'))
      ? { leaseMs: config.get('workers.lease_timeout_seconds') * 1000 }
      : {}),
  }
}

/** Said by whoever runs this, not by what came with Holdfast. */
const isOwn = (origin: string): boolean => origin !== 'default' && origin !== PACKAGED

/** Settings as they are now: they may have been changed since the start. */
export async function graceMsOf(config: Config, app: Pick<Stoppable, 'settings'>): Promise<number> {
  const settings = await app.settings.list().catch(() => [])
  const set = settings
    .filter(({ origin }) => origin === 'set')
    .map(({ name, value }) => [name, value] as const)
  return config.withSettings(new Map(set)).get('settings.SHUTDOWN_GRACE_PERIOD_SECONDS') * 1000
}

const LOOK_MS = 500

/** Resolves when somebody interrupts us, or asked the workers through the database to go. */
export async function untilAsked(working: Working, { signal }: Context): Promise<'interrupted' | 'asked'> {
  for (;;) {
    if (signal.aborted) return 'interrupted'
    const stats = await working.stats()
    if (stats.length > 0 && stats.every(({ state }) => state === 'stopped')) return 'asked'
    await wait(LOOK_MS, undefined, { signal }).catch(() => {})
  }
}

const STOPPING = 'stopping: running jobs may end; once more gives them back'

/** An app, or what stands in for it where a server has the settings. */
export interface Stoppable {
  readonly settings: Pick<App['settings'], 'list'>
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
