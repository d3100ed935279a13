/** How many jobs start in a time: never more than burst + rate · t in any window, per queue or per key. */
import type { ClaimedJob, Policy, Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { openSessions, seeded } from '../support/sessions.js'
import { expectHealthy, onEachDriver, pinnedStore, type World } from '../support/world.js'

const take = (store: Store, limit = 100) =>
  store.work.claim({ worker: 'w', queues: ['q'], limit, leaseMs: 86_400_000 })

async function limited(policy: Partial<Policy>, driver?: 'postgres' | 'pglite'): Promise<World> {
  const store = await pinnedStore(driver)
  await store.queues.create('q', { policy: { serializeTargets: false, retryBaseMs: 0, ...policy } })
  return store
}

async function fill(store: Store, count: number, more: object = {}): Promise<number[]> {
  const made = await store.enqueueMany(
    Array.from({ length: count }, () => ({ queue: 'q', kind: 'k', ...more })),
  )
  return made.map(({ jobId }) => jobId)
}

/** Every window from one start to another, both included, holds at most burst + rate · t. */
function expectWithinRate(starts: readonly number[], burst: number, perMs: number): void {
  const sorted = [...starts].sort((a, b) => a - b)
  sorted.forEach((from, first) => {
    for (let last = first; last < sorted.length; last += 1) {
      const most = burst + perMs * ((sorted[last] as number) - from)
      expect(last - first + 1).toBeLessThanOrEqual(Math.floor(most + 1e-6))
    }
  })
}

async function startsOf(store: Store, target?: string): Promise<number[]> {
  const rows = await store.database.query<{ at: number }>(
    `select (extract(epoch from r.claimed_at) * 1000)::float8 as at from holdfast.running r join holdfast.job j on j.id = r.job_id
     where $1::text is null or j.target = $1`,
    [target ?? null],
  )
  return rows.map(({ at }) => at)
}

onEachDriver('a rate', (driver) => {
  it('lets the burst go, then one for each part of the period; the burst is the rate if none is given', async () => {
    const store = await limited({ rateLimit: 4, ratePeriodMs: 1_000 }, driver)
    await fill(store, 30)
    expect(await take(store)).toHaveLength(4)
    expect(await take(store)).toEqual([])
    await store.clock.advance(249)
    expect(await take(store)).toEqual([])
    await store.clock.advance(1)
    expect(await take(store)).toHaveLength(1)
    await store.clock.advance(750)
    expect(await take(store, 2)).toHaveLength(2)
    expect(await take(store)).toHaveLength(1)
    await store.clock.advance(60_000)
    expect(await take(store)).toHaveLength(4)
  })

  it('holds in every window, claimed at random times in random amounts', async () => {
    const store = await limited({ rateLimit: 7, ratePeriodMs: 1_000, rateBurst: 3 }, driver)
    await fill(store, 150)
    const random = seeded(11)
    const began = (await store.clock.now()).getTime()
    for (let n = 0; n < 120; n += 1) {
      await take(store, 1 + Math.floor(random() * 5))
      await store.clock.advance(Math.floor(random() * random() * 900))
    }
    const starts = await startsOf(store)
    expectWithinRate(starts, 3, 7 / 1_000)
    // and it is used: at most the burst is left lying at the end of each pause longer than it takes to fill
    expect(starts.length).toBeGreaterThan((((await store.clock.now()).getTime() - began) * 7) / 1_000 / 3)
  })

  it('can be changed while it is used, and lifted', async () => {
    const store = await limited({ rateLimit: 2, ratePeriodMs: 60_000 }, driver)
    await fill(store, 30)
    expect(await take(store)).toHaveLength(2)
    await store.queues.setPolicy('q', { rateLimit: 60, rateBurst: 5 })
    await store.clock.advance(3_000)
    expect(await take(store)).toHaveLength(3)
    await store.queues.setPolicy('q', { rateLimit: null })
    expect(await take(store)).toHaveLength(25)
  })

  it('goes for a claim by id, and together with a limit of running jobs', async () => {
    const store = await limited({ rateLimit: 3, ratePeriodMs: 1_000, maxRunning: 2 }, driver)
    const [first, second, third] = (await fill(store, 5)) as [number, number, number]
    expect(await store.work.claimById(first, { worker: 'w' })).toBeDefined()
    const [job] = (await take(store)) as [ClaimedJob]
    expect(job.jobId).toBe(second)
    await store.work.finish([{ ...job, outcome: 'succeeded' }])
    expect(await store.work.claimById(third, { worker: 'w' })).toBeDefined()
    const ended = await store.database.query<{ job_id: number }>('select job_id from holdfast.running')
    expect(ended).toHaveLength(2)
    await store.queues.setPolicy('q', { maxRunning: null })
    expect(await take(store)).toEqual([])
  })
})

onEachDriver('a rate for each key', (driver) => {
  const policy = { rateLimit: 1, ratePeriodMs: 1_000, ratePerKey: true }

  it('delays what is over it until its token comes, in order, and uses up no attempt; other keys go on', async () => {
    const store = await limited(policy, driver)
    const a = await fill(store, 4, { target: 'a' })
    const b = await fill(store, 1, { target: 'b' })
    const none = await fill(store, 1)
    expect((await take(store)).map(({ jobId }) => jobId)).toEqual([a[0], b[0], none[0]])
    for (const [index, jobId] of a.slice(1).entries()) {
      const job = await store.read.job(jobId)
      expect(job).toMatchObject({ state: 'scheduled', attempt: 0 })
      await store.clock.advance(999)
      expect(await take(store), `before the token of job ${index + 1}`).toEqual([])
      await store.clock.advance(2)
      expect(await take(store)).toMatchObject([{ jobId, attempt: 1 }])
    }
    await expectHealthy(store)
  })

  it('is counted by target, else key, else subject', async () => {
    const store = await limited(policy, driver)
    await store.enqueueMany([
      { queue: 'q', kind: 'k', target: 'x', key: '1' },
      { queue: 'q', kind: 'k', target: 'x', key: '2' },
      { queue: 'q', kind: 'k', key: 'x' },
      { queue: 'q', kind: 'k', key: 'y', subject: 'z' },
      { queue: 'q', kind: 'k', subject: 'z' },
      { queue: 'q', kind: 'k', subject: 'z' },
    ])
    const claimed = await take(store)
    expect(claimed.map(({ key, subject }) => [key, subject])).toEqual([
      ['1', null],
      ['y', 'z'],
      [null, 'z'],
    ])
  })

  it('puts what comes new behind what waits for its token already', async () => {
    const store = await limited(policy, driver)
    const before = await fill(store, 3, { target: 'a' })
    await take(store)
    await store.clock.advance(500)
    const [late] = await fill(store, 1, { target: 'a' })
    const order: number[] = []
    for (let n = 0; n < 12; n += 1) {
      order.push(...(await take(store)).map(({ jobId }) => jobId))
      await store.clock.advance(501)
    }
    expect(order).toEqual([...before.slice(1), late])
  })

  it('gives up places in line that were canceled', async () => {
    const store = await limited(policy, driver)
    const a = await fill(store, 100, { target: 'a' })
    await take(store)
    for (const jobId of a.slice(1)) await store.commands.cancel(jobId)
    await store.clock.advance(6_001)
    const [next] = await fill(store, 1, { target: 'a' })
    expect(await take(store)).toMatchObject([{ jobId: next }])
  })

  it('a flood of one key does not hide the others, and is moved once', async () => {
    const store = await limited(policy, driver)
    await fill(store, 1_000, { target: 'flood' })
    await fill(store, 1_000, { target: 'flood' })
    for (const target of ['x', 'y', 'z']) await fill(store, 1, { target })
    const claimed = (await take(store, 10)).map(({ target }) => target)
    expect(claimed).toEqual(['flood', 'x', 'y', 'z'])
    for (let n = 0; n < 3; n += 1) {
      await store.clock.advance(1_001)
      expect(await take(store, 10)).toHaveLength(1)
    }
    const [moved] = await store.database.query<{ n: number }>(
      "select sum(cardinality(job_ids))::int as n from holdfast.event where type = 'held_back'",
    )
    expect(moved?.n).toBe(1_999)
  })

  it('a claim by id of a key without a token delays the job instead', async () => {
    const store = await limited(policy, driver)
    const [one, two] = (await fill(store, 2, { target: 'a' })) as [number, number]
    expect(await store.work.claimById(one, { worker: 'w' })).toBeDefined()
    expect(await store.work.claimById(two, { worker: 'w' })).toBeUndefined()
    expect(await store.read.job(two)).toMatchObject({ state: 'scheduled', attempt: 0 })
    await store.clock.advance(1_001)
    expect(await store.work.claimById(two, { worker: 'w' })).toMatchObject({ jobId: two, attempt: 1 })
    await expectHealthy(store)
  })

  it('buckets that are full again are forgotten, the others not', async () => {
    const store = await limited({ ...policy, rateLimit: 2 }, driver)
    await fill(store, 1, { target: 'a' })
    await take(store)
    await store.clock.advance(499)
    await fill(store, 1, { target: 'b' })
    await take(store)
    await store.clock.advance(2)
    await store.database.query('select holdfast.prune_records()')
    expect(await store.database.query('select key from holdfast.rate')).toEqual([{ key: 'b' }])
  })
})

describe('a rate for each key, under eight sessions', () => {
  it('holds in every window of every key, keeps targets in line, and all jobs run', async () => {
    const store = await limited({
      rateLimit: 5,
      ratePeriodMs: 1_000,
      rateBurst: 2,
      ratePerKey: true,
      serializeTargets: true,
      maxRunningPerTarget: 50,
    })
    const targets = ['a', 'b', 'c', 'd']
    for (const target of targets) await fill(store, 40, { target })
    const sessions = await openSessions(store, 8)
    const random = seeded(5)
    for (let n = 0; (await startsOf(store)).length < 160; n += 1) {
      expect(n, 'rounds').toBeLessThan(400)
      await Promise.all(sessions.map((session) => take(session, 1 + Math.floor(random() * 8))))
      await store.clock.advance(Math.floor(random() * 400))
    }
    for (const target of targets) expectWithinRate(await startsOf(store, target), 2, 5 / 1_000)
    await expectHealthy(store)
  })
})
