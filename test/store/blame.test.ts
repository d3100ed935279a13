// Which of the jobs a dead worker held is to blame for its death.
import { expect, it } from 'vitest'
import { expectHealthy, onEachDriver, pinnedStore } from '../support/world.js'

onEachDriver('a worker that dies for the third time', (driver) => {
  it.each([
    { begun: [1], ends: { 1: ['failed', null], 2: ['queued', 2], 3: ['queued', 2] } },
    { begun: [1, 3], ends: { 1: ['failed', null], 2: ['queued', 2], 3: ['failed', null] } },
    { begun: [] as number[], ends: { 1: ['failed', null], 2: ['failed', null], 3: ['failed', null] } },
  ])('blames those that had begun, and all when it said of none: $begun', async ({ begun, ends }) => {
    const store = await pinnedStore(driver)
    const made = await store.enqueueMany([1, 2, 3].map((n) => ({ queue: 'q', kind: 'k', input: { n } })))
    const claim = async (worker: string) => {
      const { lease } = await store.work.openLease(worker, 1000)
      return store.work.claim({ worker, lease, queues: ['q'], limit: 10 })
    }
    for (const worker of ['first', 'second']) {
      expect(await claim(worker)).toHaveLength(3)
      await store.clock.advance(2000)
      expect(await store.upkeep.reclaim()).toBe(3)
    }
    const jobs = await claim('third')
    expect(jobs.map(({ losses }) => losses)).toEqual([2, 2, 2])
    await store.work.start(jobs.filter(({ input }) => begun.some((n) => n === (input as { n: number }).n)))
    await store.clock.advance(2000)
    expect(await store.upkeep.reclaim()).toBe(3)
    const after = await Promise.all(made.map(({ jobId }) => store.read.job(jobId)))
    expect(Object.fromEntries(after.map((job, n) => [n + 1, [job?.state, job?.losses]]))).toEqual(ends)
    await expectHealthy(store)
  })

  it('blames only the one that had begun also when it held more jobs than one sweep takes', async () => {
    const store = await pinnedStore(driver)
    const count = 25
    await store.enqueueMany(
      Array.from({ length: count }, (_none, n) => ({ queue: 'q', kind: 'k', input: { n } })),
    )
    const claim = async (worker: string) => {
      const { lease } = await store.work.openLease(worker, 1000)
      return store.work.claim({ worker, lease, queues: ['q'], limit: count })
    }
    for (const worker of ['first', 'second']) {
      await claim(worker)
      await store.clock.advance(2000)
      expect(await store.upkeep.reclaim()).toBe(count)
    }
    const jobs = await claim('third')
    const [begun, ...others] = jobs as [(typeof jobs)[0], ...typeof jobs]
    await store.work.start([begun])
    await store.clock.advance(2000)
    const sweeps: number[] = []
    for (let swept = 1; swept > 0; sweeps.push(swept)) swept = await store.upkeep.reclaim(10)
    expect(sweeps).toEqual([10, 10, 5, 0])
    expect(await store.read.job(begun.jobId)).toMatchObject({ state: 'failed', reason: 'crashed' })
    const left = await Promise.all(others.map(({ jobId }) => store.read.job(jobId)))
    expect(new Set(left.map(({ state, losses }) => `${state} ${losses}`))).toEqual(new Set(['queued 2']))
    await expectHealthy(store)
  })
})
