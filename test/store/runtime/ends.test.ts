import type { ClaimedJob } from 'holdfast/store'
import { expect, it } from 'vitest'
import { onEachDriver, pinnedStore } from '../../support/world.js'

onEachDriver('ends', (driver) => {
  it('tells of many jobs at once how those that have ended did, and nothing of the others', async () => {
    const store = await pinnedStore(driver)
    const made = await store.enqueueMany(Array.from({ length: 4 }, () => ({ queue: 'q', kind: 'k' })))
    const [done, failed, canceled, waiting] = made.map(({ jobId }) => jobId) as [
      number,
      number,
      number,
      number,
    ]
    const claimed = await store.work.claim({ worker: 'w', queues: ['q'], limit: 2 })
    await store.work.finish([
      { ...(claimed[0] as ClaimedJob), outcome: 'succeeded', result: { size: 3 } },
      { ...(claimed[1] as ClaimedJob), outcome: 'failed', retryable: false, error: new TypeError('no') },
    ])
    await store.commands.cancel(canceled, { reason: 'not needed' })
    const ends = await store.read.ends([done, failed, canceled, waiting, 9_999])
    expect(ends.sort((one, other) => one.jobId - other.jobId)).toMatchObject([
      { jobId: done, state: 'succeeded', result: { size: 3 }, errorMessage: null },
      {
        jobId: failed,
        state: 'failed',
        reason: 'not_retryable',
        errorClass: 'TypeError',
        errorMessage: 'no',
      },
      { jobId: canceled, state: 'canceled', reason: 'not needed', result: null },
    ])
  })

  it('tells nothing of an end that was taken back', async () => {
    const store = await pinnedStore(driver)
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'k' })
    await store.commands.cancel(jobId)
    expect(await store.read.ends([jobId])).toHaveLength(1)
    await store.commands.retry(jobId)
    expect(await store.read.ends([jobId])).toEqual([])
  })
})
