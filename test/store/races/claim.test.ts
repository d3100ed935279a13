/** A claim that meets another verb over one job: exactly one of them has it, and the other is told so. */
import type { Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { type HandSession, openSessions, race, untilWaiting } from '../../support/sessions.js'
import { expectHealthy, pinnedStore, type World } from '../../support/world.js'

const LEASE_MS = 30_000

async function worldWithJob(): Promise<{ store: World; jobId: number; lease: number }> {
  const store = await pinnedStore()
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'k', priority: 10 })
  const { lease } = await store.work.openLease('w', LEASE_MS)
  return { store, jobId, lease }
}

const claimIn = (lease?: number) => (session: Store) =>
  session.work.claim({ worker: 'w', queues: ['q'], ...(lease === undefined ? {} : { lease }) })

describe('claim and claim', () => {
  it('never hand out one job twice, and the second does not wait for the first', async () => {
    const { store, jobId, lease } = await worldWithJob()
    const met = await race(store, claimIn(lease), claimIn(lease))
    expect(met).toMatchObject({ first: [{ jobId, attempt: 1 }], second: [], waited: false })
    expect(await store.read.job(jobId)).toMatchObject({ state: 'assigned', attempt: 1 })
    await expectHealthy(store)
  })

  it('leave the job claimable when the first rolls back, under a number that was not used', async () => {
    const { store, jobId, lease } = await worldWithJob()
    const met = await race(store, claimIn(lease), claimIn(lease), { end: 'rollback' })
    expect(met.second).toEqual([])
    expect(await claimIn(lease)(store)).toMatchObject([{ jobId, attempt: 1 }])
    await expectHealthy(store)
  })

  it('share a backlog: each takes other jobs', async () => {
    const { store, lease } = await worldWithJob()
    await store.enqueueMany(Array.from({ length: 9 }, () => ({ queue: 'q', kind: 'k' })))
    const five = (session: Store) => session.work.claim({ worker: 'w', queues: ['q'], lease, limit: 5 })
    const { first, second } = (await race(store, five, five)) as { first: never[]; second: never[] }
    const ids = [...first, ...second].map(({ jobId }: { jobId: number }) => jobId)
    expect(new Set(ids).size).toBe(10)
    await expectHealthy(store)
  })
})

describe('claim and cancel', () => {
  it('a cancel behind a claim becomes a request to the worker', async () => {
    const { store, jobId, lease } = await worldWithJob()
    const met = await race(store, claimIn(lease), (session) => session.commands.cancel(jobId))
    expect(met).toMatchObject({ first: [{ jobId }], second: { result: 'requested' }, waited: true })
    expect(await store.read.job(jobId)).toMatchObject({ state: 'assigned', cancelRequested: true })
    expect(await store.work.renew([lease])).toMatchObject([{ cancel: [{ jobId, attempt: 1 }] }])
    await expectHealthy(store)
  })

  it('a claim behind a cancel gets nothing and does not wait', async () => {
    const { store, jobId, lease } = await worldWithJob()
    const met = await race(store, (session) => session.commands.cancel(jobId), claimIn(lease))
    expect(met).toMatchObject({ first: { result: 'canceled' }, second: [], waited: false })
    expect(await claimIn(lease)(store)).toEqual([])
    expect(await store.read.job(jobId)).toMatchObject({ state: 'canceled' })
    await expectHealthy(store)
  })
})

describe('claim and a change of priority', () => {
  it('a boost behind a claim reaches the running job', async () => {
    const { store, jobId, lease } = await worldWithJob()
    const met = await race(store, claimIn(lease), (session) => session.commands.boost(jobId, 7))
    expect(met).toMatchObject({ first: [{ jobId, priority: 10 }], second: 17, waited: true })
    expect(await store.read.job(jobId)).toMatchObject({ state: 'assigned', priority: 17 })
    await expectHealthy(store)
  })

  it('a claim behind a boost leaves the job to the next claim, which gets it with its new priority', async () => {
    const { store, jobId, lease } = await worldWithJob()
    const met = await race(store, (session) => session.commands.boost(jobId, 7), claimIn(lease))
    expect(met).toMatchObject({ first: 17, second: [], waited: false })
    expect(await claimIn(lease)(store)).toMatchObject([{ jobId, priority: 17 }])
    await expectHealthy(store)
  })

  it('a job whose priority changes after a claim began to look is handed out once or not at all', async () => {
    const { store, lease, other } = await claimStoppedHalfWay()
    const [claimer, operator] = await openSessions(store, 2)
    await operator.begin()
    await operator.database.query('lock table holdfast.setting in access exclusive mode')
    const claimed = claimer.work.claim({ worker: 'w', queues: ['slow', 'q'], lease, limit: 2 })
    await untilWaiting(store, [claimer])
    await operator.commands.setPriority(other, 60)
    await operator.commit()
    const ids = (await claimed).map(({ jobId }) => jobId)
    await expectHealthy(store)
    const again = await claimIn(lease)(store)
    expect([...ids, ...again.map(({ jobId }) => jobId)].filter((id) => id === other)).toEqual([other])
  })
})

