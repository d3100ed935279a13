/**
 * The store: everything that can happen to a job, as methods on a Postgres database. It is the only code of the library that sends SQL.
 *
 * A job is one row that moves between tables: `ready` (claimable), `delayed` (scheduled or retrying), `held` (pending, waiting, paused,
 * errored, parked), `running` (claimed under a lease) and `attempt` (ended). The table that holds the row is the job's state, so a job is
 * in exactly one place, and two calls that meet over a job are decided by one row lock.
 *
 * Each method is one SQL function ("verb") and one round trip. The rules are in the database, so programs in other languages and plain SQL
 * follow exactly the same ones. What may never happen: a job is lost, a job is in two places, two jobs of a target run at once, or a
 * worker that lost its lease changes anything. Every write of a worker carries the fence of its claim (job, attempt, lease).
 *
 * The methods are grouped by their callers:
 *   producers   enqueue, enqueueMany, publish
 *   workers     work (claim, report, finish, leases), wakeups
 *   operators   commands, bulk, savedViews, queues, workers, schedules, settings, tenants, keys, alerts, webhooks
 *   readers     read, list, stats, series, overview, kindReads, errors, gauges, feed, audit
 *   background  upkeep, scheduler, triggers
 *
 * Layers below, from the outside to the inside: scope (tenant and rank of the calls), observers (metrics), schema name, driver (`pg` or
 * PGlite, with deadlines, retries and prepared statements).
 */

import type { Database } from '../database/database.js'
import { instrumented, type StoreObserver, StoreObservers } from '../database/instrumented.js'
import { LockWaits } from '../database/lock-waits.js'
import { checkSchema, migrateUp } from '../database/migrate.js'
import { openPglite } from '../database/pglite.js'
import { openPostgres } from '../database/postgres.js'
import { rolesInstalled } from '../database/roles.js'
import { checkSchemaName, DEFAULT_SCHEMA, databaseForUsers, withSchema } from '../database/schema.js'
import { invalidInput } from '../domain/errors/errors.js'
import type { Wakeups } from '../domain/port.js'
import { given } from '../json/given.js'
import { Audit } from './access/audit.js'
import { Keys } from './access/keys.js'
import { Tenants } from './access/tenants.js'
import { WebSessions } from './access/web-sessions.js'
import { Alerts } from './alerts/alerts.js'
import { StoredWebhooks } from './alerts/webhooks.js'
import { BulkOperations } from './bulk/bulk-operations.js'
import { type CallScope, inScope, memoizedByScope } from './call-scope.js'
import { ErrorGroups } from './charts/error-groups.js'
import { KindReads } from './charts/kind-stats.js'
import { Overview } from './charts/overview.js'
import { SeriesReads } from './charts/series.js'
import { Producer } from './enqueue/producer.js'
import { EventFeed } from './event-feed.js'
import { Gauges } from './gauges.js'
import { JobCommands } from './job-commands.js'
import { JobReads } from './job-reads.js'
import { Kinds } from './kinds.js'
import { Listing } from './list/listing.js'
import { NotificationListener } from './notify/listener.js'
import { Notifier } from './notify/notifier.js'
import { PresetViews } from './preset-views.js'
import { Queues } from './queues.js'
import { SavedViews } from './saved-views.js'
import { Scheduler } from './schedules/scheduler.js'
import { Schedules } from './schedules/schedules.js'
import { JobSearch } from './search/job-search.js'
import { Settings } from './settings.js'
import { Stats } from './stats.js'
import { Subjects } from './subjects.js'
import { Triggers } from './triggers/triggers.js'
import { Upkeep } from './upkeep.js'
import { Work } from './work.js'
import { Workers } from './workers.js'

export interface StoreOptions {
  /** A Postgres 15 or later. If omitted, PGlite runs inside this process. */
  readonly url?: string
  /** The data folder of PGlite; if omitted, its data is in memory. */
  readonly pgliteDir?: string
  readonly schema?: string
  /** Migrates the schema first. Otherwise a missing or unusable schema is refused with a remedy. */
  readonly migrate?: boolean
  readonly connections?: number
  readonly applicationName?: string
  /** False: new work sends no notifications, and workers find it by polling. */
  readonly notify?: boolean
}

export interface Store {
  /** The connections, for your own SQL, which is sent as it is written. */
  readonly database: Database
  readonly schema: string

  /** Producers: enqueue one job or many, in your transaction or in its own; publish a pending job. */
  readonly enqueue: Producer['enqueue']
  readonly enqueueMany: Producer['enqueueMany']
  readonly publish: Producer['publish']

  /** Workers: claim jobs, report progress, finish attempts, keep leases alive. */
  readonly work: Work
  /** Wakes the claimers of a tenant when work arrives. */
  wakeups(tenant?: string): Wakeups

  /** Operators: cancel, retry, resume, skip, reprioritise or force the end of a job. */
  readonly commands: JobCommands
  /** One command for every job that a search finds. */
  readonly bulk: BulkOperations
  /** Searches with a name. */
  readonly savedViews: SavedViews
  /** Create queues from presets; change, pause and resume them. */
  readonly queues: Queues
  /** What programs declare for their kinds of jobs. */
  readonly kinds: Kinds
  /** List workers and ask them to drain. */
  readonly workers: Workers
  /** Settings that all processes share. */
  readonly settings: Settings
  /** Tenants and their limits. */
  readonly tenants: Tenants
  /** API keys of the server. */
  readonly keys: Keys
  /** Sessions of browsers. */
  readonly webSessions: WebSessions
  /** Create, change, pause and run schedules. */
  readonly schedules: Schedules
  /** Things that are processed again and again, each with its last success. */
  readonly subjects: Subjects
  /** Alerts and their rules. */
  readonly alerts: Alerts
  /** Subscribers of alerts. */
  readonly webhooks: StoredWebhooks

