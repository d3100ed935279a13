/**
 * The library: `holdfast()` opens a database and gives you an app. An app enqueues jobs, works on them when asked to, and lets you
 * see and steer them; `stop()` ends it in order. What is below is the store (every verb of the engine) and the worker.
 */
import { holdfastError } from '../domain/errors.js'
import type { Operate } from '../store/operate.js'
import type { Queues } from '../store/queues.js'
import type { Store } from '../store/store.js'
import { declareQueues, type QueueDeclaration } from './declare-queues.js'
import type { Job } from './define-job.js'
import { Enqueuer } from './enqueue.js'
import { handleOf, type JobHandle } from './handle.js'
import { type DatabaseOptions, openDatabase } from './open-database.js'
import { Results } from './results.js'

export interface HoldfastOptions extends DatabaseOptions {
  /** The jobs this program knows: enqueued by their definition, and worked on by `work()`. */
  readonly jobs?: readonly Job[]
  /** Queues with a preset or a policy of their own. Others are made when first used, as the preset `default` says. */
  readonly queues?: Readonly<Record<string, QueueDeclaration>>
  /** Whose jobs these are where the call does not say; `default` if not given. */
  readonly tenant?: string
}

export interface App {
  readonly enqueue: Enqueuer['enqueue']
  readonly enqueueMany: Enqueuer['enqueueMany']
  /** A handle of a job you know the id of. */
  handle<Result = unknown>(jobId: number): JobHandle<Result>
  /** Steering jobs: retry, cancel, resume, skip, discard, boost, setPriority. */
  readonly jobs: Operate
  readonly queues: Queues
  /** Every verb of the engine. */
  readonly store: Store
  /** Worth telling whoever started this. */
  readonly notes: readonly string[]
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function holdfast(options: HoldfastOptions = {}): Promise<App> {
  const jobs = byKind(options.jobs ?? [])
  void jobs
  const opened = await openDatabase(options)
  const { store } = opened
  try {
    await declareQueues(store, options.queues ?? {}, options.tenant)
  } catch (error) {
    await opened.close()
    throw error
  }
  const results = new Results(async (ids) => [])
  const enqueuer = new Enqueuer(store, results, options.tenant)
  const stop = async () => {
    results.close()
    await opened.close()
  }
  return {
    enqueue: enqueuer.enqueue.bind(enqueuer),
    enqueueMany: enqueuer.enqueueMany.bind(enqueuer),
    handle: (jobId) => handleOf({ store, results }, { jobId, deduplicated: false }),
    jobs: store.operate,
    queues: store.queues,
    store,
    notes: opened.notes,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function byKind(jobs: readonly Job[]): Map<string, Job> {
  const known = new Map<string, Job>()
  jobs.forEach((job, index) => {
    if (known.has(job.kind)) {
      throw holdfastError('invalid_input', {
        path: `/jobs/${index}/kind`,
        problem: `there are two jobs of the kind "${job.kind}"`,
      })
    }
    known.set(job.kind, job)
  })
  return known
}
