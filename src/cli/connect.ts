/**
 * Which database a command speaks to: the one that is configured, else the embedded one, running or not. What only some of them need is
 * loaded when it is needed: most of the time of a short command is the loading of its modules.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isOwn } from '../config/files.js'
import { refuseUnnamedDatabase } from '../config/named-database.js'
import type { Config } from '../config/resolve.js'
import { HoldfastError } from '../domain/errors.js'
import type { Database } from '../store/database.js'
import { EmbeddedInUse } from '../store/embedded/errors.js'
import { checkSchema } from '../store/migrate.js'
import { openPostgres } from '../store/postgres.js'
import { type Store, storeOn } from '../store/store.js'
import { CommandError, EXIT } from './failure.js'
import { configOf, type DatabaseFlags, serverOf, type TenantFlag } from './flags.js'
import { mask } from './mask.js'
import type { Context } from './program.js'

export interface Connected {
  readonly database: Database
  /** For people; without a password. */
  readonly name: string
  readonly notes: string[]
  close(): Promise<void>
}

/** Somebody who only wants to look should not sit through the patience of a start. */
export const LOOK_SECONDS = 5

export async function connect(config: Config, context: Context): Promise<Connected> {
  refuseUnnamed(config, context)
  const url = config.get('database.url')
  if (url !== undefined) return onServer(url, mask(url))
  const folder = config.get('database.folder')
  const { findEmbedded } = await import('../store/embedded/find.js')
  const until = performance.now() + LOOK_SECONDS * 1000
  for (;;) {
    const running = await findEmbedded({ dir: join(folder, 'pg') })
    if (running !== undefined) return onServer(running.url, `the embedded database in ${folder}`)
    try {
      return await startedHere(folder, context)
    } catch (error) {
      // Another process is just starting it, or stopping it: a moment later it is clear which.
      if (!(error instanceof EmbeddedInUse) || performance.now() > until) throw error
      await wait(AGAIN_MS, undefined, { signal: context.signal })
    }
  }
}

const AGAIN_MS = 100

async function startedHere(folder: string, { terminal }: Context): Promise<Connected> {
  terminal.passing('starting the embedded database …')
  const { openEmbedded } = await import('../store/open-embedded.js')
  const {
    database,
    folder: place,
    notes,
    close,
  } = await openEmbedded({ home: folder, share: true, connections: 1 })
  return { database, name: `the embedded database in ${place}`, notes, close }
}

function onServer(url: string, name: string): Connected {
  const database = openPostgres({ url, connections: 1, applicationName: 'holdfast cli' })
  return { database, name, notes: [], close: database.close }
}

/**
 * Returns once the database answers. One that is starting, or not there yet, gets its time; one that refuses us does not get
 * better by waiting.
 */
export async function waitFor(
  { database, name }: Pick<Connected, 'database' | 'name'>,
  seconds: number,
  { terminal, signal }: Context,
): Promise<void> {
  const until = performance.now() + seconds * 1000
  for (;;) {
    signal.throwIfAborted()
    try {
      // In short turns, so that an interruption is heard.
      await database.query('select 1', [], {
        deadlineMs: Math.max(50, Math.min(1500, until - performance.now())),
      })
      return
    } catch (error) {
      const away = error instanceof HoldfastError && /^(unavailable|deadline_exceeded)$/.test(error.code)
      if (!away || performance.now() >= until) throw error
      terminal.passing(`waiting for ${name}, up to ${seconds} s …`)
    }
  }
}

export interface WithStore {
  readonly store: Store
  readonly config: Config
  readonly name: string
}

/** For commands that look at jobs or change them, in a database or through a server. */
export async function withStore<T>(
  flags: DatabaseFlags & Partial<TenantFlag>,
  context: Context,
  work: (opened: WithStore) => Promise<T>,
): Promise<T> {
  const server = serverOf(flags, context)
  if (server === undefined) return withDatabase(flags, context, work)
  const { remoteStore } = await import('./remote-store.js')
  return work({ store: remoteStore(server), config: configOf(flags, context), name: String(server.url) })
}

/** For commands that need the database itself: it must be there, with our schema in it. */
export async function withDatabase<T>(
  flags: DatabaseFlags,
  context: Context,
  work: (opened: WithStore) => Promise<T>,
): Promise<T> {
  const config = configOf(flags, context)
  refuseNothing(config)
  const connected = await connect(config, context)
  let store: Store | undefined
  try {
    for (const note of connected.notes) context.terminal.err(note)
    await waitFor(connected, Math.min(LOOK_SECONDS, config.get('database.wait_seconds')), context)
    const schema = config.get('database.schema')
    await checkSchema(connected.database, schema)
    store = storeOn(connected.database, schema)
    return await work({ store, config, name: connected.name })
  } finally {
    await store?.settle()
    await connected.close()
  }
}

/** Where no database is named, the one in the folder is used only if nothing says that another was meant. */
export function refuseUnnamed(config: Config, { env }: Pick<Context, 'env'>): void {
  const asked = config.get('database.embedded') || isOwn(config.origin('database.folder'))
  if (config.get('database.url') === undefined && !asked)
    refuseUnnamedDatabase(env, 'HOLDFAST_DATABASE_EMBEDDED=true, or its folder in HOLDFAST_FOLDER')
}

/** A look around must not leave a new, empty database behind. */
export function refuseNothing(config: Config): void {
  const folder = config.get('database.folder')
  if (config.get('database.url') !== undefined) return
  if (existsSync(join(folder, 'pg')) || existsSync(join(folder, 'pglite'))) return
  throw new CommandError({
    code: 'no_database',
    message: `There is no database here: DATABASE_URL is not set, and nothing is in ${folder}.`,
    remedy: 'Start one with `holdfast up`, go to the folder where it runs, or set DATABASE_URL.',
    exitCode: EXIT.config,
  })
}
