/** While the database is away nobody can renew a lease: what runs out then proves nothing of its worker. */
import type { ClaimedJob, Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { expectHealthy, onEachDriver, pinnedStore, type World } from '../../support/world.js'

const LEASE_MS = 30_000

/** As after a restart of the server at this moment. */
async function restarted({ database, clock }: World): Promise<void> {
  const at = (await clock.now()).toISOString()
  await database.script(`create or replace function holdfast.accepting_writes_since() returns timestamptz language sql stable
    as $$ select '${at}'::timestamptz $$`)
}

async function claimed(store: Store, own: boolean): Promise<ClaimedJob> {
  await store.enqueue({ queue: 'q', kind: 'k' })
  const { lease } = await store.work.openLease('w', LEASE_MS)
  const how = own ? { leaseMs: LEASE_MS } : { lease }
  const [job] = await store.work.claim({ worker: 'w', queues: ['q'], ...how })
  return job as ClaimedJob
}

const claim = (store: Store) => store.work.claim({ worker: 'other', queues: ['q'] })

onEachDriver('after an outage of the database', (driver) => {
  it.each([false, true])(
    'a lease that ran out meanwhile is left alone for its whole length, by everybody; of its own: %s',
    async (own) => {
      const store = await pinnedStore(driver)
      const job = await claimed(store, own)
      await store.clock.advance(10 * LEASE_MS)
      await restarted(store)
      await store.clock.advance(LEASE_MS - 1)
      expect(await store.upkeep.reclaim()).toBe(0)
      expect(await claim(store)).toEqual([])
      expect(await store.work.claimById(job.jobId, { worker: 'other' })).toBeUndefined()
      await store.clock.advance(1)
      expect(await store.upkeep.reclaim()).toBe(1)
      expect(await claim(store)).toMatchObject([{ jobId: job.jobId, attempt: 2, losses: 1 }])
      await expectHealthy(store)
    },
  )

  it('a worker that comes back in time keeps its jobs, and no loss is counted', async () => {
    const store = await pinnedStore(driver)
    const job = await claimed(store, false)
    await store.clock.advance(10 * LEASE_MS)
    await restarted(store)
    await store.clock.advance(LEASE_MS / 2)
    expect(await store.work.renew([job.lease])).toMatchObject([{ alive: true }])
    await store.clock.advance(LEASE_MS / 2)
    expect(await store.upkeep.reclaim()).toBe(0)
    expect(await store.work.finish([{ ...job, outcome: 'succeeded' }])).toMatchObject([{ accepted: true }])
    expect(await store.read.attempts(job.jobId)).toMatchObject([{ outcome: 'succeeded' }])
  })

  it('a worker that dies after it is found as soon as ever', async () => {
    const store = await pinnedStore(driver)
    await restarted(store)
    const job = await claimed(store, false)
    await store.clock.advance(LEASE_MS)
    expect(await store.upkeep.reclaim()).toBe(1)
    expect(await store.read.job(job.jobId)).toMatchObject({ state: 'queued', losses: 1 })
  })

  it('the database says since when it is up', async () => {
    const store = await pinnedStore(driver)
    const [row] = await store.database.query<{ sane: boolean }>(
      `select holdfast.accepting_writes_since() between now() - interval '1 day' and clock_timestamp() as sane`,
    )
    expect(row?.sane).toBe(true)
  })
})