/** A queue whose lease length comes from the settings lets a lock on that table stop a claim between two rows. */
async function claimStoppedHalfWay() {
  const { store, jobId: other, lease } = await worldWithJob()
  await store.queues.create('slow', { preset: 'harvest' })
  await store.enqueue({ queue: 'slow', kind: 'k' })
  return { store, lease, other }
}

describe('claim and the end of its lease', () => {
  it('a claim behind close_lease takes nothing and says that the lease is gone', async () => {
    const { store, jobId, lease } = await worldWithJob()
    const met = await race(store, (session) => session.work.closeLease(lease), claimIn(lease))
    expect(met).toMatchObject({ first: 0, second: { code: 'lease_gone' }, waited: true })
    expect(await store.read.job(jobId)).toMatchObject({ state: 'queued', attempt: 0 })
    await expectHealthy(store)
  })

  it('close_lease behind a claim waits for it and releases what it took', async () => {
    const { store, jobId, lease } = await worldWithJob()
    const met = await race(store, claimIn(lease), (session) => session.work.closeLease(lease))
    expect(met).toMatchObject({ first: [{ jobId }], second: 1, waited: true })
    expect(await store.read.job(jobId)).toMatchObject({ state: 'queued', attempt: 1, interruptions: 1 })
    await expectHealthy(store)
  })

  it('a claim behind the sweep of its expired lease takes nothing', async () => {
    const { store, jobId, lease } = await worldWithJob()
    await store.clock.advance(LEASE_MS + 1)
    const met = await race(store, (session) => session.upkeep.reclaim(), claimIn(lease))
    expect(met).toMatchObject({ first: 0, second: { code: 'lease_gone' }, waited: false })
    expect(await store.read.job(jobId)).toMatchObject({ state: 'queued', attempt: 0 })
    await expectHealthy(store)
  })

  it('a lease that expires while a claim is open is swept only after the claim, with its job', async () => {
    const { store, jobId, lease } = await worldWithJob()
    const met = await race(store, claimIn(lease), async (session) => {
      await store.clock.advance(LEASE_MS + 1)
      return session.upkeep.reclaim()
    })
    expect(met).toMatchObject({ first: [{ jobId }], second: 0, waited: false })
    expect(await store.upkeep.reclaim()).toBe(1)
    expect(await store.read.job(jobId)).toMatchObject({ state: 'queued', attempt: 1, losses: 1 })
    await expectHealthy(store)
  })

  it('a renewal does not stand in the way of a claim', async () => {
    const { store, jobId, lease } = await worldWithJob()
    const met = await race(store, (session) => session.work.renew([lease]), claimIn(lease))
    expect(met).toMatchObject({ first: [{ alive: true }], second: [{ jobId }], waited: false })
    await expectHealthy(store)
  })
})

describe('claim and pause_queue', () => {
  it('a claim before the pause commits still takes the job; after it none does', async () => {
    const { store, jobId, lease } = await worldWithJob()
    await store.enqueue({ queue: 'q', kind: 'k' })
    const sneak = async (session: HandSession) => {
      const { id } = await store.queues.get('q')
      return session.database.query('select job_id from holdfast.claim($1, $2, $3)', ['w', lease, [id]])
    }
    const met = await race(store, (session) => session.queues.pause('q'), sneak)
    expect(met).toMatchObject({ first: true, second: [{ job_id: jobId }], waited: false })
    expect(await claimIn(lease)(store)).toEqual([])
    await expectHealthy(store)
  })

  it('a pause behind an open claim does not wait for it', async () => {
    const { store, jobId, lease } = await worldWithJob()
    const met = await race(store, claimIn(lease), (session) => session.queues.pause('q'))
    expect(met).toMatchObject({ first: [{ jobId }], second: true, waited: false })
    await expectHealthy(store)
  })
})

describe('claim_by_id and claim', () => {
  const byId = (jobId: number, lease: number) => (session: Store) =>
    session.work.claimById(jobId, { worker: 'v', lease })

  it('claim_by_id behind a claim waits and then has nothing', async () => {
    const { store, jobId, lease } = await worldWithJob()
    const met = await race(store, claimIn(lease), byId(jobId, lease))
    expect(met).toMatchObject({ first: [{ jobId }], waited: true })
    expect(met.second).toBeUndefined()
    await expectHealthy(store)
  })

  it('claim_by_id behind a claim that rolls back has the job', async () => {
    const { store, jobId, lease } = await worldWithJob()
    const met = await race(store, claimIn(lease), byId(jobId, lease), { end: 'rollback' })
    expect(met.second).toMatchObject({ jobId, attempt: 1 })
    await expectHealthy(store)
  })

  it('a claim behind claim_by_id takes nothing, without waiting', async () => {
    const { store, jobId, lease } = await worldWithJob()
    const met = await race(store, byId(jobId, lease), claimIn(lease))
    expect(met).toMatchObject({ first: { jobId, attempt: 1 }, second: [], waited: false })
    await expectHealthy(store)
  })
})
