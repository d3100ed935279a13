/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The library: `holdfast()` opens a database and gives you an app. An app enqueues jobs, works on them when asked to, and lets you
 * see and steer them; `stop()` ends it in order. What is below is the store (every verb of the engine) and the worker.
 */
import type { Chores } from '../domain/chores.js'
import { invalidInput } from '../domain/errors.js'
import { refuseUnknown } from '../domain/nearest.js'
import type { LocalSettings } from '../domain/settings.js'
import { CANCEL_KIND } from '../domain/system-kinds.js'
import type { Alerts } from '../store/alerts.js'
import type { Operate } from '../store/operate.js'
import { PACKAGE_VERSION } from '../store/package.js'
import type { Queues } from '../store/queues.js'
import { Results } from '../store/results.js'
import type { Schedules } from '../store/schedules.js'
import type { Settings } from '../store/settings.js'
import type { Stats } from '../store/stats.js'
import type { Store } from '../store/store.js'
import type { Subjects } from '../store/subjects.js'
import { DEFAULT_LOG, logOf } from '../telemetry/default-log.js'
import { openTraces } from '../telemetry/traces.js'
import type { WebhookOptions } from '../webhooks/addresses.js'
import { WebhookDesk } from '../webhooks/desk.js'
import type { WorkerLog } from '../worker/worker-options.js'
import { cancelEntry } from './cancel-job.js'
import { ChoreDesk } from './chores/desk.js'
import { declareKinds, kindsOf } from './declare-kinds.js'
import { declareQueues, type QueueDeclaration } from './declare-queues.js'
import { declareSchedules, type ScheduleDeclaration } from './declare-schedules.js'
import type { Job } from './define-job.js'
import { storeEngine } from './engine.js'
import { Enqueuer } from './enqueue.js'
import { handleOf, type JobHandle } from './handle.js'
import { extrasOf, handlerTable } from './handler-table.js'
import { type DatabaseOptions, type OpenedDatabase, openDatabase } from './open-database.js'
import { superviseProcesses, thisChild, workForParent } from './processes.js'
import { type DrainOptions, startWork, type Working, type WorkOptions, type Workshop } from './work.js'

export interface HoldfastOptions<Scheduled extends readonly Job[] = readonly Job[]> extends DatabaseOptions {
  /** The jobs this program knows: enqueued by their definition, and worked on by `work()`. */
  readonly jobs?: readonly Job[]
  /** Queues with a preset or a policy of their own. Others are made when first used, as the preset `default` says. */
  readonly queues?: Readonly<Record<string, QueueDeclaration>>
  /** What this program wants fired by itself; kept in step at every start, but for what people have changed at run time since. */
  readonly schedules?: { readonly [Index in keyof Scheduled]: ScheduleDeclaration<Scheduled[Index]> }
  /** Whose jobs these are where the call does not say; `default` if not given. */
  readonly tenant?: string
  /** What this process was told of settings: `overrides` win over those of the database, `defaults` yield to them. */
  readonly settings?: LocalSettings
  /**
   * Where workers say what happens to them: a pino logger, or anything that takes (fields, message). Without one, warnings and errors go to
   * stderr; `false` turns that off.
   */
  readonly log?: WorkerLog | false
  /** Where webhooks may lead beside public addresses. */
  readonly webhooks?: WebhookOptions
}

export interface App {
  readonly enqueue: Enqueuer['enqueue']
  readonly enqueueMany: Enqueuer['enqueueMany']
  /** A handle of a job you know the id of. */
  handle<Result = unknown>(jobId: number): JobHandle<Result>
  /** Begins to work on jobs, in this process or in several; resolves once it does. */
  work(options?: WorkOptions): Promise<Working>
  /** Drains what works here and closes the connections. A second call gives back at once what still runs. */
  stop(options?: DrainOptions): Promise<void>
  [Symbol.asyncDispose](): Promise<void>

  /** Steering jobs: retry, cancel, resume, skip, discard, boost, setPriority. */
  readonly jobs: Operate
  readonly queues: Queues
  /** What fires by itself: create, update, pause, preview, run, history, explain. */
  readonly schedules: Schedules
  /** Numbers that can be changed while everything runs. */
  readonly settings: Settings
  /** What the system found wrong with itself. */
  readonly alerts: Alerts
  /** Who is told of it. */
  readonly webhooks: WebhookDesk
  /** Things that are worked on again and again. */
  readonly subjects: Subjects
  /** How queues are doing. */
  readonly stats: Stats
  /** What the system does by itself; `work()` sees to it. */
  readonly upkeep: Chores
  /** Every verb of the engine. */
  readonly store: Store
  /** What is worth telling whoever started this, for example which database took the place of another. */
  readonly notes: readonly string[]
}

const OPTIONS = [
  ...['url', 'embedded', 'store', 'schema', 'migrate', 'notify', 'connections'],
  ...['jobs', 'queues', 'schedules', 'tenant', 'settings', 'log', 'webhooks'],
]

