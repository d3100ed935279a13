import { describe, expect, it } from 'vitest'
import { expectHealthy, pinnedStore } from '../support/world.js'

// In the quick lane the one proof that the engine runs on both databases.
describe.each(['postgres', 'pglite'] as const)('a job from enqueue to its end (%s)', (driver) => {
  it('is enqueued, claimed, finished once, and a stale finish is refused', async () => {
    const store = await pinnedStore(driver)
    const { jobId } = await store.enqueue({ queue: 'emails', kind: 'welcome', input: { to: 7 } })
    const { lease } = await store.work.openLease('w1', 30_000)
    const [job] = await store.work.claim({ worker: 'w1', lease, queues: ['emails'] })
    expect(job).toMatchObject({ jobId, attempt: 1, lease, kind: 'welcome', input: { to: 7 } })
    if (job === undefined) return
    const [stale] = await store.work.finish([{ ...job, lease: lease + 1, outcome: 'succeeded' }])
    expect(stale).toMatchObject({ accepted: false, error: { code: 'lease_lost' } })
    const [ended] = await store.work.finish([{ ...job, outcome: 'succeeded', result: { sent: true } }])
    expect(ended).toMatchObject({ accepted: true, state: 'succeeded' })
    expect(await store.read.job(jobId)).toMatchObject({
      state: 'succeeded',
      result: { sent: true },
      attempt: 1,
    })
    await expectHealthy(store)
  })
})
