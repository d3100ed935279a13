/** A server that only reads, as a replica or one that is about to change its part: it counts as away, and is left for the next. */
import { migrateUp, openPostgres, type Store, storeOn } from 'holdfast/store'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeDatabase, open } from '../support/databases.js'
import { openSession } from '../support/sessions.js'
import { expectHealthy, freshStore, pinnedStore } from '../support/world.js'

interface Server {
  readonly store: Store
  /** What is said to new connections; those that are there stay as they are, as they do at a failover. */
  only(what: 'reads' | 'writes'): Promise<void>
}

async function server(): Promise<Server> {
  const url = await makeDatabase()
  const name = new URL(url).pathname.slice(1)
  const besides = open()
  const database = openPostgres({ url, connections: 1 })
  onTestFinished(() => database.close())
  await migrateUp(database, 'holdfast')
  const store = storeOn(database, 'holdfast', { notify: false })
  return {
    store,
    async only(what) {
      const isOn = what === 'reads' ? 'on' : 'off'
      await besides.script(`alter database ${name} set default_transaction_read_only = ${isOn}`)
      if (what === 'writes') return
      // The connection that is there is ended, and the pool must have noticed.
      await besides.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
      await expect
        .poll(() => database.query('show transaction_read_only'))
        .toEqual([{ transaction_read_only: 'on' }])
    },
  }
}

const READ_ONLY = { code: 'unavailable', details: { sqlstate: '25006' } }
const job = { queue: 'q', kind: 'k' }

describe('a server that only reads', () => {
  it('hands out nothing: a claim there says that the server is away, not that there are no jobs', async () => {
    const { store, only } = await server()
    await store.queues.create('q')
    const { lease } = await store.work.openLease('w', 60_000)
    const claim = () => store.work.claim({ worker: 'w', lease, queues: ['q'] })
    expect(await claim()).toEqual([])
    await only('reads')
    await expect(claim()).rejects.toMatchObject(READ_ONLY)
    expect(await store.read.violations()).toEqual([])
  })

  it('is left for the one that takes its place: an enqueue under way ends there, once', async () => {
    const { store, only } = await server()
    await store.queues.create('q')
    await only('reads')
    const made = store.enqueue(job)
    // It has met the server that only reads, which let go of the connection: another one is greeted as what comes after.
    await expect(store.work.openLease('w', 1_000)).rejects.toMatchObject(READ_ONLY)
    await only('writes')
    const { jobId } = await made
    expect((await store.list.jobs()).rows.map(({ id }) => id)).toEqual([jobId])
    await expectHealthy(store)
  })
})

it('a serialization failure is the store’s to repeat: the caller never hears of it', async () => {
  const { database, schema } = await freshStore()
  await database.script(`create sequence ${schema}.tries;
    create function ${schema}.fails_twice() returns bigint language plpgsql as $$
    declare v_try bigint := nextval('${schema}.tries');
    begin
      if v_try < 3 then raise exception 'not this time' using errcode = 'serialization_failure'; end if;
      return v_try;
    end $$`)
  expect(await database.query(`select ${schema}.fails_twice()::int as tries`)).toEqual([{ tries: 3 }])
})

it('a lease taken in an old transaction counts from now, not from when that began', async () => {
  const store = await freshStore()
  const old = await openSession(store)
  await old.begin()
  const { rows } = await old.client.query<{ began: Date }>('select now() as began')
  const began = rows[0]?.began as Date
  const later = () => store.database.query<{ at: Date }>('select clock_timestamp() as at')
  while (((await later())[0]?.at.getTime() ?? 0) < began.getTime() + 100);
  const { expiresAt } = await old.work.openLease('w', 1_000)
  await old.commit()
  expect(expiresAt.getTime()).toBeGreaterThanOrEqual(began.getTime() + 1_100)
})

it('a sweep skips a lease that another transaction holds and a job that is just ending, and reclaims the others', async () => {
  const store = await pinnedStore()
  await store.enqueueMany([job, job, job])
  const claimed = []
  for (const worker of ['held', 'ending', 'dead']) {
    const { lease } = await store.work.openLease(worker, 1_000)
    claimed.push(...(await store.work.claim({ worker, lease, queues: ['q'], limit: 1 })))
  }
  const [held, ending, dead] = claimed
  await store.clock.advance(1_000)
  const [holder, ender] = [await openSession(store), await openSession(store)]
  await holder.begin()
  await holder.database.query('select from holdfast.lease where id = $1 for key share', [held?.lease])
  await ender.begin()
  await ender.work.finish([{ ...(ending as typeof dead & object), outcome: 'succeeded' }])
  // Kinds are no business of a sweep: nobody here knows any.
  expect(await store.upkeep.reclaim(3)).toBe(1)
  expect(await store.read.attempts(dead?.jobId as number)).toMatchObject([{ outcome: 'lost' }])
  await holder.commit()
  await ender.commit()
  expect(await store.upkeep.reclaim(3)).toBe(1)
  expect(await store.read.job(ending?.jobId as number)).toMatchObject({ state: 'succeeded' })
  expect(await store.read.job(held?.jobId as number)).toMatchObject({ state: 'queued', losses: 1 })
  await expectHealthy(store)
})
