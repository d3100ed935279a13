/** Jobs of which a worker has begun some and holds others. */
import type { PresetName, Store } from 'holdfast/store'
import { expect } from 'vitest'
import { QUEUE } from './world.js'

export const SLOTS = 4
const QUICK = 60

/** Short jobs first, so that the worker fetches ahead; then long ones, each of a target of its own. */
export async function makeJobs(store: Store, preset: PresetName, long: object): Promise<void> {
  await store.queues.create(QUEUE, { preset })
  const of = (kind: string, input: object, count: number) =>
    Array.from({ length: count }, (_none, n) => ({
      queue: QUEUE,
      kind,
      input,
      target: `${kind} ${n} ${JSON.stringify(input)}`,
    }))
  await store.enqueueMany(of('job', {}, QUICK))
  await store.enqueueMany(of('job', long, 3 * SLOTS))
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
): Promise<{ begun: Held[]; unbegun: Held[] }> {
  const held = await store.database.query<Held>(
    `select r.job_id as "jobId", j.target from holdfast.running r join holdfast.job j on j.id = r.job_id where j.input <> '{}' or $1 order by 1`,
    [which === 'all'],
  )
  return {
    begun: held.filter(({ jobId }) => began.has(jobId)),
    unbegun: held.filter(({ jobId }) => !began.has(jobId)),
  }
}

export async function expectUntouched(store: Store, unbegun: readonly Held[]): Promise<void> {
  expect(unbegun.length).toBeGreaterThan(0)
  for (const { jobId, target } of unbegun) {
    const job = await store.read.job(jobId)
    expect(job, `job ${jobId} of ${target}`).toMatchObject({ state: 'queued', losses: 0, failures: 0 })
  }
  const blocked = (await store.list.blockedTargets()).map(({ target }) => target)
  expect(blocked.filter((target) => unbegun.some((held) => held.target === target))).toEqual([])
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
