/** One row of `running` that somebody keeps locked: only that job waits. */
import type { ClaimedJob, Store } from 'holdfast/store'
import { beforeEach, describe, expect, it } from 'vitest'
import { type HandSession, openSession } from '../../support/sessions.js'
import { expectHealthy, pinnedStore, type World } from '../../support/world.js'

const LEASE_MS = 10_000

let store: World
let lease: number
let jobs: [ClaimedJob, ClaimedJob, ClaimedJob]
/** Somebody with an open transaction. */
let psql: HandSession

beforeEach(async () => {
  store = await pinnedStore()
  await store.enqueueMany(Array.from({ length: 3 }, () => ({ queue: 'q', kind: 'k' })))
  lease = (await store.work.openLease('w', LEASE_MS)).lease
  jobs = (await store.work.claim({ worker: 'w', lease, queues: ['q'], limit: 3 })) as typeof jobs
  psql = await openSession(store)
  await psql.begin()
})

const named = ({ jobId, attempt }: ClaimedJob) => ({ jobId, attempt })
const states = async () =>
  Promise.all(jobs.map(async ({ jobId }) => (await store.read.job(jobId)).state as string))

describe('a row of running that is locked', () => {
  it.each<[string, (session: Store) => Promise<unknown>]>([
    ['begin; select holdfast.cancel(1)', (session) => session.commands.cancel(jobs[0].jobId)],
    [
      'a transaction that completes the job',
      (session) => session.work.commitOn(psql.client, { ...jobs[0], outcome: 'succeeded' }),
    ],
    ['a report in an open transaction', (session) => session.work.report({ ...jobs[0], items: [1] })],
    [
      'a lock by hand',
      (session) => session.database.query('select from holdfast.running where job_id = 1 for update'),
    ],
  ])('6.05 start skips locked rows, and a renewal does not wait for them: %s', async (_title, lock) => {
    await lock(psql)
    expect(await store.work.start(jobs)).toEqual([named(jobs[1]), named(jobs[2])])
    await store.clock.advance(1_000)
    const expiresAt = new Date((await store.clock.now()).getTime() + LEASE_MS)
    expect(await store.work.renew([lease])).toMatchObject([{ alive: true, expiresAt }])
    expect(await store.work.start(jobs)).toEqual(expect.arrayContaining([named(jobs[1]), named(jobs[2])]))
    await psql.rollback()
    expect(await states()).toEqual(['assigned', 'running', 'running'])
    expect(await store.work.start(jobs)).toHaveLength(3)
    expect(await states()).toEqual(['running', 'running', 'running'])
    await expectHealthy(store)
  })

  it('6.05 a lease of a job’s own that a completion has locked does not keep the others from being renewed', async () => {
    await store.queues.create('harvest', { preset: 'harvest' })
    await store.enqueueMany(Array.from({ length: 2 }, () => ({ queue: 'harvest', kind: 'k' })))
    const own = await store.work.claim({ worker: 'w', lease, queues: ['harvest'], limit: 2 })
    const [completed, other] = own as [ClaimedJob, ClaimedJob]
    await psql.work.commitOn(psql.client, { ...completed, outcome: 'succeeded' })
    const leases = [lease, completed.lease, other.lease]
    const renewed = async () => new Map((await store.work.renew(leases)).map((one) => [one.lease, one]))
    const before = await renewed()
    expect(leases.map((one) => before.get(one)?.alive)).toEqual([true, true, true])
    expect(before.get(completed.lease)?.expiresAt).toEqual(completed.expiresAt)
    await psql.commit()
    const after = await renewed()
    expect(leases.map((one) => after.get(one)?.alive)).toEqual([true, false, true])
    await expectHealthy(store)
  })

  it('6.05 finish ends what is not locked, and names what is', async () => {
    await psql.commands.cancel(jobs[0].jobId)
    const endings = jobs.map((job) => ({ ...job, outcome: 'succeeded' as const }))
    const failed = endings.map((ending) => ({ ...ending, outcome: 'failed' as const, error: 'no' }))
    const LOCKED = { code: 'job_locked', details: { locked: [[jobs[0].jobId, 1]] } }
    await expect(store.work.finish(endings)).rejects.toMatchObject(LOCKED)
    expect(await states()).toEqual(['assigned', 'succeeded', 'succeeded'])
    await expect(store.work.finish(failed.slice(0, 1))).rejects.toMatchObject(LOCKED)
    await psql.rollback()
    expect(await store.work.finish(endings)).toMatchObject(jobs.map(() => ({ accepted: true })))
    expect(await states()).toEqual(['succeeded', 'succeeded', 'succeeded'])
    await expectHealthy(store)
  })
})