  /** Readers: state, attempts, history and explanation of single jobs; items. */
  readonly read: JobReads
  /** Pages and counts of jobs, targets and kinds. */
  readonly list: Listing
  /** Searches with the grammar of the dashboard, within a time budget. */
  readonly search: JobSearch
  /** Queue statistics. */
  readonly stats: Stats
  /** Charts: throughput and times as points. */
  readonly series: SeriesReads
  /** What needs an operator, and where the jobs are. */
  readonly overview: Overview
  /** How kinds of jobs are doing, and which versions ran them. */
  readonly kindReads: KindReads
  /** Groups of errors. */
  readonly errors: ErrorGroups
  /** Figures for metrics. */
  readonly gauges: Gauges
  /** The events of all tenants, for servers that stream them to many clients. */
  readonly feed: EventFeed
  /** The log of calls that changed something through the server. */
  readonly audit: Audit
  /** Reads for the preset endpoints. */
  readonly presetViews: PresetViews

  /** Background: promote, reclaim, age, prune and count. Any number of processes may call it. */
  readonly upkeep: Upkeep
  /** Fires due schedules. Any number of processes may call it. */
  readonly scheduler: Scheduler
  /** What an external trigger such as SQS needs. */
  readonly triggers: Triggers

  /** The same store for calls that act for one tenant. */
  inScope(as: CallScope): Store
  /** Whether roles are installed, so that the database itself separates tenants. */
  hasRoles(): Promise<boolean>
  /** Adds an observer of statements, enqueued jobs and refused writes; returns the function that removes it. */
  observe(observer: StoreObserver): () => void
  /** Resolves when all pending notifications are sent; for a caller that closes the database itself. */
  settle(): Promise<void>
  close(): Promise<void>
}

/** Refuses `{ url: undefined }`, as from a misspelt variable, which would open an empty database. To want that, omit the field. */
export function checkUrlGiven(options: { readonly url?: string | undefined }): void {
  if (!('url' in options)) return
  if (options.url === undefined || options.url === '')
    throw invalidInput(
      '/url',
      'has no value, as when the variable it is read from is not set; set that variable, or omit `url`',
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

/** A store on an open database that has the schema. */
export function storeOn(
  raw: Database,
  schema: string = DEFAULT_SCHEMA,
  { notify = true }: Pick<StoreOptions, 'notify'> = {},
): Store {
  const observers = new StoreObservers()
  const database = instrumented(withSchema(raw, schema), observers)
  // A driver with one connection, which may be in a transaction, sends no notifications beside it.
  const notifier = new Notifier(database, notify && raw.listen !== undefined)
  const listener = new NotificationListener(database, new Queues(database, notifier), schema)
  const waits = new LockWaits()
  const parts = (on: Database) => partsOn(on, schema, notifier, observers, waits)
  const shared = {
    schema,
    hasRoles: async () => (await rolesInstalled(raw, schema)) !== undefined,
    observe: (observer: StoreObserver) => observers.add(observer),
    wakeups: (tenant?: string) => listener.for(tenant),
    inScope: memoizedByScope((as): Store => ({ ...parts(inScope(database, as)), ...shared })),
    settle: () => notifier.stop(),
    async close() {
      await Promise.all([notifier.stop(), listener.stop()])
      await raw.close()
    },
  }
  return { ...parts(database), ...shared }
}

/** The groups of a store for one scope. Notifier, observers and lock waits are shared by all scopes. */
function partsOn(
  database: Database,
  schema: string,
  notifier: Notifier,
  observers: StoreObservers,
  waits: LockWaits,
) {
  const producer = new Producer(database, schema, notifier, observers, waits)
  const queues = new Queues(database, notifier)
  const scheduler = new Scheduler(database, notifier)
  const search = new JobSearch(database)
  return {
    database: databaseForUsers(database),
    enqueue: producer.enqueue.bind(producer),
    enqueueMany: producer.enqueueMany.bind(producer),
    publish: producer.publish.bind(producer),
    queues,
    kinds: new Kinds(database),
    work: new Work({ database, queues, notifier, schema, observers }),
    workers: new Workers(database),
    commands: new JobCommands(database, notifier),
    bulk: new BulkOperations(database, notifier, search),
    savedViews: new SavedViews(database),
    upkeep: new Upkeep(database, notifier),
    read: new JobReads(database),
    settings: new Settings(database),
    subjects: new Subjects(database, queues),
    stats: new Stats(database),
    series: new SeriesReads(database),
    overview: new Overview(database),
    kindReads: new KindReads(database),
    errors: new ErrorGroups(database),
    list: new Listing(database),
    search,
    feed: new EventFeed(database),
    presetViews: new PresetViews(database),
    tenants: new Tenants(database),
    schedules: new Schedules(database, notifier, scheduler),
    scheduler,
    triggers: new Triggers(database),
    keys: new Keys(database),
    webSessions: new WebSessions(database),
    audit: new Audit(database),
    alerts: new Alerts(database),
    webhooks: new StoredWebhooks(database),
    gauges: new Gauges(database),
  }
}
