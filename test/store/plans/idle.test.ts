/** A worker that finds nothing asks again and again: what that costs is paid all night. */
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { costOf, expectNothingWritten, pagesOf } from '../../support/plans.js'
import { freshStore, onEachDriver } from '../../support/world.js'

const DAY_MS = 86_400_000

const claim = (lease: number, queues: number[]) => ({
  text: "select * from holdfast.claim_batch('w1', $1, $2::int[], 100)",
  values: [lease, queues],
})

/** Something in every place, and nothing of it claimable. */
async function idleStore(
  driver: 'postgres' | 'pglite',
): Promise<{ store: Store; lease: number; queue: number }> {
  const store = await freshStore(driver, { connections: 1 })
  const queue = await store.queues.create('mail')
  const { lease } = await store.work.openLease('w1', DAY_MS)
  await store.enqueueMany([
    { queue: 'mail', kind: 'a', target: 'alice' },
    { queue: 'mail', kind: 'b', target: 'alice' },
    { queue: 'mail', kind: 'c', runAt: new Date(Date.now() + DAY_MS) },
    { queue: 'mail', kind: 'd', pending: true },
  ])
  expect(await store.work.claim({ worker: 'w1', lease, queues: ['mail'], limit: 10 })).toHaveLength(1)
  return { store, lease, queue }
}

onEachDriver('a claim that finds nothing', (driver) => {
  it('writes nothing', async () => {
    const { store, lease, queue } = await idleStore(driver)
    await expectNothingWritten(store, claim(lease, [queue]))
  })

  it('writes nothing either when it asks without a lease', async () => {
    const { store, queue } = await idleStore(driver)
    await expectNothingWritten(store, {
      text: "select * from holdfast.claim_batch('w1', null, $1::int[], 100)",
      values: [[queue]],
    })
  })

  it('touches some thirty pages, and eight more for each further queue it asks for', async () => {
    const { store, lease, queue } = await idleStore(driver)
    const rows = await store.database.query<{ id: number }>(
      "select holdfast.create_queue('q' || i) as id from generate_series(1, 1000) i",
    )
    expect((await costOf(store, claim(lease, [queue]))).buffers).toBeLessThanOrEqual(40)
    const all = claim(
      lease,
      rows.map(({ id }) => id),
    )
    expect((await costOf(store, all)).buffers).toBeLessThanOrEqual(40 + 8 * 1_000)
    await expectNothingWritten(store, all)
  })

  it('reads each lease once, also when every running job has one of its own', async () => {
    const { store, lease, queue } = await idleStore(driver)
    await store.database.script(
      `insert into holdfast.lease (id, worker_id, lease_ms, opened_at, heartbeat_at, expires_at, job_id)
       select 1000 + i, 1, 1000, '2020-01-01', '2020-01-01', '2099-01-01', i from generate_series(1, 10000) i`,
    )
    const cost = await costOf(store, claim(lease, [queue]))
    expect(cost.buffers).toBeLessThanOrEqual((await pagesOf(store, 'lease')) + 40)
    await expectNothingWritten(store, claim(lease, [queue]))
  })
})
