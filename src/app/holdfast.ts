/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The library: `holdfast()` opens a database and gives you an app. An app enqueues jobs, works on them when asked to, and lets you
 * see and steer them; `stop()` ends it in order. What is below is the store (every verb of the engine) and the worker.
 */

import { PACKAGE_VERSION } from '../database/package.js'
import { holdfastError, invalidInput } from '../domain/errors/errors.js'
import type { Log } from '../domain/log.js'
import type { LocalSettings } from '../domain/settings.js'
import { CANCEL_KIND } from '../domain/system-kinds.js'
import { checkJobId } from '../domain/validate.js'
import type { Alerts } from '../store/alerts/alerts.js'
import { Results } from '../store/finish/results.js'
import type { JobCommands } from '../store/job-commands.js'
import type { Queues } from '../store/queues.js'
import type { Schedules } from '../store/schedules/schedules.js'
import type { Settings } from '../store/settings.js'
import type { Stats } from '../store/stats.js'
import type { Store } from '../store/store.js'
import type { Subjects } from '../store/subjects.js'
import { DEFAULT_LOG, logOf } from '../telemetry/default-log.js'
import { openTraces } from '../telemetry/traces.js'
import type { WebhookOptions } from '../webhooks/addresses.js'
import { Webhooks } from '../webhooks/webhooks.js'
import { cancelEntry } from './cancel-job.js'
import { checkHoldfastOptions } from './check-options.js'
import { declareKinds, kindsOf } from './declare-kinds.js'
import { declareQueues, type QueueDeclaration } from './declare-queues.js'
import { declareSchedules, type ScheduleDeclaration } from './declare-schedules.js'
import type { DefinedJob } from './define-job.js'
import { storeEngine } from './engine.js'
import { Enqueuer } from './enqueue.js'
import { handleOf, type JobHandle } from './handle.js'
import { extrasOf, handlerTable } from './handler-table.js'
import { type DatabaseOptions, type OpenedDatabase, openDatabase } from './open-database.js'
import { superviseProcesses, thisChild, workForParent } from './processes.js'
import { type AppUpkeep, upkeepOf } from './upkeep-loop.js'
import { type DrainOptions, startWork, type WorkerDeps, type WorkHandle, type WorkOptions } from './work.js'

export interface HoldfastOptions<Scheduled extends readonly DefinedJob[] = readonly DefinedJob[]>
  extends DatabaseOptions {
  /** The jobs of this program: it enqueues them by their definition, and `work()` runs them. */
  readonly jobs?: readonly DefinedJob[]
  /** Queues with their own preset or policy. Others are created on first use, with the preset `default`. */
  readonly queues?: Readonly<Record<string, QueueDeclaration>>
  /** Schedules of this program; synchronised at every start, except fields that were changed at run time. */
  readonly schedules?: { readonly [Index in keyof Scheduled]: ScheduleDeclaration<Scheduled[Index]> }
  /** The tenant of jobs where a call names none; `default` if omitted. */
  readonly tenant?: string
  /** Settings of this process: `overrides` win over those of the database, `defaults` yield to them. */
  readonly settings?: LocalSettings
  /**
   * Where workers say what happens to them: a pino logger, or anything that takes (fields, message). Without one, warnings and errors go to
   * stderr; `false` turns that off.
   */
  readonly log?: Log | false
  /** Addresses that webhooks may have beside public ones. */
  readonly webhooks?: WebhookOptions
}

export interface App {
  readonly enqueue: Enqueuer['enqueue']
  readonly enqueueMany: Enqueuer['enqueueMany']
  /** A handle for the job with this id. */
  handle<Result = unknown>(jobId: number): JobHandle<Result>
  /** Starts working on jobs, in this process or in several; resolves once it does. */
  work(options?: WorkOptions): Promise<WorkHandle>
  /** Drains the workers and closes the connections. A second call releases running jobs at once. */
  stop(options?: DrainOptions): Promise<void>
  [Symbol.asyncDispose](): Promise<void>

  /** Commands on jobs: retry, cancel, resume, skip, discard, boost, setPriority. */
  readonly jobs: JobCommands
  readonly queues: Queues
  /** Schedules: create, update, pause, preview, run, history, explain. */
  readonly schedules: Schedules
  /** Settings that can be changed at run time. */
  readonly settings: Settings
  /** Alerts that the system raised. */
  readonly alerts: Alerts
  /** Who waits for its end. */
  readonly webhooks: Webhooks
  /** Subjects: things that jobs process repeatedly. */
  readonly subjects: Subjects
  /** Metrics of queues. */
  readonly stats: Stats
  /** The chores of upkeep. `work()` runs them; a program that only serves others calls `upkeep.start()`. */
  readonly upkeep: AppUpkeep
  /** Every verb of the engine. */
  readonly store: Store
  /** Notes for the user, for example which database is used in place of another. */
  readonly notes: readonly string[]
}

