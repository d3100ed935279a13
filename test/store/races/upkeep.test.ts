/** Upkeep on several nodes at once, and targets whose producers and finishers meet. */
import type { ClaimedJob, Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { openSession, race } from '../../support/sessions.js'
import { expectHealthy, pinnedStore, type World } from '../../support/world.js'

const LEASE_MS = 30_000
const claimAll = (session: Store) => session.work.claim({ worker: 'w', queues: ['q'], limit: 10 })

describe('upkeep on two nodes at once', () => {
  it('promotes each due job once, without waiting', async () => {
    const store = await pinnedStore()
    await store.enqueueMany(Array.from({ length: 5 }, () => ({ queue: 'q', kind: 'k', delayMs: 1_000 })))
    await store.clock.advance(1_001)
    const three = (session: Store) => session.upkeep.promote(3)
    const met = await race(store, three, three)
    expect(met).toMatchObject({ first: 3, second: 2, waited: false })
    expect(await claimAll(store)).toHaveLength(5)
    await expectHealthy(store)
  })

  it('takes each lost job back once, without waiting', async () => {
    const store = await pinnedStore()
    await store.enqueueMany(Array.from({ length: 4 }, () => ({ queue: 'q', kind: 'k' })))
    const { lease } = await store.work.openLease('dead', LEASE_MS)
    await store.work.claim({ worker: 'dead', queues: ['q'], lease, limit: 2 })
    const alone = await store.work.claim({ worker: 'dead', queues: ['q'], leaseMs: LEASE_MS, limit: 2 })
    await store.clock.advance(LEASE_MS + 1)
    const sweep = (session: Store) => session.upkeep.reclaim()
    const met = await race(store, sweep, sweep)
    expect(met).toMatchObject({ first: 4, second: 0, waited: false })
    const attempts = await store.read.attempts(alone[0]?.jobId ?? 0)
    expect(attempts).toMatchObject([{ outcome: 'lost', movedTo: 'queued' }])
    await expectHealthy(store)
  })

  it('ages once per period: the second waits to see, then leaves it', async () => {
    const store = await pinnedStore()
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'k', priority: 10 })
    await store.clock.advance(3_600_001)
    const age = (session: Store) => session.upkeep.age({ step: 10 })
    const met = await race(store, age, age)
    expect(met).toMatchObject({ first: 1, second: 0, waited: true })
    expect(await store.read.job(jobId)).toMatchObject({ priority: 20 })
    await expectHealthy(store)
  })

  it('ages in the second when the first rolls back', async () => {
    const store = await pinnedStore()
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'k', priority: 10 })
    await store.clock.advance(3_600_001)
    const age = (session: Store) => session.upkeep.age({ step: 10 })
    const met = await race(store, age, age, { end: 'rollback' })
    expect(met.second).toBe(1)
    expect(await store.read.job(jobId)).toMatchObject({ priority: 20 })
  })

  it('a pass of aging leaves out a job that is being claimed', async () => {
    const store = await pinnedStore()
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'k', priority: 10 })
    await store.clock.advance(3_600_001)
    const met = await race(store, claimAll, (session) => session.upkeep.age({ step: 10 }))
    expect(met).toMatchObject({ first: [{ jobId }], second: 0, waited: false })
    expect(await store.read.job(jobId)).toMatchObject({ priority: 10, state: 'assigned' })
    await expectHealthy(store)
  })
})

