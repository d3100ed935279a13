/** Runs the steps of the demo in order. Everything it prints has just happened, through the same calls a user makes. */
import { withSchema } from '../../database/schema.js'
import type { Store } from '../../store/store.js'
import { enqueueJobs, enqueueOnce } from './enqueue-steps.js'
import { finishLeftovers, showCounts, showHistory } from './history-steps.js'
import type { Stage } from './stage.js'
import { claimInBatches, failAndRetry, freezeWorker, serializeTarget } from './work-steps.js'
import { DemoWorker, QUEUE } from './worker.js'

export interface DemoRun {
  readonly store: Store
  readonly stage: Stage
  readonly signal: AbortSignal
  readonly anna: DemoWorker
  /** The first job of this run. */
  readonly firstJob: number
  /** Where the data is kept. */
  readonly folder: string
}

const TABLES = `
  create schema if not exists demo;
  create table if not exists demo.orders (id int generated always as identity primary key, item text not null);`

/** Retries come after 0.4 s instead of 5, and nothing else differs from the default. */
const POLICY = { retryBaseMs: 400 }

export async function runDemo(
  opened: Store,
  stage: Stage,
  signal: AbortSignal,
  folder: string,
): Promise<void> {
  const store = { ...opened, database: withSchema(opened.database, opened.schema) }
  const anna = new DemoWorker(store, 'anna', signal)
  try {
    await store.database.script(TABLES)
    await store.queues.create(QUEUE, { policy: POLICY, ifMissing: true })
    await store.queues.resume(QUEUE)
    const show = { store, stage, signal, anna, folder, firstJob: 0 }
    await finishLeftovers(show)
    const jobs = await enqueueJobs(show)
    await claimInBatches(show, jobs)
    await failAndRetry(show)
    const story = await freezeWorker(show)
    const keyed = await enqueueOnce(show)
    await serializeTarget(show, keyed)
    await showHistory(show, story)
    await showCounts({ ...show, firstJob: jobs[0] ?? 0 })
  } finally {
    await anna.close()
  }
}

/** #4, #4 and #5, #4–#9 */
export function idsText(ids: readonly number[]): string {
  const [first = 0] = ids
  const last = ids.at(-1) ?? first
  const inARow = ids.every((id, index) => id === first + index)
  if (ids.length > 2 && inARow) return `#${first}–#${last}`
  return ids.map((id) => `#${id}`).join(ids.length === 2 ? ' and ' : ', ')
}

export function labelOf({ jobId, kind }: { jobId: number; kind: string }): string {
  return `#${jobId} ${kind}`
}