export async function holdfast<const Scheduled extends readonly Job[] = readonly Job[]>(
  options: HoldfastOptions<Scheduled> = {},
): Promise<App> {
  refuseUnknown(options, OPTIONS)
  const jobs = byKind(options.jobs ?? [])
  const opened = await openDatabase({ ...options, log: logOf(options.log) })
  try {
    await declareQueues(opened.store, options.queues ?? {}, options.tenant)
    const { kinds } = opened.store
    await declareKinds(kinds.declare.bind(kinds), kindsOf(jobs.values()), options.tenant)
    await declareSchedules(opened.store, options.schedules ?? [], options.tenant, jobs)
  } catch (error) {
    await opened.close()
    throw error
  }
  // A program with a logger of its own has them in `notes`.
  if (options.log === undefined) for (const note of opened.notes) DEFAULT_LOG.warn({}, note)
  return appOn(opened, jobs, options)
}

function appOn(opened: OpenedDatabase, jobs: ReadonlyMap<string, Job>, options: HoldfastOptions): App {
  const { store, url } = opened
  const { tenant, webhooks, settings: local = {} } = options
  const log = logOf(options.log)
  const results = new Results(store.read)
  const traces = openTraces(PACKAGE_VERSION)
  const enqueuer = new Enqueuer(store, results, tenant, traces)
  const shop: Workshop = {
    engine: () => storeEngine({ store, url, notify: options.notify ?? true, log, local, webhooks }),
    tenant,
    handlers: new Map([...handlerTable(jobs.values()), [CANCEL_KIND, cancelEntry(store)]]),
    queues: [...new Set([...jobs.values()].map((job) => job.queue))],
    kinds: kindsOf(jobs.values()),
    log,
    traces,
    extras: (ofTenant) => extrasOf(store, enqueuer, ofTenant),
    ended: () => results.nudge(),
  }
  const works = new Works(shop, store)
  let closing: Promise<void> | undefined
  const stop = async (how: DrainOptions = {}) => {
    await works.drain(how)
    results.close()
    closing ??= opened.close()
    await closing
  }
  return {
    enqueue: enqueuer.enqueue.bind(enqueuer),
    enqueueMany: enqueuer.enqueueMany.bind(enqueuer),
    handle: (jobId) => handleOf({ store, results }, { jobId, deduplicated: false }, false),
    work: (how) => works.start(how),
    stop,
    [Symbol.asyncDispose]: () => stop(),
    jobs: store.operate,
    queues: store.queues,
    schedules: store.schedules,
    settings: store.settings,
    subjects: store.subjects,
    stats: store.stats,
    upkeep: new ChoreDesk(store, local, webhooks),
    alerts: store.alerts,
    webhooks: new WebhookDesk(store, webhooks),
    store,
    notes: opened.notes,
  }
}

/** Every call of `work()` of an app, here and in the processes made for it. */
class Works {
  readonly #shop: Workshop
  readonly #store: Store
  readonly #under: Working[] = []
  #calls = 0

  constructor(shop: Workshop, store: Store) {
    this.#shop = shop
    this.#store = store
  }

  async start(options: WorkOptions = {}): Promise<Working> {
    const call = this.#calls++
    const child = thisChild()
    if (child?.call === call) return workForParent(() => startWork(this.#shop, named(options, child.place)))
    // In a child that was made for another call of work(), this one is not its business.
    if (child !== undefined) return IDLE
    const working = await this.#begin(call, options)
    this.#under.push(working)
    return working
  }

  async drain(how: DrainOptions): Promise<void> {
    await Promise.all(this.#under.map((working) => working.drain(how)))
  }

  #begin(call: number, options: WorkOptions): Promise<Working> {
    if (options.processes === undefined || options.processes === 1) return startWork(this.#shop, options)
    if (this.#store.database.driver === 'pglite') {
      throw invalidInput('/processes', 'PGlite lives in this process alone; use Postgres for more than one')
    }
    return superviseProcesses(options.processes, call, this.#shop.log)
  }
}

/** Two processes under one name could not be told apart, nor sent home one by one. */
function named(options: WorkOptions, place: number): WorkOptions {
  return options.name === undefined ? options : { ...options, name: `${options.name}.${place}` }
}

const NOTHING_HELD = { clean: true, released: 0, unwritten: 0 }
const IDLE: Working = {
  drain: async () => NOTHING_HELD,
  gone: new Promise(() => {}),
  idle: async () => {},
  stats: async () => [],
  setConcurrency: () => {},
}

function byKind(jobs: readonly Job[]): Map<string, Job> {
  const known = new Map<string, Job>()
  jobs.forEach((job, index) => {
    if (known.has(job.kind)) {
      throw invalidInput(`/jobs/${index}/kind`, `there are two jobs of the kind "${job.kind}"`)
    }
    known.set(job.kind, job)
  })
  return known
}