describe('enqueue and finish on the same target', () => {
  async function runningHead(): Promise<{ store: World; finish: (session: Store) => Promise<unknown> }> {
    const store = await pinnedStore()
    await store.enqueue({ queue: 'q', kind: 'k', target: 't' })
    const [head] = await store.work.claim({ worker: 'w', queues: ['q'] })
    if (head === undefined) throw new Error('nothing was claimed')
    return { store, finish: (session) => session.work.finish([{ ...head, outcome: 'succeeded' }]) }
  }
  async function enqueue(session: Store): Promise<{ jobId: number }> {
    const { jobId } = await session.enqueue({ queue: 'q', kind: 'k', target: 't' })
    return { jobId }
  }

  it('a finish does not wait for an enqueue that holds the target; the new job goes right after', async () => {
    const { store, finish } = await runningHead()
    const met = await race(store, enqueue, finish)
    expect(met).toMatchObject({ second: [{ accepted: true }], waited: false })
    expect(await claimAll(store)).toMatchObject([met.first])
    await expectHealthy(store)
  })

  it('a finish whose rival’s enqueue rolls back leaves the target idle, ready for the next', async () => {
    const { store, finish } = await runningHead()
    const met = await race(store, enqueue, finish, { end: 'rollback' })
    expect(met.second).toMatchObject([{ accepted: true }])
    const { jobId } = await enqueue(store)
    expect(await claimAll(store)).toMatchObject([{ jobId }])
    await expectHealthy(store)
  })

  it('an enqueue behind a finish waits for it and finds the target idle', async () => {
    const { store, finish } = await runningHead()
    const met = await race(store, finish, enqueue)
    expect(met).toMatchObject({ first: [{ accepted: true }], waited: true })
    expect(await claimAll(store)).toMatchObject([met.second])
    await expectHealthy(store)
  })

  it('an enqueue behind a finish that rolls back gets in line', async () => {
    const { store, finish } = await runningHead()
    await race(store, finish, enqueue, { end: 'rollback' })
    expect(await claimAll(store)).toEqual([])
    await finish(store)
    expect(await claimAll(store)).toHaveLength(1)
    await expectHealthy(store)
  })

  it('a caller’s open transaction holds nobody up and its job is in line once it commits', async () => {
    const { store, finish } = await runningHead()
    let inCaller = 0
    const met = await race(
      store,
      async (session) => {
        const job = { queue: 'q', kind: 'k', target: 't' }
        inCaller = (await session.enqueue(job, { tx: session.client })).jobId
      },
      async (session) => [await finish(session), await enqueue(session), await claimAll(session)],
    )
    const [, own, claimed] = met.second as [unknown, { jobId: number }, ClaimedJob[]]
    expect(met.waited).toBe(false)
    expect(claimed).toMatchObject([own])
    expect(await claimAll(store)).toEqual([])
    await store.work.finish(claimed.map((job) => ({ ...job, outcome: 'succeeded' })))
    expect(await claimAll(store)).toMatchObject([{ jobId: inCaller }])
    await expectHealthy(store)
  })

  it('an open finish at one target does not hold up claims that find arrivals there and elsewhere', async () => {
    const { store, finish } = await runningHead()
    const caller = await openSession(store)
    await caller.begin()
    for (const target of ['t', 'u'])
      await caller.enqueue({ queue: 'q', kind: 'k', target }, { tx: caller.client })
    await caller.commit()
    const met = await race(store, finish, claimAll)
    expect(met).toMatchObject({ second: [{ target: 'u' }], waited: false })
    expect(await claimAll(store)).toMatchObject([{ target: 't' }])
    await expectHealthy(store)
  })

  it('two enqueues at an idle target make one head and one that waits', async () => {
    const store = await pinnedStore()
    await store.queues.create('q')
    const met = await race(store, enqueue, enqueue)
    expect(met.waited).toBe(true)
    expect(await claimAll(store)).toMatchObject([met.first])
    await expectHealthy(store)
  })

  it('batches that name the same targets in opposite orders do not deadlock', async () => {
    const store = await pinnedStore()
    await store.queues.create('q')
    const targets = ['a', 'b', 'c', 'd']
    const batch = (order: string[]) => (session: Store) =>
      session.enqueueMany(order.map((target) => ({ queue: 'q', kind: 'k', target })))
    const met = await race(store, batch(targets), batch([...targets].reverse()))
    expect(met.second).toHaveLength(4)
    expect(await claimAll(store)).toHaveLength(4)
    await expectHealthy(store)
  })
})
