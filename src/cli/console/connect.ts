/**
 * Connects a command to the configured database, else to the embedded one (started if necessary), or to a server. Modules that only some
 * commands need are imported on demand, because importing takes most of the time of a short command.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isOwn } from '../../config/files.js'
import { refuseUnnamedDatabase } from '../../config/named-database.js'
import type { Config } from '../../config/resolve.js'
import type { Database } from '../../database/database.js'
import { checkSchema } from '../../database/migrate.js'
import { openPostgres } from '../../database/postgres.js'
import { HoldfastError } from '../../domain/errors/errors.js'
import { EmbeddedInUse } from '../../embedded/errors.js'
import { type Store, storeOn } from '../../store/store.js'
import { CommandError, EXIT } from '../failure.js'
import { configOf, type DatabaseFlags, serverOf, type TenantFlag } from '../flags.js'
import type { CommandContext } from '../program.js'
import { maskAddress } from '../terminal/mask.js'
import type { Console } from './console.js'
import { databaseConsole } from './database.js'

export interface Connected {
  readonly database: Database
  /** To show to people; has no password. */
  readonly name: string
  readonly notes: string[]
  close(): Promise<void>
}

/** Commands that only read or change jobs fail after this long, instead of waiting for a database as `up` and `worker` do. */
export const CONNECT_SECONDS = 5

export async function connect(config: Config, context: CommandContext): Promise<Connected> {
  requireNamedDatabase(config, context)
  const url = config.get('database.url')
  if (url !== undefined) return connectPostgres(url, maskAddress(url))
  const folder = config.get('database.folder')
  const { findEmbedded } = await import('../../embedded/find.js')
  const until = performance.now() + CONNECT_SECONDS * 1000
  for (;;) {
    const running = await findEmbedded({ dir: join(folder, 'pg') })
    if (running !== undefined) return connectPostgres(running.url, `the embedded database in ${folder}`)
    try {
      return await startEmbedded(folder, context)
    } catch (error) {
      // Another process is starting or stopping it right now.
      if (!(error instanceof EmbeddedInUse) || performance.now() > until) throw error
      await wait(RETRY_MS, undefined, { signal: context.signal })
    }
  }
}

const RETRY_MS = 100

async function startEmbedded(folder: string, { terminal }: CommandContext): Promise<Connected> {
  terminal.status('starting the embedded database …')
  const { openEmbedded } = await import('../../store/open-embedded.js')
  const {
    database,
    folder: place,
    notes,
    close,
  } = await openEmbedded({ home: folder, share: true, connections: 1 })
  return { database, name: `the embedded database in ${place}`, notes, close }
}

function connectPostgres(url: string, name: string): Connected {
  const database = openPostgres({ url, connections: 1, applicationName: 'holdfast cli' })
  return { database, name, notes: [], close: database.close }
}

/** Returns once the database answers. Waits for one that is starting or unreachable; fails at once if it refuses the connection. */
export async function waitFor(
  { database, name }: Pick<Connected, 'database' | 'name'>,
  seconds: number,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const deadline = performance.now() + seconds * 1000
  for (;;) {
    signal.throwIfAborted()
    try {
      // Short calls, so that an interrupt takes effect soon.
      await database.query('select 1', [], {
        deadlineMs: Math.max(50, Math.min(1500, deadline - performance.now())),
      })
      return
    } catch (error) {
      const unavailable =
        error instanceof HoldfastError && /^(unavailable|deadline_exceeded)$/.test(error.code)
      if (!unavailable || performance.now() >= deadline) throw error
      terminal.status(`waiting for ${name}, up to ${seconds} s …`)
    }
  }
}

export interface OpenDatabase {
  readonly store: Store
  readonly config: Config
  /** To show to people; has no password. */
  readonly name: string
}

export interface OpenConsole {
  readonly console: Console
  readonly config: Config
  /** The database or the server, to show to people; has no password. */
  readonly name: string
}

/** For commands that can use a database or a server. */
export async function withConsole<T>(
  flags: DatabaseFlags & Partial<TenantFlag>,
  context: CommandContext,
  work: (opened: OpenConsole) => Promise<T>,
): Promise<T> {
  const server = serverOf(flags, context)
  if (server !== undefined) {
    const { serverConsole } = await import('./server.js')
    const name = maskAddress(String(server.url))
    return work({ console: serverConsole(server), config: configOf(flags, context), name })
  }
  return withDatabase(flags, context, ({ store, config, name }) =>
    work({ console: databaseConsole(store, config), config, name }),
  )
}

/** For commands that need the database itself. The database must exist and have the schema. */
export async function withDatabase<T>(
  flags: DatabaseFlags,
  context: CommandContext,
  work: (opened: OpenDatabase) => Promise<T>,
): Promise<T> {
  const config = configOf(flags, context)
  requireDatabase(config, context)
  const connected = await connect(config, context)
  let store: Store | undefined
  try {
    for (const note of connected.notes) context.terminal.err(note)
    await waitFor(connected, Math.min(CONNECT_SECONDS, config.get('database.wait_seconds')), context)
    const schema = config.get('database.schema')
    await checkSchema(connected.database, schema)
    store = storeOn(connected.database, schema)
    return await work({ store, config, name: connected.name })
  } finally {
    await store?.settle()
    await connected.close()
  }
}

/** Without a configured database, the embedded one is used only if the environment does not suggest that another was meant. */
export function requireNamedDatabase(config: Config, { env }: Pick<CommandContext, 'env'>): void {
  const wantsEmbedded = config.get('database.embedded') || isOwn(config.origin('database.folder'))
  if (config.get('database.url') === undefined && !wantsEmbedded)
    refuseUnnamedDatabase(env, 'HOLDFAST_DATABASE_EMBEDDED=true, or its folder in HOLDFAST_FOLDER')
}

/** Commands that only read or change jobs must not create an empty database. */
export function requireDatabase(config: Config, context: Pick<CommandContext, 'env'>): void {
  const folder = config.get('database.folder')
  if (config.get('database.url') !== undefined) return
  if (existsSync(join(folder, 'pg')) || existsSync(join(folder, 'pglite'))) return
  // DB_URL, POSTGRES_URL or a typing mistake: names the variable.
  requireNamedDatabase(config, context)
  throw new CommandError({
    code: 'no_database',
    message: `There is no database here: DATABASE_URL is not set, and ${folder} has none.`,
    remedy: 'Start one with `holdfast up`, change to the folder where it runs, or set DATABASE_URL.',
    exitCode: EXIT.config,
  })
}
