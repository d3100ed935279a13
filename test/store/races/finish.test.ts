/** The end of an attempt, met by whoever else has a say: one of them ends it, and the others are told the truth. */
import type { ClaimedJob, NewJob, Outcome, Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { race } from '../../support/sessions.js'
import { expectHealthy, pinnedStore, type World } from '../../support/world.js'

const LEASE_MS = 30_000

interface Scene {
  readonly store: World
  readonly job: ClaimedJob
  readonly jobId: number
}

/** A claimed job, under the worker's lease or, with `own`, under one of its own. */
async function claimed(options: { own?: boolean; job?: Partial<NewJob> } = {}): Promise<Scene> {
  const store = await pinnedStore()
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'k', ...options.job })
  const { lease } = await store.work.openLease('w', LEASE_MS)
  const how = options.own === true ? { leaseMs: LEASE_MS } : { lease }
  const [job] = await store.work.claim({ worker: 'w', queues: ['q'], ...how })
  if (job === undefined) throw new Error('nothing was claimed')
  return { store, job, jobId }
}

const finish =
  (job: ClaimedJob, outcome: Outcome = 'succeeded') =>
  (session: Store) =>
    session.work.finish([{ ...job, outcome, result: { by: outcome } }])
const reclaim = (session: Store) => session.upkeep.reclaim()
const cancel = (jobId: number) => (session: Store) => session.commands.cancel(jobId)

const REFUSED = [{ accepted: false, state: null, error: { code: 'lease_lost' } }]

async function outcomes({ store, jobId }: Scene): Promise<string[]> {
  return (await store.read.attempts(jobId)).map(({ outcome, movedTo }) => `${outcome} → ${movedTo}`)
}

describe.each([{ own: false }, { own: true }])(
  'finish and reclaim, with a lease of its own: $own',
  ({ own }) => {
    it('a finish on its way is not swept away', async () => {
      const scene = await claimed({ own })
      await scene.store.clock.advance(LEASE_MS + 1)
      const met = await race(scene.store, finish(scene.job), reclaim)
      expect(met).toMatchObject({ first: [{ accepted: true, state: 'succeeded' }], second: 0, waited: false })
      expect(await outcomes(scene)).toEqual(['succeeded → succeeded'])
      expect(await scene.store.upkeep.reclaim()).toBe(0)
      await expectHealthy(scene.store)
    })

    it('a finish behind the sweep is refused and leaves no trace', async () => {
      const scene = await claimed({ own })
      await scene.store.clock.advance(LEASE_MS + 1)
      const met = await race(scene.store, reclaim, finish(scene.job))
      expect(met).toMatchObject({ first: 1, second: REFUSED, waited: true })
      expect(await outcomes(scene)).toEqual(['lost → queued'])
      expect(await scene.store.read.job(scene.jobId)).toMatchObject({
        state: 'queued',
        losses: 1,
        result: null,
      })
      await expectHealthy(scene.store)
    })

    it('a finish behind a sweep that rolls back counts', async () => {
      const scene = await claimed({ own })
      await scene.store.clock.advance(LEASE_MS + 1)
      const met = await race(scene.store, reclaim, finish(scene.job), { end: 'rollback' })
      expect(met.second).toMatchObject([{ accepted: true, state: 'succeeded' }])
      await expectHealthy(scene.store)
    })
  },
)

describe('finish and close_lease', () => {
  it('a finish behind the closing of its lease is refused: the job was released', async () => {
    const scene = await claimed()
    const met = await race(
      scene.store,
      (session) => session.work.closeLease(scene.job.lease),
      finish(scene.job),
    )
    expect(met).toMatchObject({ first: 1, second: REFUSED, waited: true })
    expect(await outcomes(scene)).toEqual(['released → queued'])
    await expectHealthy(scene.store)
  })

  it('the closing of a lease waits for a finish on its way and releases nothing', async () => {
    const scene = await claimed()
    const met = await race(scene.store, finish(scene.job), (session) =>
      session.work.closeLease(scene.job.lease),
    )
    expect(met).toMatchObject({ first: [{ accepted: true }], waited: true })
    expect(await outcomes(scene)).toEqual(['succeeded → succeeded'])
    await expectHealthy(scene.store)
  })
})

describe('cancel with ifState and a lost lease', () => {
  const cancelRunning = (jobId: number) => (session: Store) =>
    session.commands.cancel(jobId, { ifState: 'running' })

  it('behind a sweep it is refused with the state, and the job keeps its turn', async () => {
    const scene = await claimed()
    await scene.store.clock.advance(LEASE_MS + 1)
    const met = await race(scene.store, reclaim, cancelRunning(scene.jobId))
    expect(met).toMatchObject({ first: 1, waited: true })
    expect(met.second).toMatchObject({ code: 'wrong_state', details: { state: 'queued' } })
    expect(await outcomes(scene)).toEqual(['lost → queued'])
    expect(await scene.store.read.job(scene.jobId)).toMatchObject({ state: 'queued' })
    await expectHealthy(scene.store)
  })

  it('before a sweep it is a request, and decides', async () => {
    const scene = await claimed()
    await scene.store.clock.advance(LEASE_MS + 1)
    const met = await race(scene.store, cancelRunning(scene.jobId), reclaim)
    expect(met.first).toMatchObject({ result: 'requested' })
    await scene.store.upkeep.reclaim()
    expect(await outcomes(scene)).toEqual(['canceled → canceled'])
    await expectHealthy(scene.store)
  })

  it('a state that does not exist is invalid input', async () => {
    const { store, jobId } = await claimed()
    await expect(store.commands.cancel(jobId, { ifState: 'RUNNING' as 'running' })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { path: '/if_state' },
    })
  })
})

