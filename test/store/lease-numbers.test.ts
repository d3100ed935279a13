/** Numbers of leases are random: what goes back after a crash or a failover, as a sequence does, would make an old fence valid again. */
import type { ClaimedJob, Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { expectHealthy, freshStore, onEachDriver } from '../support/world.js'

const job = { queue: 'q', kind: 'k' }

/** Draws a number that is taken, and then those that are not. */
async function drawFirst(store: Store, taken: number): Promise<void> {
  await store.database.script(`create sequence holdfast.draws;
    create or replace function holdfast.new_lease_id() returns bigint language sql volatile
    as $$ select case nextval('holdfast.draws') when 1 then ${taken} else 9000 + currval('holdfast.draws') end $$`)
}

onEachDriver('the numbers of leases', (driver) => {
  it('6.01 are random, and whole numbers that JavaScript holds exactly', async () => {
    const store = await freshStore(driver)
    const leases: number[] = []
    for (let n = 0; n < 20; n += 1) leases.push((await store.work.openLease('w', 60_000)).lease)
    await store.enqueueMany(Array.from({ length: 20 }, () => job))
    const claimed = await store.work.claim({ worker: 'w', queues: ['q'], limit: 19 })
    leases.push(...claimed.map(({ lease }) => lease))
    leases.push(((await store.work.claimById(20, { worker: 'w' })) as ClaimedJob).lease)
    expect(new Set(leases).size).toBe(40)
    for (const lease of leases) expect(Number.isSafeInteger(lease) && lease > 0).toBe(true)
    // All of forty numbers in a row, or all small: once in 2^40 runs.
    expect(Math.max(...leases)).toBeGreaterThan(2 ** 51)
    expect(leases).not.toEqual([...leases].sort((a, b) => a - b))
    const [found] = await store.database.query<{ seqs: number }>(
      "select count(*)::int as seqs from pg_class where relkind = 'S' and relname like '%lease%'",
    )
    expect(found?.seqs).toBe(0)
  })

  it('6.01 are the same for no seed', async () => {
    const store = await freshStore(driver)
    const seeded = () =>
      store.database.transaction(async (session) => {
        await session.query('select setseed(0.5)')
        return session.query('select lease from holdfast.open_lease($1, 1000)', ['w'])
      })
    expect(await seeded()).not.toEqual(await seeded())
  })

  it.each(['openLease', 'claim', 'claimById'] as const)(
    '6.01 are drawn again when one is taken already (%s)',
    async (verb) => {
      const store = await freshStore(driver)
      const { lease: taken } = await store.work.openLease('w', 60_000)
      await store.enqueue(job)
      await drawFirst(store, taken)
      const drawn = {
        openLease: async () => store.work.openLease('w2', 60_000),
        claim: async () => (await store.work.claim({ worker: 'w2', queues: ['q'] }))[0],
        claimById: async () => store.work.claimById(1, { worker: 'w2' }),
      }
      expect(await drawn[verb]()).toMatchObject({ lease: 9002 })
      await expectHealthy(store)
    },
  )
})

it('6.01 a report is the same again only under the same lease: the first of another attempt with the same number counts', async () => {
  const store = await freshStore()
  const { jobId } = await store.enqueue(job)
  const report = (of: ClaimedJob, id: string) => store.work.report({ ...of, items: [{ id }], seq: 1 })
  const [first] = (await store.work.claim({ worker: 'a', queues: ['q'] })) as [ClaimedJob]
  expect(await report(first, 'a')).toMatchObject({ newItems: 1 })
  expect(await report(first, 'a')).toMatchObject({ newItems: 0, progressCount: 1 })
  // As after a failover to a replica that knows the report by another way than the claim.
  await store.database.script(`with gone as (delete from holdfast.running returning *)
    insert into holdfast.ready (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, level)
    select job_id, queue_id, 0, interruptions, priority, failures, losses, keyed, 100 from gone`)
  const [second] = (await store.work.claim({ worker: 'b', queues: ['q'] })) as [ClaimedJob]
  expect([second.jobId, second.attempt]).toEqual([jobId, 1])
  expect(await report(second, 'b')).toMatchObject({ newItems: 1, duplicateItems: 0, resultCount: 2 })
  expect(await report(second, 'b')).toMatchObject({ newItems: 0, resultCount: 2 })
  // Without a number, too.
  const plain = { items: [{ id: 'c' }], cursor: { page: 1 } }
  await store.work.report({ ...second, ...plain })
  expect(await store.work.report({ ...second, ...plain })).toMatchObject({ newItems: 0, progressCount: 3 })
  await expect(report(first, 'late')).rejects.toMatchObject({ code: 'lease_lost' })
})
