/** What a job did and its completion in one transaction. */

import { LeaseLost } from 'holdfast'
import type { ClaimedJob, Store } from 'holdfast/store'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSession, untilBlockedBy } from '../../support/sessions.js'
import { expectHealthy, onEachDriver, pinnedStore, postgresUrl, type World } from '../../support/world.js'

const LEASE_MS = 30_000

async function atWork(store: World): Promise<ClaimedJob> {
  await store.database.script('create table if not exists holdfast.my_effects (job_id bigint)')
  await store.enqueue({ queue: 'q', kind: 'k' })
  const { lease } = await store.work.openLease('w', LEASE_MS)
  const [job] = await store.work.claim({ worker: 'w', queues: ['q'], lease })
  return job as ClaimedJob
}

const effectIn = ({ schema }: Store) => `insert into ${schema}.my_effects (job_id) values ($1)`
const effects = async (store: Store) =>
  (await store.database.query<{ n: number }>('select count(*) as n from holdfast.my_effects'))[0]?.n
const succeeded = (job: ClaimedJob) => ({ ...job, outcome: 'succeeded' as const })

onEachDriver('a completion with the job’s own writes', (driver) => {
  it('commits both, and answers what the work answered', async () => {
    const store = await pinnedStore(driver)
    const job = await atWork(store)
    const answer = await store.work.commit(
      (rows: number) => ({ ...succeeded(job), result: { rows } }),
      async (session) => {
        await session.query(effectIn(store), [job.jobId])
        return 1
      },
    )
    expect(answer).toBe(1)
    expect(await effects(store)).toBe(1)
    expect(await store.read.job(job.jobId)).toMatchObject({ state: 'succeeded', result: { rows: 1 } })
    await expectHealthy(store)
  })

  it('undoes the writes of an attempt that has lost its job, and says so by type', async () => {
    const store = await pinnedStore(driver)
    const job = await atWork(store)
    await store.clock.advance(LEASE_MS + 1)
    await store.upkeep.reclaim()
    const late = store.work.commit(succeeded(job), (session) => session.query(effectIn(store), [job.jobId]))
    await expect(late).rejects.toBeInstanceOf(LeaseLost)
    await expect(late).rejects.toMatchObject({ details: { job: job.jobId, attempt: 1 } })
    expect(await effects(store)).toBe(0)
    expect(await store.read.job(job.jobId)).toMatchObject({ state: 'queued' })
  })

  it('does the work of an attempt once: the same commit again is refused, although the same finish would be accepted', async () => {
    const store = await pinnedStore(driver)
    const job = await atWork(store)
    const commit = () =>
      store.work.commit(succeeded(job), (session) => session.query(effectIn(store), [job.jobId]))
    await commit()
    expect(await store.work.finish([succeeded(job)])).toMatchObject([{ accepted: true }])
    await expect(commit()).rejects.toBeInstanceOf(LeaseLost)
    expect(await effects(store)).toBe(1)
  })

  it('hands out what the work threw as it was thrown, with everything undone and the job still running', async () => {
    const store = await pinnedStore(driver)
    const job = await atWork(store)
    const refused = Object.assign(new Error('a service of the user’s is away'), { code: 'ECONNREFUSED' })
    const failing = store.work.commit(succeeded(job), async (session) => {
      await session.query(effectIn(store), [job.jobId])
      throw refused
    })
    await expect(failing).rejects.toBe(refused)
    expect(await effects(store)).toBe(0)
    expect(await store.work.finish([succeeded(job)])).toMatchObject([{ accepted: true }])
  })

  it('ends the attempt with any outcome', async () => {
    const store = await pinnedStore(driver)
    const job = await atWork(store)
    await store.work.commit({ ...job, outcome: 'snoozed', delayMs: 1_000 }, (session) =>
      session.query(effectIn(store), [job.jobId]),
    )
    expect(await store.read.job(job.jobId)).toMatchObject({ state: 'scheduled' })
    expect(await effects(store)).toBe(1)
  })
})

describe('a completion in a transaction of the caller’s', () => {
  async function client(): Promise<pg.Client> {
    const own = new pg.Client({ connectionString: postgresUrl() })
    await own.connect()
    onTestFinished(() => own.end())
    return own
  }

  it('counts when the caller commits, and not when it rolls back', async () => {
    const store = await pinnedStore()
    const job = await atWork(store)
    const own = await client()
    for (const end of ['rollback', 'commit']) {
      await own.query('begin')
      await own.query(effectIn(store), [job.jobId])
      expect(await store.work.commitOn(own, { ...succeeded(job), result: 7 })).toBe('succeeded')
      await own.query(end)
      expect(await effects(store)).toBe(end === 'commit' ? 1 : 0)
    }
    expect(await store.read.job(job.jobId)).toMatchObject({ state: 'succeeded', result: 7 })
    await expectHealthy(store)
  })

  it('cannot be committed any more once it was refused', async () => {
    const store = await pinnedStore()
    const job = await atWork(store)
    await store.work.closeLease(job.lease)
    const own = await client()
    await own.query('begin')
    await own.query(effectIn(store), [job.jobId])
    await expect(store.work.commitOn(own, succeeded(job))).rejects.toBeInstanceOf(LeaseLost)
    await own.query('commit')
    expect(await effects(store)).toBe(0)
  })

  it('behind the sweep of its lease it waits, and is refused', async () => {
    const store = await pinnedStore()
    const job = await atWork(store)
    await store.clock.advance(LEASE_MS + 1)
    const sweep = await openSession(store)
    await sweep.begin()
    await sweep.upkeep.reclaim()
    const late = store.work.commit(succeeded(job), (session) => session.query(effectIn(store), [job.jobId]))
    const refused = expect(late).rejects.toBeInstanceOf(LeaseLost)
    await untilBlockedBy(store, sweep)
    await sweep.commit()
    await refused
    expect(await effects(store)).toBe(0)
    await expectHealthy(store)
  })
})
