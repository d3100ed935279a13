// Bulk operations on many jobs, by several processes, while programs enqueue.
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { carryOut } from '../../../src/store/bulk/carry-out.js'
import { expectHealthy, freshStore, secondStore } from '../../support/world.js'
import { failedJobs, statesOf } from './failed-jobs.js'

const retried = async ({ database }: Store) =>
  (
    await database.query<{ jobs: number; events: number }>(
      "select count(distinct job_id)::int as jobs, count(*)::int as events from holdfast.event where type = 'retried'",
    )
  )[0]

async function untilEnded(store: Store, runner: string, id: number): Promise<void> {
  while ((await store.bulk.get(id)).endedAt === null) {
    // A page that meets a lock is rolled back and tried again.
    await carryOut(store.bulk, { runner, id, forMs: 100 }).catch(() => {})
  }
}

it('10,000 jobs are retried a page at a time, in few statements', async () => {
  const store = await freshStore()
  const ids = await failedJobs(store, 10_000)
  let statements = 0
  const { operation } = await store.bulk.start({
    command: 'retry',
    q: 'state:failed',
    expected: { matched: 10_000, capped: false },
  })
  const unobserve = store.observe({
    queried: () => {
      statements++
    },
    enqueued: () => {},
    refused: () => {},
  })
  await carryOut(store.bulk, { runner: 'a', forMs: 600_000 })
  unobserve()
  expect(await store.bulk.get(operation.id)).toMatchObject({ state: 'done', done: 10_000, failed: 0 })
  expect(await statesOf(store, ids)).toEqual({ queued: 10_000 })
  expect(statements).toBeLessThan(200)
  await expectHealthy(store)
})

it('two processes and programs that enqueue for the same targets: each job is retried once, no enqueue fails', async () => {
  const store = await freshStore()
  const other = await secondStore(store)
  const target = (i: number) => ({ target: `t${i % 7}`, key: `k${i}` })
  const ids = await failedJobs(store, 1_500, { fields: target })
  const { operation } = await store.bulk.start({ command: 'retry', q: 'state:failed' })
  let open = true
  const producer = async () => {
    for (let n = 0; open; n++)
      await other.enqueueMany(
        Array.from({ length: 5 }, (_, i) => ({
          queue: 'mail',
          kind: 'new',
          target: `t${(n + 3 * i) % 7}`,
          key: `n${n}-${i}`,
        })),
      )
  }
  const producing = producer()
  await Promise.all([untilEnded(store, 'a', operation.id), untilEnded(other, 'b', operation.id)])
  open = false
  await producing
  expect(await store.bulk.get(operation.id)).toMatchObject({ state: 'done', matched: 1_500, done: 1_500 })
  expect(await retried(store)).toEqual({ jobs: 1_500, events: 1_500 })
  const { failed = 0 } = await statesOf(store, ids)
  expect(failed).toBe(0)
  await expectHealthy(store)
})