export async function holdfast<const Scheduled extends readonly DefinedJob[] = readonly DefinedJob[]>(
  options: HoldfastOptions<Scheduled> = {},
): Promise<App> {
  checkHoldfastOptions(options)
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
  // A program with its own logger reads them from `notes`.
  if (options.log === undefined)
    for (const note of opened.notes) DEFAULT_LOG.warn({ event: 'database_notice' }, note)
  return appOn(opened, jobs, options)
}

function appOn(opened: OpenedDatabase, jobs: ReadonlyMap<string, DefinedJob>, options: HoldfastOptions): App {
  const { store, url } = opened
  const { tenant, webhooks, settings: local = {} } = options
  const log = logOf(options.log)
  const results = new Results(store.read)
  const traces = openTraces(PACKAGE_VERSION)
  const enqueuer = new Enqueuer(store, results, tenant, traces)
  const deps: WorkerDeps = {
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
  const works = new WorkSessions(deps, store)
  const upkeep = upkeepOf(store, log, local, webhooks)
  let closing: Promise<void> | undefined
  let stopping: true | undefined
  const stop = async (how: DrainOptions = {}) => {
    stopping = true
    await Promise.all([works.drain(how), upkeep.stop()])
    results.close()
    closing ??= opened.close()
    await closing
  }
  return {
    enqueue: async (...args) => running('enqueue', closing, enqueuer).enqueue(...args),
    enqueueMany: async (...args) => running('enqueueMany', closing, enqueuer).enqueueMany(...args),
    handle(jobId) {
      checkJobId(jobId)
      return handleOf({ store, results }, { jobId, deduplicated: false }, false)
    },
    work: async (how) => running('work', stopping, works).start(how),
    stop,
    [Symbol.asyncDispose]: () => stop(),
    jobs: store.commands,
    queues: store.queues,
    schedules: store.schedules,
    settings: store.settings,
    subjects: store.subjects,
    stats: store.stats,
    upkeep,
    alerts: store.alerts,
    webhooks: new Webhooks(store, webhooks),
    store,
    notes: opened.notes,
  }
}

/** The part of an app that has not ended. `work` ends with the call of `stop`, `enqueue` only after the handlers, which may still enqueue. */
function running<Part>(call: string, ended: unknown, part: Part): Part {
  if (ended === undefined) return part
  throw holdfastError('app_stopped', { call })
}

/** Every call of `work()` of an app, here and in its child processes. */
class WorkSessions {
  readonly #deps: WorkerDeps
  readonly #store: Store
  readonly #under: WorkHandle[] = []
  #calls = 0

  constructor(deps: WorkerDeps, store: Store) {
    this.#deps = deps
    this.#store = store
  }

  async start(options: WorkOptions = {}): Promise<WorkHandle> {
    const call = this.#calls++
    const child = thisChild()
    if (child?.call === call) return workForParent(() => startWork(this.#deps, named(options, child.place)))
    // In a child that was started for another call of work(), this one does nothing.
    if (child !== undefined) return IDLE
    const working = await this.#begin(call, options)
    this.#under.push(working)
    return working
  }

  async drain(how: DrainOptions): Promise<void> {
    await Promise.all(this.#under.map((working) => working.drain(how)))
  }

  #begin(call: number, options: WorkOptions): Promise<WorkHandle> {
    if (options.processes === undefined || options.processes === 1) return startWork(this.#deps, options)
    if (this.#store.database.driver === 'pglite') {
      throw invalidInput('/processes', 'PGlite lives in this process alone; use Postgres for more than one')
    }
    return superviseProcesses(options.processes, call, this.#deps.log)
  }
}

/** Two processes with one name could not be distinguished, nor drained one by one. */
function named(options: WorkOptions, place: number): WorkOptions {
  return options.name === undefined ? options : { ...options, name: `${options.name}.${place}` }
}

const NOTHING_HELD = { clean: true, released: 0, unwritten: 0 }
const IDLE: WorkHandle = {
  drain: async () => NOTHING_HELD,
  stopped: new Promise(() => {}),
  idle: async () => {},
  stats: async () => [],
  setConcurrency: () => {},
}

function byKind(jobs: readonly DefinedJob[]): Map<string, DefinedJob> {
  const known = new Map<string, DefinedJob>()
  jobs.forEach((job, index) => {
    if (known.has(job.kind)) {
      throw invalidInput(`/jobs/${index}/kind`, `there are two jobs of the kind "${job.kind}"`)
    }
    known.set(job.kind, job)
  })
  return known
}
