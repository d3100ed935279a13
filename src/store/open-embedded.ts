/**
 * A database for somebody who has none: without a DATABASE_URL, a real Postgres started from npm in `<home>/pg`, or, where its
 * programs cannot run, PGlite inside this process in `<home>/pglite`.
 *
 * What may never happen is an empty database in place of one with data in it. So the choice once made is kept: a home with
 * PGlite data stays with PGlite, and a home with Postgres data is never answered with an empty PGlite.
 */
import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { given } from '../domain/given.js'
import type { Database } from './database.js'
import { EmbeddedInUse, EmbeddedUnavailable } from './embedded/errors.js'
import { findEmbedded } from './embedded/find.js'
import { type EmbeddedPostgres, startEmbedded } from './embedded/start.js'
import { openPglite } from './pglite.js'
import { openPostgres } from './postgres.js'

export interface OpenEmbeddedOptions {
  /** The folder everything is kept in. */
  readonly home?: string
  /** Use a server that another process runs in this home, instead of refusing. It is left running. */
  readonly share?: boolean
  /** Take PGlite even where Postgres could run. */
  readonly pglite?: boolean
  /** A folder with another Postgres than the one from npm. */
  readonly binDir?: string
  readonly connections?: number
  /** That the server died and was started again, or cannot be. */
  readonly onNews?: (news: string) => void
}

export interface OpenedEmbedded {
  readonly database: Database
  /** The folder of the data, as it was asked for. */
  readonly folder: string
  /** The process of the server; undefined when there is none of its own. */
  readonly pid: number | undefined
  readonly port: number | undefined
  /** How other processes reach it, with its password; undefined when there is no server. */
  readonly url: string | undefined
  /** started by us · adopted from an owner that died · shared with the process that runs it · inside this process */
  readonly how: 'started' | 'adopted' | 'shared' | 'in-process'
  /** Worth telling the user. */
  readonly notes: string[]
  /** Closes the connections and stops what we started. */
  close(): Promise<void>
}

const DEFAULT_HOME = './.holdfast'

export async function openEmbedded(options: OpenEmbeddedOptions = {}): Promise<OpenedEmbedded> {
  const home = options.home ?? DEFAULT_HOME
  const pg = join(home, 'pg')
  const hasPostgresData = existsSync(join(pg, 'connection.json'))
  if (options.pglite) return inProcess(home, [])
  if (!hasPostgresData && existsSync(join(home, 'pglite', 'PG_VERSION'))) {
    return inProcess(home, ['The data of this folder is in PGlite, so PGlite goes on with it.'])
  }
  try {
    const server = await startEmbedded({
      dir: pg,
      ...given({ binDir: options.binDir, onNews: options.onNews }),
    })
    return served(shown(pg), server, options.connections)
  } catch (error) {
    if (error instanceof EmbeddedInUse && options.share) return shared(pg, error, options.connections)
    if (!(error instanceof EmbeddedUnavailable) || hasPostgresData) throw error
    return inProcess(home, [
      `Postgres cannot run here (${error.message}).`,
      'PGlite inside this process takes its place: one process at a time, and no protection from a power cut.',
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
    folder: shown(pg),
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
    folder: shown(dir),
    pid: undefined,
    port: undefined,
    url: undefined,
    how: 'in-process',
    notes,
    close: database.close,
  }
}

const shown = (path: string): string => (isAbsolute(path) ? path : `./${path}`)

function connect(url: string, connections: number | undefined): { database: Database; port: number } {
  const database = openPostgres({ url, ...(connections === undefined ? {} : { connections }) })
  return { database, port: Number(new URL(url).port) }
}
