/**
 * The store: everything that can happen to a job, grouped by who does it. Each method is one verb of the engine, one round
 * trip; the rules are in the database, so a worker in another language has exactly the same ones.
 */
import type { Wakeups } from '../domain/port.js'
import { Audit } from './audit.js'
import type { Database } from './database.js'
import { Documents } from './documents.js'
import { Fleet } from './fleet.js'
import { Follow } from './follow.js'
import { Keys } from './keys.js'
import { Listing } from './listing.js'
import { checkSchema, migrateUp } from './migrate.js'
import { Operate } from './operate.js'
import { openPglite } from './pglite.js'
import { openPostgres } from './postgres.js'
import { Producer } from './produce.js'
import { Queues } from './queues.js'
import { Read } from './read.js'
import { checkSchemaName, DEFAULT_SCHEMA, withSchema } from './schema.js'
import { Settings } from './settings.js'
import { Tenants } from './tenants.js'
import { Triggers } from './triggers.js'
import { Upkeep } from './upkeep.js'
import { Waker } from './waker.js'
import { Listener } from './wakeups.js'
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
  /** False: claimers are not told of new work and find it when they ask. */
  readonly notify?: boolean
}

export interface Store {
  readonly database: Database
  readonly schema: string
  readonly enqueue: Producer['enqueue']
  readonly enqueueMany: Producer['enqueueMany']
  readonly release: Producer['release']
  readonly queues: Queues
  readonly work: Work
  readonly workers: Fleet
  readonly operate: Operate
  readonly upkeep: Upkeep
  readonly read: Read
  readonly settings: Settings
  readonly list: Listing
  /** For servers, which follow the feed for all their clients at once. */
  readonly follow: Follow
  /** For the endpoints that are shaped like the documents. */
  readonly documents: Documents
  readonly tenants: Tenants
  /** For what tells workers from outside that there is work. */
  readonly triggers: Triggers
  /** Who may call the server. */
  readonly keys: Keys
  /** Who has called it to change something. */
  readonly audit: Audit
  /** Tells claimers of a tenant when there is work. */
  wakeups(tenant?: string): Wakeups
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
  return storeOn(raw, schema, options)
}

/** A store on a database that is open already and has the schema. */
export function storeOn(
  raw: Database,
  schema: string = DEFAULT_SCHEMA,
  { notify = true }: Pick<StoreOptions, 'notify'> = {},
): Store {
  const database = withSchema(raw, schema)
  // Where there is only one connection, which may be in a transaction, nothing is said beside it.
  const waker = new Waker(database, notify && raw.listen !== undefined)
  const producer = new Producer(database, schema, waker)
  const queues = new Queues(database, waker)
  const listener = new Listener(database, queues, schema)
  return {
    database,
    schema,
    enqueue: producer.enqueue.bind(producer),
    enqueueMany: producer.enqueueMany.bind(producer),
    release: producer.release.bind(producer),
    queues,
    work: new Work(database, queues, waker, schema),
    workers: new Fleet(database),
    operate: new Operate(database, waker),
    upkeep: new Upkeep(database, waker),
    read: new Read(database),
    settings: new Settings(database),
    list: new Listing(database),
    follow: new Follow(database),
    documents: new Documents(database),
    tenants: new Tenants(database),
    triggers: new Triggers(database),
    keys: new Keys(database),
    audit: new Audit(database),
    wakeups: (tenant) => listener.for(tenant),
    async close() {
      waker.stop()
      await listener.stop()
      await raw.close()
    },
  }
}
