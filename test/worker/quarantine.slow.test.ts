// Suspected poison jobs run one at a time. One that can no longer start must not keep those behind it from starting.
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { storePort } from '../../src/store/port.js'
import { expectHealthy, freshStore } from '../support/world.js'
import { gate, QUEUE, startWorker, until } from './world.js'

const OWN_LEASE = 'own-lease'

/** Makes jobs that have lost two leases in a row. */
async function suspect(store: Store, jobs: readonly (readonly [queue: string, kind: string])[]) {
  const made = await store.enqueueMany(jobs.map(([queue, kind]) => ({ queue, kind })))
  const port = storePort(store)
  const queues = [...new Set(jobs.map(([queue]) => queue))]
  for (const worker of ['a', 'b']) {
    const { lease } = await port.openLease(worker, 60_000)
    const ask = { worker, lease, queues, tenant: 'default', eager: true }
    const claimed = await port.claim({ ...ask, limit: jobs.length, startNow: jobs.length, found: () => {} })
    expect(claimed).toHaveLength(jobs.length)
    await port.start(claimed)
    await store.database.query(
      "update holdfast.lease set expires_at = holdfast.now() - interval '1 hour', lease_ms = 1",
    )
    await store.upkeep.promoteDueWork()
  }
  return made.map(({ jobId }) => jobId)
}

const ended = async (store: Store, jobId: number) => (await store.read.job(jobId)).state === 'succeeded'

it('a suspected poison job whose own lease has expired before its turn does not keep the next from starting', async () => {
  const store = await freshStore()
  await store.queues.create(QUEUE)
  await store.queues.create(OWN_LEASE, {
    policy: { renewedBy: 'report', leaseMs: 1_000, heartbeatMs: null, crashBudget: 20 },
  })
  const jobs = [
    [QUEUE, 'first'],
    [OWN_LEASE, 'second'],
    [QUEUE, 'third'],
  ] as const
  const ids = await suspect(store, jobs)
  const second = ids[1] as number
  const end = gate()
  await startWorker(
    store,
    { first: () => end.opened, second: () => null, third: () => null },
    { queues: [QUEUE, OWN_LEASE], concurrency: 10 },
  )
  const attempt = async () => (await store.read.job(second)).attempt
  await until(async () => (await attempt()) === 3)
  await until(async () => {
    await store.upkeep.promoteDueWork()
    return (await attempt()) > 3
  })
  end.open()
  for (const jobId of ids) await until(() => ended(store, jobId))
  expect(await Promise.all(ids.map((jobId) => ended(store, jobId)))).toEqual([true, true, true])
  await expectHealthy(store)
})

it('a suspected poison job whose claim the database has forgotten does not keep the next from starting', async () => {
  const store = await freshStore()
  await store.queues.create(QUEUE)
  const [forgotten, next] = (await suspect(store, [
    [QUEUE, 'forgotten'],
    [QUEUE, 'next'],
  ])) as [number, number]
  const began: string[] = []
  const port = storePort(store)
  const worker = await startWorker(
    store,
    { forgotten: () => void began.push('forgotten'), next: () => void began.push('next') },
    {
      concurrency: 10,
      port: {
        ...port,
        // As after a failover: the claim was answered, and the database that answers now has never seen it.
        start: async (fences) => port.start(fences.filter(({ jobId }) => jobId !== forgotten)),
      },
    },
  )
  await until(() => ended(store, next))
  await until(() => worker.stats().buffered === 0)
  expect(began).toEqual(['next'])
})
