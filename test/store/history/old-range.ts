/** A range of a hundred jobs, ids 1 to 100, made a while ago: some special ones first, then finished ones until it is full. */
import type { Store } from 'holdfast/store'
import { type Driver, pinnedStore, type World } from '../../support/world.js'
import { narrow } from './narrow.js'

export const DAY_MS = 86_400_000
export const WIDTH = 100

/** Ranges of a hundred, and nothing in them yet. */
export async function narrowWorld(driver: Driver = 'postgres'): Promise<World> {
  const world = await pinnedStore(driver)
  await narrow(world, WIDTH)
  return world
}

/** The rest of the first range, all succeeded, and one job in the next; then eight days pass, a day more than they are kept. */
export async function fillAndAge(world: World): Promise<void> {
  const last = await lastId(world)
  await finishAll(
    world,
    Array.from({ length: WIDTH + 1 - last }, () => 'filler'),
  )
  await world.clock.advance(8 * DAY_MS)
}

/** Enqueues one job in each of the queues named and lets it succeed. */
export async function finishAll(store: Store, queues: readonly string[]): Promise<number[]> {
  const made = await store.enqueueMany(queues.map((queue) => ({ queue, kind: 'any' })))
  const { lease } = await store.work.openLease('filler', 60_000)
  const claimed = await store.work.claim({
    worker: 'filler',
    lease,
    queues: [...new Set(queues)],
    limit: 500,
  })
  await store.work.finish(claimed.map((job) => ({ ...job, outcome: 'succeeded' as const })))
  return made.map(({ jobId }) => jobId)
}

/** One job, claimed, that failed for good. */
export async function failedJob(store: Store, more: { key?: string } = {}): Promise<number> {
  const job = await runningJob(store, { maxRetries: 0, ...more })
  await store.work.finish([{ ...job, outcome: 'failed', error: { message: 'no' } }])
  return job.jobId
}

/** One job that some worker has. */
export async function runningJob(
  store: Store,
  more: { queue?: string; maxRetries?: number; key?: string; target?: string } = {},
) {
  const { jobId } = await store.enqueue({ queue: 'special', kind: 'any', ...more })
  const { lease } = await store.work.openLease('w', DAY_MS)
  const job = await store.work.claimById(jobId, { worker: 'w', lease })
  if (job === undefined) throw new Error(`job ${jobId} could not be claimed`)
  return job
}

export async function lastId(store: Store): Promise<number> {
  const [row] = await store.database.query<{ last: number }>(
    'select case when is_called then last_value else 0 end as last from holdfast.job_id_seq',
  )
  return row?.last ?? 0
}

/** The jobs of the first range that are still there. */
export async function oldJobs(store: Store): Promise<number[]> {
  const rows = await store.database.query<{ id: number }>(
    'select id from holdfast.job where id <= $1 order by id',
    [WIDTH],
  )
  return rows.map(({ id }) => id)
}

/** What stands in the catalog: a prune that gave up must leave it exactly as it was. */
export async function tables(store: Store): Promise<string[]> {
  const rows = await store.database.query<{ table: string }>(
    `select c.oid::text || ' ' || c.relname as table from pg_class c
     where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p', 'i') order by 1`,
    [store.schema],
  )
  return rows.map(({ table }) => table)
}
