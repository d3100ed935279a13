import { expect, it } from 'vitest'
import { expectHealthy, freshStore, onEachDriver } from '../support/world.js'

onEachDriver('enqueueMany', (driver) => {
  it('makes all jobs or, when the key of one is taken and the queue rejects that, none', async () => {
    const store = await freshStore(driver)
    await store.queues.create('once', { policy: { dedup: 'reject' } })
    const { jobId } = await store.enqueue({ queue: 'once', kind: 'a', key: 'k' })
    const batch = [
      { queue: 'once', kind: 'b' },
      { queue: 'once', kind: 'c', key: 'k' },
    ]
    await expect(store.enqueueMany(batch)).rejects.toMatchObject({
      code: 'key_taken',
      details: { job_id: jobId, path: '/jobs/1/key' },
    })
    const rows = await store.database.query<{ n: number }>('select count(*) as n from holdfast.job')
    expect(rows[0]?.n).toBe(1)
    await expectHealthy(store)
  })

  it('answers in the order asked, naming the existing job for a key that is taken', async () => {
    const store = await freshStore(driver)
    const first = await store.enqueue({ queue: 'q', kind: 'a', key: 'k' })
    const answers = await store.enqueueMany([
      { queue: 'q', kind: 'b' },
      { queue: 'q', kind: 'c', key: 'k' },
      { queue: 'q', kind: 'd' },
    ])
    expect(answers.map(({ deduplicated }) => deduplicated)).toEqual([false, true, false])
    expect(answers[1]?.jobId).toBe(first.jobId)
    await expectHealthy(store)
  })
})
