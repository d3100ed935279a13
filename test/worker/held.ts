/** Jobs of which a worker has begun some and holds others. */
import type { PresetName, Store } from 'holdfast/store'
import { expect } from 'vitest'
import type { WorkerStats } from '../../src/worker/worker-options.js'
import { QUEUE } from './world.js'

export const SLOTS = 4
const QUICK = 60

export function makeQueue(store: Store, preset: PresetName): Promise<unknown> {
  return store.queues.create(QUEUE, { preset })
}

/**
 * Gives the worker short jobs until it holds more than its slots take, as it does once it is fast, however busy the machine is; then long
 * ones. Each job has a target of its own.
 */
export async function fillSlots(
  store: Store,
  long: object,
  stats: () => WorkerStats | Promise<WorkerStats>,
): Promise<void> {
  let made = 0
  const enqueue = (input: object, count: number) =>
    store.enqueueMany(
      Array.from({ length: count }, () => {
        made += 1
        return { queue: QUEUE, kind: 'job', input, target: `${made} ${JSON.stringify(input)}` }
      }),
    )
  const isLow = async () => {
    const [{ low } = { low: true }] = await store.database.query<{ low: boolean }>(
      `select count(*) < ${QUICK} as low from holdfast.ready`,
    )
    return low
  }
  for (let held = 0; held <= SLOTS; ) {
    if (await isLow()) await enqueue({}, QUICK)
    const { busy, buffered } = await stats()
    held = busy + buffered
  }
  await enqueue(long, 3 * SLOTS)
}

export interface Held {
  readonly jobId: number
  readonly target: string
}

/** The long ones, or all, that the worker holds under its lease, and which of it has begun by the worker's own account. */
export async function heldBy(
  store: Store,
  began: ReadonlySet<number>,
  which: 'long' | 'all' = 'long',
): Promise<{ begun: Held[]; unstarted: Held[] }> {
  const held = await store.database.query<Held>(
    `select r.job_id as "jobId", j.target from holdfast.running r join holdfast.job j on j.id = r.job_id where j.input <> '{}' or $1 order by 1`,
    [which === 'all'],
  )
  return {
    begun: held.filter(({ jobId }) => began.has(jobId)),
    unstarted: held.filter(({ jobId }) => !began.has(jobId)),
  }
}

export async function expectUntouched(store: Store, unstarted: readonly Held[]): Promise<void> {
  expect(unstarted.length).toBeGreaterThan(0)
  for (const { jobId, target } of unstarted) {
    const job = await store.read.job(jobId)
    expect(job, `job ${jobId} of ${target}`).toMatchObject({ state: 'queued', losses: 0, failures: 0 })
  }
  const blocked = (await store.list.blockedTargets()).map(({ target }) => target)
  expect(blocked.filter((target) => unstarted.some((held) => held.target === target))).toEqual([])
}

export async function expectStates(store: Store, held: readonly Held[], expected: object): Promise<void> {
  expect(held).toHaveLength(SLOTS)
  for (const { jobId } of held) expect(await store.read.job(jobId)).toMatchObject(expected)
}

export function sweep(store: Store): Promise<void> {
  return store.database.transaction(async (session) => {
    await session.query(
      "update holdfast.lease set expires_at = holdfast.now() - interval '1 hour', lease_ms = 1",
    )
    await session.query('select holdfast.reclaim()')
  })
}
