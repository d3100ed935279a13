/**
 * The store: everything that can happen to a job, grouped by who does it. Each method is one verb of the engine, one round
 * trip; the rules are in the database, so a worker in another language has exactly the same ones.
 */
import type { Database } from './database.js'
import { Listing } from './listing.js'
import { checkSchema, migrateUp } from './migrate.js'
import { Operate } from './operate.js'
import { openPglite } from './pglite.js'
import { openPostgres } from './postgres.js'
import { Producer } from './produce.js'
import { Queues } from './queues.js'
import { Read } from './read.js'
import { checkSchemaName, DEFAULT_SCHEMA, withSchema } from './schema.js'
import { Upkeep } from './upkeep.js'
import { Work } from './work.js'

export interface StoreOptions {
  /** A Postgres 15 or later. Without it, PGlite inside this process. */
  readonly url?: string
  /** Where PGlite keeps its data; without it, in memory. */
  readonly pgliteDir?: string
  readonly schema?: string
  /** Bring the schema up to date first. Otherwise a schema that is missing or not ours to use is refused with a remedy. */
  readonly migrate?: boolean
  readonly connections?: number
  readonly applicationName?: string
}

export interface Store {
  readonly database: Database
  readonly schema: string
  readonly enqueue: Producer['enqueue']
  readonly enqueueMany: Producer['enqueueMany']
  readonly release: Producer['release']
  readonly queues: Queues
  readonly work: Work
  readonly operate: Operate
  readonly upkeep: Upkeep
  readonly read: Read
  readonly list: Listing
  close(): Promise<void>
}

export async function openStore(options: StoreOptions = {}): Promise<Store> {
  const schema = checkSchemaName(options.schema ?? DEFAULT_SCHEMA)
  const { url, pgliteDir, connections, applicationName } = options
  const raw =
    url === undefined
      ? await openPglite(pgliteDir === undefined ? {} : { dir: pgliteDir })
      : openPostgres({
          url,
          ...(connections === undefined ? {} : { connections }),
          ...(applicationName === undefined ? {} : { applicationName }),
        })
  try {
    if (options.migrate === true) await migrateUp(raw, schema)
    else await checkSchema(raw, schema)
  } catch (error) {
    await raw.close()
    throw error
  }
  return storeOn(raw, schema)
}

/** A store on a database that is open already and has the schema. */
export function storeOn(raw: Database, schema: string = DEFAULT_SCHEMA): Store {
  const database = withSchema(raw, schema)
  const producer = new Producer(database, schema)
  const queues = new Queues(database)
  return {
    database,
    schema,
    enqueue: producer.enqueue.bind(producer),
    enqueueMany: producer.enqueueMany.bind(producer),
    release: producer.release.bind(producer),
    queues,
    work: new Work(database, queues),
    operate: new Operate(database),
    upkeep: new Upkeep(database),
    read: new Read(database),
    list: new Listing(database),
    close: () => raw.close(),
  }
}