describe('finish and cancel', () => {
  it('a failure behind a cancel request ends the job as canceled', async () => {
    const scene = await claimed()
    const met = await race(scene.store, cancel(scene.jobId), finish(scene.job, 'failed'))
    expect(met).toMatchObject({
      first: { result: 'requested' },
      second: [{ accepted: true, state: 'canceled' }],
      waited: true,
    })
    expect(await outcomes(scene)).toEqual(['canceled → canceled'])
    await expectHealthy(scene.store)
  })

  it('a success behind a cancel request stays a success', async () => {
    const scene = await claimed()
    const met = await race(scene.store, cancel(scene.jobId), finish(scene.job))
    expect(met.second).toMatchObject([{ accepted: true, state: 'succeeded' }])
    await expectHealthy(scene.store)
  })

  it('a cancel behind a success comes too late and says so', async () => {
    const scene = await claimed()
    const met = await race(scene.store, finish(scene.job), cancel(scene.jobId))
    expect(met).toMatchObject({ second: { result: 'already_ended', state: 'succeeded' }, waited: true })
    await expectHealthy(scene.store)
  })

  it('a cancel behind a failure that will be retried cancels the retry', async () => {
    const scene = await claimed()
    const met = await race(scene.store, finish(scene.job, 'failed'), cancel(scene.jobId))
    expect(met).toMatchObject({
      first: [{ state: 'retrying' }],
      second: { result: 'canceled' },
      waited: true,
    })
    expect(await outcomes(scene)).toEqual(['failed → retrying', 'canceled → canceled'])
    await expectHealthy(scene.store)
  })
})

describe('finish and finish', () => {
  it('the same call twice has one effect and two equal answers', async () => {
    for (const outcome of ['succeeded', 'failed', 'snoozed'] as const) {
      const scene = await claimed()
      const met = await race(scene.store, finish(scene.job, outcome), finish(scene.job, outcome))
      expect(met).toMatchObject({ first: [{ accepted: true }], waited: true })
      expect(met.second).toEqual(met.first)
      expect(await outcomes(scene)).toHaveLength(1)
      await expectHealthy(scene.store)
    }
  })

  it('another outcome under the same fence is refused', async () => {
    const scene = await claimed()
    const met = await race(scene.store, finish(scene.job), finish(scene.job, 'failed'))
    expect(met).toMatchObject({ first: [{ state: 'succeeded' }], second: REFUSED, waited: true })
    expect(await outcomes(scene)).toEqual(['succeeded → succeeded'])
    await expectHealthy(scene.store)
  })

  it('the fence of a lost attempt is refused while that of the present one counts, also in one call', async () => {
    const scene = await claimed({ own: true })
    const { store, job: stale } = scene
    await store.clock.advance(LEASE_MS + 1)
    const [job] = await store.work.claim({ worker: 'v', queues: ['q'], leaseMs: LEASE_MS })
    if (job === undefined) throw new Error('not claimable')
    const met = await race(store, finish(job), finish(stale))
    expect(met).toMatchObject({ first: [{ accepted: true, attempt: 2 }], second: REFUSED, waited: false })
    const both = [stale, job].map((fence) => ({ ...fence, outcome: 'succeeded' as const }))
    expect(await store.work.finish(both)).toMatchObject([...REFUSED, { accepted: true, attempt: 2 }])
    expect(await outcomes(scene)).toEqual(['lost → queued', 'succeeded → succeeded'])
    await expectHealthy(store)
  })

  it('answers for every fence of a call that has two of one job, when one of them still holds', async () => {
    const { store, job: stale } = await claimed({ own: true })
    await store.clock.advance(LEASE_MS + 1)
    const [job] = await store.work.claim({ worker: 'w', queues: ['q'], leaseMs: LEASE_MS })
    const both = [stale, job as ClaimedJob].map((fence) => ({ ...fence, outcome: 'succeeded' as const }))
    expect(await store.work.finish(both)).toMatchObject([...REFUSED, { accepted: true, attempt: 2 }])
    await expectHealthy(store)
  })
})

describe('finish and renew', () => {
  it('a renewal does not wait for the finish of a job with a lease of its own, and the next finds the lease gone', async () => {
    const scene = await claimed({ own: true })
    const renew = (session: Store) => session.work.renew([scene.job.lease])
    const met = await race(scene.store, finish(scene.job), renew)
    expect(met).toMatchObject({ first: [{ accepted: true }], second: [{ alive: true }], waited: false })
    expect(await scene.store.work.renew([scene.job.lease])).toMatchObject([{ alive: false }])
    await expectHealthy(scene.store)
  })

  it('a finish behind a renewal counts, and the lease goes with the job', async () => {
    const scene = await claimed({ own: true })
    const renew = (session: Store) => session.work.renew([scene.job.lease])
    const met = await race(scene.store, renew, finish(scene.job))
    expect(met).toMatchObject({ first: [{ alive: true }], second: [{ accepted: true }], waited: true })
    expect(await scene.store.work.renew([scene.job.lease])).toMatchObject([{ alive: false }])
    await expectHealthy(scene.store)
  })

  it('a worker’s lease is renewed and jobs under it are finished without waiting', async () => {
    const scene = await claimed()
    const renew = (session: Store) => session.work.renew([scene.job.lease])
    const met = await race(scene.store, renew, finish(scene.job))
    expect(met).toMatchObject({ first: [{ alive: true }], second: [{ accepted: true }], waited: false })
    await expectHealthy(scene.store)
  })
})
