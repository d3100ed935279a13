/**
 * The store: everything that can happen to a job, grouped by who does it. Each method is one verb of the engine, one round
 * trip; the rules are in the database, so a worker in another language has exactly the same ones.
 */
import { invalidInput } from '../domain/errors.js'
import { given } from '../domain/given.js'
import type { Wakeups } from '../domain/port.js'
import { type Acting, actingAs, remembering } from './acting.js'
import { Alerts } from './alerts.js'
import { Audit } from './audit.js'
import type { Database } from './database.js'
import { Documents } from './documents.js'
import { Fleet } from './fleet.js'
import { Follow } from './follow.js'
import { Gauges } from './gauges.js'
import { Keys } from './keys.js'
import { Listing } from './listing.js'
import { checkSchema, migrateUp } from './migrate.js'
import { Observers, observed, type StoreObserver } from './observed.js'
import { Operate } from './operate.js'
import { openPglite } from './pglite.js'
import { openPostgres } from './postgres.js'
import { Producer } from './produce.js'
import { Queues } from './queues.js'
import { Read } from './read.js'
import { sealOf } from './roles.js'
import { Scheduler } from './scheduler.js'
import { Schedules } from './schedules.js'
import { checkSchemaName, DEFAULT_SCHEMA, withSchema } from './schema.js'
import { Settings } from './settings.js'
import { Stats } from './stats.js'
import { Subjects } from './subjects.js'
import { Tenants } from './tenants.js'
import { Triggers } from './triggers.js'
import { Upkeep } from './upkeep.js'
import { Waker } from './waker.js'
import { Listener } from './wakeups.js'
import { Webhooks } from './webhooks.js'
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
  /** Things that are worked on again and again. */
  readonly subjects: Subjects
  /** How queues are doing. */
  readonly stats: Stats
  readonly list: Listing
  /** For servers, which follow the feed for all their clients at once. */
  readonly follow: Follow
  /** For the endpoints that are shaped like the documents. */
  readonly documents: Documents
  readonly tenants: Tenants
  /** What fires by itself. */
  readonly schedules: Schedules
  /** Fires it; any number of processes may. */
  readonly scheduler: Scheduler
  /** For what tells workers from outside that there is work. */
  readonly triggers: Triggers
  /** Who may call the server. */
  readonly keys: Keys
  /** Who has called it to change something. */
  readonly audit: Audit
  readonly alerts: Alerts
  /** Who is told of alerts. */
  readonly webhooks: Webhooks
  /** What metrics tell of the database. */
  readonly gauges: Gauges
  /** The same for calls that act for one tenant. */
  acting(as: Acting): Store
  /** Whether roles are installed, so that the database itself keeps tenants apart. */
  isSealed(): Promise<boolean>
  /** Watches what the store does, until the answer is called. */
  observe(observer: StoreObserver): () => void
  /** Tells claimers of a tenant when there is work. */
  wakeups(tenant?: string): Wakeups
  close(): Promise<void>
}

/** `{ url: process.env.A_TYPO }` would begin with an empty database; who wants that leaves the field out. */
export function checkUrlGiven(options: { readonly url?: string | undefined }): void {
  if (!('url' in options)) return
  if (options.url === undefined || options.url === '')
    throw invalidInput(
      '/url',
      'is given and has no value, as when a variable it is read from is not set; set that variable, or leave `url` out',
    )
}

export async function openStore(options: StoreOptions = {}): Promise<Store> {
  checkUrlGiven(options)
  const schema = checkSchemaName(options.schema ?? DEFAULT_SCHEMA)
  const { url, pgliteDir, connections, applicationName } = options
  const raw =
    url === undefined
      ? await openPglite(pgliteDir === undefined ? {} : { dir: pgliteDir })
      : openPostgres({
          url,
          ...given({ connections, applicationName }),
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
  const observers = new Observers()
  const database = observed(withSchema(raw, schema), observers)
  // Where there is only one connection, which may be in a transaction, nothing is said beside it.
  const waker = new Waker(database, notify && raw.listen !== undefined)
  const listener = new Listener(database, new Queues(database, waker), schema)
  const parts = (on: Database) => partsOn(on, schema, waker, observers)
  const shared = {
    schema,
    isSealed: async () => (await sealOf(raw, schema)) !== undefined,
    observe: (observer: StoreObserver) => observers.add(observer),
    wakeups: (tenant?: string) => listener.for(tenant),
    acting: remembering((as): Store => ({ ...parts(actingAs(database, as)), ...shared })),
    async close() {
      waker.stop()
      await listener.stop()
      await raw.close()
    },
  }
  return { ...parts(database), ...shared }
}

/** What a store can do, on one sort of calls; what is said and heard is shared by all. */
function partsOn(database: Database, schema: string, waker: Waker, observers: Observers) {
  const producer = new Producer(database, schema, waker, observers)
  const queues = new Queues(database, waker)
  const scheduler = new Scheduler(database, waker)
  return {
    database,
    enqueue: producer.enqueue.bind(producer),
    enqueueMany: producer.enqueueMany.bind(producer),
    release: producer.release.bind(producer),
    queues,
    work: new Work(database, queues, waker, schema, observers),
    workers: new Fleet(database),
    operate: new Operate(database, waker),
    upkeep: new Upkeep(database, waker),
    read: new Read(database),
    settings: new Settings(database),
    subjects: new Subjects(database, queues),
    stats: new Stats(database),
    list: new Listing(database),
    follow: new Follow(database),
    documents: new Documents(database),
    tenants: new Tenants(database),
    schedules: new Schedules(database, waker, scheduler),
    scheduler,
    triggers: new Triggers(database),
    keys: new Keys(database),
    audit: new Audit(database),
    alerts: new Alerts(database),
    webhooks: new Webhooks(database),
    gauges: new Gauges(database),
  }
}
