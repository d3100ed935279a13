/** The history of a job keeps its order although the claim read the clock before the enqueue did, or the clock was set back. */
import { expect, it } from 'vitest'
import { expectHealthy, onEachDriver, pinnedStore } from '../support/world.js'

onEachDriver('the order of a history', (driver) => {
  it('S4.03 if the clock goes back between enqueue and claim, the history keeps their order and the wait is zero', async () => {
    const store = await pinnedStore(driver)
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'k' })
    await store.clock.advance(-5)
    const job = await store.work.claimById(jobId, { worker: 'w' })
    await store.clock.advance(-5)
    const fence = { jobId, attempt: job?.attempt ?? 0, lease: job?.lease ?? 0 }
    expect(await steps(store, jobId)).toEqual(['enqueued', 'claimed'])
    await store.work.finish([{ ...fence, outcome: 'succeeded' }])
    expect(await steps(store, jobId)).toEqual(['enqueued', 'claimed', 'succeeded'])
    expect(await store.read.history(jobId)).toMatchObject({ attempts: [{ waited_ms: 0, ran_ms: 0 }] })
    await expectHealthy(store)
  })
})

async function steps(store: Awaited<ReturnType<typeof pinnedStore>>, jobId: number): Promise<string[]> {
  const { events } = (await store.read.history(jobId)) as { events: { type: string }[] }
  return events.map(({ type }) => type)
}
