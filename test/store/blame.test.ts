// Which of the jobs a dead worker held is to blame for its death.
import { expect, it } from 'vitest'
import { type Driver, expectHealthy, onEachDriver, pinnedStore } from '../support/world.js'

/** Jobs whose workers have died twice, in the hands of a third. */
async function thirdTime(driver: Driver, count: number, says: { startNow?: number } = {}) {
  const store = await pinnedStore(driver)
  const made = await store.enqueueMany(
    Array.from({ length: count }, (_none, n) => ({ queue: 'q', kind: 'k', input: { n: n + 1 } })),
  )
  const claim = async (worker: string, how = {}) => {
    const { lease } = await store.work.openLease(worker, 1000)
    return store.work.claim({ worker, lease, queues: ['q'], limit: count, ...how })
  }
  for (const worker of ['first', 'second']) {
    expect(await claim(worker)).toHaveLength(count)
    await store.clock.advance(2000)
    expect(await store.upkeep.reclaim()).toBe(count)
  }
  const jobs = await claim('third', says)
  expect(new Set(jobs.map(({ losses }) => losses))).toEqual(new Set([2]))
  return {
    store,
    jobs,
    /** It says of these that they have begun, and dies. */
    async dies(begun: readonly number[]) {
      await store.work.start(jobs.filter(({ input }) => begun.includes((input as { n: number }).n)))
      await store.clock.advance(2000)
    },
    idOf: (n: number) => made[n - 1]?.jobId as number,
    /** Where each job is now, and how often it was lost. */
    async ends() {
      const after = await Promise.all(made.map(({ jobId }) => store.read.job(jobId)))
      return Object.fromEntries(after.map((job, n) => [n + 1, [job?.state, job?.losses]]))
    },
  }
}

onEachDriver('a worker that dies for the third time', (driver) => {
  it.each([
    { begun: [1], ends: { 1: ['failed', null], 2: ['queued', 2], 3: ['queued', 2] } },
    { begun: [1, 3], ends: { 1: ['failed', null], 2: ['queued', 2], 3: ['failed', null] } },
    { begun: [] as number[], ends: { 1: ['queued', 2], 2: ['queued', 2], 3: ['queued', 2] } },
  ])('6.12 blames those that had begun, and none when it said of none: $begun', async ({ begun, ends }) => {
    const { store, dies, ends: after } = await thirdTime(driver, 3)
    await dies(begun)
    expect(await store.upkeep.reclaim()).toBe(3)
    expect(await after()).toEqual(ends)
    await expectHealthy(store)
  })

  it('blames only the one that had begun also when it held more jobs than one sweep takes', async () => {
    const count = 25
    const { store, jobs, dies, idOf } = await thirdTime(driver, count)
    await dies([1])
    const sweeps: number[] = []
    for (let swept = 1; swept > 0; sweeps.push(swept)) swept = await store.upkeep.reclaim(10)
    expect(sweeps).toEqual([10, 10, 5, 0])
    expect(await store.read.job(idOf(1))).toMatchObject({ state: 'failed', reason: 'crashed' })
    const others = jobs.filter(({ jobId }) => jobId !== idOf(1))
    const left = await Promise.all(others.map(({ jobId }) => store.read.job(jobId)))
    expect(new Set(left.map(({ state, losses }) => `${state} ${losses}`))).toEqual(new Set(['queued 2']))
    await expectHealthy(store)
  })

  it('is not held against a job that had not begun, also when it is asked for by its id before any sweep', async () => {
    const { store, dies, ends, idOf } = await thirdTime(driver, 3)
    await dies([1])
    const job = await store.work.claimById(idOf(2), { worker: 'fourth', leaseMs: 60_000 })
    expect(job).toMatchObject({ jobId: idOf(2), losses: 2, attempt: 4 })
    expect(await store.upkeep.reclaim()).toBe(2)
    expect(await ends()).toEqual({ 1: ['failed', null], 2: ['assigned', 2], 3: ['queued', 2] })
    await expectHealthy(store)
  })

  it('is held against the one that had begun when that is asked for by its id, and not against the others later', async () => {
    const { store, dies, ends, idOf } = await thirdTime(driver, 3)
    await dies([1])
    expect(await store.work.claimById(idOf(1), { worker: 'fourth', leaseMs: 60_000 })).toBeUndefined()
    await store.upkeep.reclaim()
    expect(await ends()).toEqual({ 1: ['failed', null], 2: ['queued', 2], 3: ['queued', 2] })
    await expectHealthy(store)
  })

  it('6.12 is not held against a job asked for by its id where the worker said of none that it had begun', async () => {
    const { store, dies, ends, idOf } = await thirdTime(driver, 2)
    await dies([])
    expect(await store.work.claimById(idOf(2), { worker: 'fourth', leaseMs: 60_000 })).toMatchObject({
      losses: 2,
    })
    expect(await store.upkeep.reclaim()).toBe(1)
    expect(await ends()).toEqual({ 1: ['queued', 2], 2: ['assigned', 2] })
    await expectHealthy(store)
  })

  it('6.12 is held against the only job it held, unless it says what begins', async () => {
    const { store, dies, ends } = await thirdTime(driver, 1)
    await dies([])
    expect(await store.upkeep.reclaim()).toBe(1)
    expect(await ends()).toEqual({ 1: ['failed', null] })
  })

  it('6.12 is not held against the only job it held where it says what begins and has not said so', async () => {
    const { store, jobs, dies, ends } = await thirdTime(driver, 1, { startNow: 1 })
    expect(jobs).toMatchObject([{ losses: 2, unstarted: true }])
    await dies([])
    expect(await store.upkeep.reclaim()).toBe(1)
    expect(await ends()).toEqual({ 1: ['queued', 2] })
  })
})
