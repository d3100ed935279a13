/**
 * A database for a program without a DATABASE_URL: a real Postgres from npm in `<home>/pg`, or PGlite inside this process in
 * `<home>/pglite` where the Postgres binaries cannot run. Where they are only not installed, the error has the command that installs them:
 * PGlite serves one process, and the choice is kept.
 *
 * An empty database must never take the place of one with data. So the first choice is kept: a home with PGlite data stays with PGlite,
 * and a home with Postgres data never falls back to an empty PGlite.
 */
import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { Database } from '../database/database.js'
import { openPglite } from '../database/pglite.js'
import { openPostgres } from '../database/postgres.js'
import { EmbeddedInUse, EmbeddedUnavailable } from '../embedded/errors.js'
import { findEmbedded } from '../embedded/find.js'
import { type EmbeddedPostgres, startEmbedded } from '../embedded/start.js'
import { given } from '../json/given.js'

export interface OpenEmbeddedOptions {
  /** The folder that holds the data. */
  readonly home?: string
  /** Use a server that another process runs in this home, instead of refusing. That server keeps running. */
  readonly share?: boolean
  /** Use PGlite even where Postgres could run. */
  readonly pglite?: boolean
  /** A folder with Postgres binaries to use instead of those from npm. */
  readonly binDir?: string
  readonly connections?: number
  /** Called when the server died and was restarted, or could not be. */
  readonly onNotice?: (notice: string) => void
}

export interface OpenedEmbedded {
  readonly database: Database
  /** The data folder, relative or absolute as it was given. */
  readonly folder: string
  /** The process id of the server; undefined for PGlite. */
  readonly pid: number | undefined
  readonly port: number | undefined
  /** The connection URL for other processes, password included; undefined for PGlite. */
  readonly url: string | undefined
  /** started by this process · adopted from an owner that died · shared with the process that runs it · inside this process */
  readonly how: 'started' | 'adopted' | 'shared' | 'in-process'
  /** Notes to show to the user. */
  readonly notes: string[]
  /** Closes the connections and stops what this process started. */
  close(): Promise<void>
}

const DEFAULT_HOME = './.holdfast'

export async function openEmbedded(options: OpenEmbeddedOptions = {}): Promise<OpenedEmbedded> {
  const home = options.home ?? DEFAULT_HOME
  const pg = join(home, 'pg')
  const hasPostgresData = existsSync(join(pg, 'connection.json'))
  if (options.pglite) return inProcess(home, [])
  if (!hasPostgresData && existsSync(join(home, 'pglite', 'PG_VERSION'))) {
    return inProcess(home, ['This folder already holds PGlite data, so PGlite is used again.'])
  }
  try {
    const server = await startEmbedded({
      dir: pg,
      ...given({ binDir: options.binDir, onNotice: options.onNotice }),
    })
    return served(displayPath(pg), server, options.connections)
  } catch (error) {
    if (error instanceof EmbeddedInUse && options.share) return shared(pg, error, options.connections)
    if (!(error instanceof EmbeddedUnavailable) || hasPostgresData) throw error
    return inProcess(home, [
      `Postgres cannot run here (${error.message}).`,
      'PGlite runs inside this process instead: one process at a time, and a power cut may lose data.',
    ])
  }
}

function served(folder: string, server: EmbeddedPostgres, connections: number | undefined): OpenedEmbedded {
  const { database, port } = connect(server.url, connections)
  return {
    database,
    folder,
    get pid() {
      return server.pid
    },
    port,
    url: server.url,
    how: server.adopted ? 'adopted' : 'started',
    notes: server.notes,
    async close() {
      await database.close()
      await server.stop()
    },
  }
}

async function shared(
  pg: string,
  inUse: EmbeddedInUse,
  connections: number | undefined,
): Promise<OpenedEmbedded> {
  const found = await findEmbedded({ dir: pg })
  // Its owner is still starting or already stopping it.
  if (!found) throw inUse
  const { database, port } = connect(found.url, connections)
  return {
    database,
    folder: displayPath(pg),
    pid: found.pid,
    port,
    url: found.url,
    how: 'shared',
    notes: [],
    close: database.close,
  }
}

async function inProcess(home: string, notes: string[]): Promise<OpenedEmbedded> {
  const dir = join(home, 'pglite')
  const database = await openPglite({ dir })
  return {
    database,
    folder: displayPath(dir),
    pid: undefined,
    port: undefined,
    url: undefined,
    how: 'in-process',
    notes,
    close: database.close,
  }
}

const displayPath = (path: string): string => (isAbsolute(path) ? path : `./${path}`)

function connect(url: string, connections: number | undefined): { database: Database; port: number } {
  const database = openPostgres({ url, ...(connections === undefined ? {} : { connections }) })
  return { database, port: Number(new URL(url).port) }
}
