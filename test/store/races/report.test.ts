/** A report, met by the end of its attempt. Items and counts are kept exactly for the attempts that held their lease. */
import type { ClaimedJob, Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { answerOf, openSessions, race, untilWaiting } from '../../support/sessions.js'
import { expectHealthy, pinnedStore, type World } from '../../support/world.js'

const LEASE_MS = 60_000

async function harvesting(): Promise<{ store: World; job: ClaimedJob; jobId: number }> {
  const store = await pinnedStore()
  await store.queues.create('q', { preset: 'harvest' })
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'k', itemGoal: 100 })
  const [job] = await store.work.claim({ worker: 'w', queues: ['q'], leaseMs: LEASE_MS })
  if (job === undefined) throw new Error('nothing was claimed')
  return { store, job, jobId }
}

const report =
  (job: ClaimedJob, phone = '1', done = false) =>
  (session: Store) =>
    session.work.report({ ...job, items: [{ phone }], cursor: { at: phone }, done })
const reclaim = (session: Store) => session.upkeep.reclaim()
const finish = (job: ClaimedJob) => (session: Store) =>
  session.work.finish([{ ...job, outcome: 'succeeded' }])

describe('report and reclaim', () => {
  it('a report on its way keeps the job from being swept, and extends its lease', async () => {
    const { store, job, jobId } = await harvesting()
    await store.clock.advance(LEASE_MS + 1)
    const met = await race(store, report(job), reclaim)
    expect(met).toMatchObject({ first: { newItems: 1 }, second: 0, waited: false })
    expect(await store.upkeep.reclaim()).toBe(0)
    expect(await store.read.job(jobId)).toMatchObject({ state: 'assigned', resultCount: 1 })
    await expectHealthy(store)
  })

  it('a report behind the sweep is refused, and none of its items are kept', async () => {
    const { store, job, jobId } = await harvesting()
    await store.clock.advance(LEASE_MS + 1)
    const met = await race(store, reclaim, report(job))
    expect(met).toMatchObject({ first: 1, second: { code: 'lease_lost' }, waited: true })
    expect(await store.read.items({ jobId })).toEqual([])
    expect(await store.read.job(jobId)).toMatchObject({ state: 'queued', resultCount: 0 })
    await expectHealthy(store)
  })

  it('a report sent again after its attempt was swept is refused: the job is another’s now', async () => {
    const { store, job, jobId } = await harvesting()
    await report(job)(store)
    await store.clock.advance(LEASE_MS + 1)
    const met = await race(store, reclaim, report(job))
    expect(met).toMatchObject({ first: 1, second: { code: 'lease_lost' }, waited: true })
    expect(await store.read.job(jobId)).toMatchObject({ state: 'queued', resultCount: 1 })
    await expectHealthy(store)
  })
})

describe('report and finish', () => {
  it('a report behind the finish of its attempt is refused, and none of its items are kept', async () => {
    const { store, job, jobId } = await harvesting()
    const met = await race(store, finish(job), report(job))
    expect(met).toMatchObject({
      first: [{ accepted: true }],
      second: { code: 'lease_lost' },
      waited: true,
    })
    expect(await store.read.items({ jobId })).toEqual([])
    await expectHealthy(store)
  })

  it('a finish behind a report waits for it, and both count', async () => {
    const { store, job, jobId } = await harvesting()
    const met = await race(store, report(job), finish(job))
    expect(met).toMatchObject({
      first: { newItems: 1 },
      second: [{ accepted: true, state: 'succeeded' }],
      waited: true,
    })
    expect(await store.read.job(jobId)).toMatchObject({ state: 'succeeded', resultCount: 1 })
    await expectHealthy(store)
  })

  it('the last report twice at once ends the job once, with the same counts for both', async () => {
    const { store, job, jobId } = await harvesting()
    const met = await race(store, report(job, '1', true), report(job, '1', true))
    expect(met).toMatchObject({
      first: { done: true, doneReason: 'worker_done', resultCount: 1 },
      second: { done: true, doneReason: 'worker_done', resultCount: 1 },
      waited: true,
    })
    expect(await store.read.attempts(jobId)).toHaveLength(1)
    await expectHealthy(store)
  })

  it('the same report twice at once counts once', async () => {
    const { store, job, jobId } = await harvesting()
    const met = await race(store, report(job), report(job))
    expect(met).toMatchObject({ first: { progressCount: 1 }, second: { progressCount: 1 }, waited: true })
    expect(await store.read.job(jobId)).toMatchObject({ progressCount: 1, resultCount: 1 })
    await expectHealthy(store)
  })
})

describe('two workers that find the same item', () => {
  it('keep it once, for the one that was first; the other counts a duplicate', async () => {
    const { store, job } = await harvesting()
    await store.enqueue({ queue: 'q', kind: 'k' })
    const [other] = await store.work.claim({ worker: 'v', queues: ['q'], leaseMs: LEASE_MS })
    const met = await race(store, report(job), report(other as ClaimedJob))
    expect(met).toMatchObject({
      first: { newItems: 1, duplicateItems: 0 },
      second: { newItems: 0, duplicateItems: 1 },
      waited: true,
    })
    await expectHealthy(store)
  })
})

describe('a report that is held up half way', () => {
  /** Another worker's open report of the same item stops ours after it has locked its job and before it reaches its lease. */
  async function heldUp(queue: string) {
    const { store, job: other } = await harvesting()
    await store.queues.create('beating', { policy: { itemsKey: 'phone' } })
    const { jobId } = await store.enqueue({ queue, kind: 'k', collection: 'q' })
    const { lease } = await store.work.openLease('w', LEASE_MS)
    const [job] = await store.work.claim({ worker: 'w', queues: [queue], lease })
    const [stopper, reporter, third] = await openSessions(store, 3)
    await stopper.begin()
    await stopper.database.query(
      `insert into holdfast.item (job_id, created_at, queue_id, attempt, collection, key, data)
       select $1, holdfast.now(), j.queue_id, 1, 'q', '1', '{}' from holdfast.job j where j.id = $2`,
      [other.jobId, jobId],
    )
    const reported = answerOf(report(job as ClaimedJob)(reporter))
    await untilWaiting(store, [reporter])
    return { store, jobId, lease, stopper, third, reported }
  }

  it('is passed over by claim_by_id, without a deadlock', async () => {
    const { store, jobId, stopper, third, reported } = await heldUp('q')
    await store.clock.advance(LEASE_MS + 1)
    expect(await third.work.claimById(jobId, { worker: 'x', leaseMs: LEASE_MS })).toBeUndefined()
    await stopper.rollback()
    expect(await reported).toMatchObject({ newItems: 1 })
    await expectHealthy(store)
  })

  it('is waited for by the closing of its worker’s lease, without a deadlock', async () => {
    const { store, jobId, lease, stopper, third, reported } = await heldUp('beating')
    const closed = answerOf(third.work.closeLease(lease))
    await untilWaiting(store, [third])
    await stopper.rollback()
    expect(await reported).toMatchObject({ newItems: 1 })
    expect(await closed).toBe(1)
    expect(await store.read.job(jobId)).toMatchObject({ state: 'queued', interruptions: 1, resultCount: 1 })
    await expectHealthy(store)
  })
})
