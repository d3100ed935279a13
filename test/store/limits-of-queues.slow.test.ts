/** How many jobs run at once: per queue, per tenant, over all sessions; never one more, and as many as there may be. */
import type { ClaimedJob, Policy, Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { type HandSession, openSession, openSessions, seeded } from '../support/sessions.js'
import { expectHealthy, freshStore, pinnedStore } from '../support/world.js'

const LEASE_MS = 600_000
const take = (store: Store, queues: string[], limit = 100, tenant = 'default') =>
  store.work.claim({ worker: 'w', queues, limit, leaseMs: LEASE_MS, tenant })
const succeed = (store: Store, jobs: readonly ClaimedJob[]) =>
  store.work.finish(jobs.map((job) => ({ ...job, outcome: 'succeeded' as const })))

function jobs(queue: string, count: number) {
  return Array.from({ length: count }, () => ({ queue, kind: 'k' }))
}

async function running(store: Store, queues: readonly string[]): Promise<number> {
  const [row] = await store.database.query<{ n: number }>(
    `select count(*)::int as n from holdfast.running r join holdfast.queue q on q.id = r.queue_id where q.name = any ($1)`,
    [queues],
  )
  return row?.n ?? 0
}

interface Crowd {
  readonly queues: string[]
  readonly total: number
  /** Groups of queues whose running jobs are counted together, and the most there may be. */
  readonly watched: readonly { queues: string[]; most: number }[]
  readonly tenant?: string
}

/** Eight sessions claim and finish at random until all is done; answers the most that was seen of each watched group. */
async function crowd(store: Store, { queues, total, watched, tenant = 'default' }: Crowd): Promise<number[]> {
  const seen = watched.map(() => 0)
  let done = 0
  const work = async (session: HandSession, seed: number) => {
    const random = seeded(seed)
    let mine: ClaimedJob[] = []
    while (done < total) {
      mine.push(...(await take(session, queues, 1 + Math.floor(random() * 6), tenant)))
      for (const [index, group] of watched.entries()) {
        const count = await running(session, group.queues)
        expect(count).toBeLessThanOrEqual(group.most)
        seen[index] = Math.max(seen[index] ?? 0, count)
      }
      const ending = mine.filter(() => random() < 0.5)
      if (ending.length === 0) continue
      mine = mine.filter((job) => !ending.includes(job))
      await succeed(session, ending)
      done += ending.length
    }
  }
  await Promise.all((await openSessions(store, 8)).map((session, index) => work(session, 1 + index)))
  return seen
}

describe('eight sessions that claim and finish at random', () => {
  it('never run more of a queue than its limit, and reach it', async () => {
    const store = await freshStore()
    await store.queues.create('q', { policy: { maxRunning: 7 } })
    await store.enqueueMany(jobs('q', 300))
    expect(await crowd(store, { queues: ['q'], total: 300, watched: [{ queues: ['q'], most: 7 }] })).toEqual([
      7,
    ])
    await expectHealthy(store)
  })

  it('never run more of a tenant than its limit over all its queues, and reach it', async () => {
    const store = await freshStore()
    await store.tenants.setLimits('acme', { maxRunning: 6 })
    const queues = ['a', 'b', 'c']
    await store.enqueueMany(
      queues.flatMap((queue) => jobs(queue, 80)),
      { tenant: 'acme' },
    )
    const seen = await crowd(store, { queues, total: 240, watched: [{ queues, most: 6 }], tenant: 'acme' })
    expect(seen).toEqual([6])
    await expectHealthy(store)
  })

  it('keep both, the limit of a queue and that of its tenant', async () => {
    const store = await freshStore()
    await store.tenants.setLimits('acme', { maxRunning: 5 })
    await store.queues.create('a', { policy: { maxRunning: 2 }, tenant: 'acme' })
    await store.enqueueMany([...jobs('a', 60), ...jobs('b', 150)], { tenant: 'acme' })
    const watched = [
      { queues: ['a'], most: 2 },
      { queues: ['a', 'b'], most: 5 },
    ]
    expect(await crowd(store, { queues: ['a', 'b'], total: 210, watched, tenant: 'acme' })).toEqual([2, 5])
    await expectHealthy(store)
  })
})

describe('a slot is free again', () => {
  async function full(policy: Partial<Policy> = {}) {
    const store = await pinnedStore()
    await store.queues.create('q', { policy: { maxRunning: 2, ...policy } })
    await store.enqueueMany(jobs('q', 6))
    const taken = await store.work.claim({ worker: 'w', queues: ['q'], limit: 10, leaseMs: 30_000 })
    expect(taken).toHaveLength(2)
    expect(await take(store, ['q'])).toEqual([])
    return { store, taken }
  }

  it('when a job succeeds, fails, is released or is snoozed', async () => {
    const { store, taken } = await full({ retryBaseMs: 1_000 })
    let held = taken
    for (const outcome of ['succeeded', 'failed', 'released', 'snoozed'] as const) {
      await store.work.finish([{ ...(held[0] as ClaimedJob), outcome, delayMs: 1_000 }])
      const next = await take(store, ['q'])
      expect(next, outcome).toHaveLength(1)
      held = [...held.slice(1), ...next]
    }
    await expectHealthy(store)
  })

  it('when a worker loses its lease, and not before', async () => {
    const { store } = await full()
    await store.clock.advance(29_999)
    expect(await take(store, ['q'])).toEqual([])
    await store.clock.advance(2)
    expect(await take(store, ['q'])).toHaveLength(2)
    await expectHealthy(store)
  })

  it('when a canceled job stops, and not when it is asked to', async () => {
    const { store, taken } = await full()
    const [job] = taken as [ClaimedJob]
    await store.commands.cancel(job.jobId)
    expect(await take(store, ['q'])).toEqual([])
    await store.work.finish([{ ...job, outcome: 'canceled' }])
    expect(await take(store, ['q'])).toHaveLength(1)
    await expectHealthy(store)
  })
})

describe('a claim by id', () => {
  it('keeps the limit of the queue and of the tenant, and counts', async () => {
    const store = await pinnedStore()
    await store.queues.create('q', { policy: { maxRunning: 1 } })
    const [one, two] = (await store.enqueueMany(jobs('q', 3))).map(({ jobId }) => jobId) as [number, number]
    const first = await store.work.claimById(two, { worker: 'w' })
    expect(first).toMatchObject({ jobId: two, attempt: 1 })
    expect(await store.work.claimById(one, { worker: 'w' })).toBeUndefined()
    expect(await take(store, ['q'])).toEqual([])
    await store.queues.setPolicy('q', { maxRunning: null })
    await store.tenants.setLimits('default', { maxRunning: 1 })
    expect(await store.work.claimById(one, { worker: 'w' })).toBeUndefined()
    await succeed(store, [first as ClaimedJob])
    expect(await store.work.claimById(one, { worker: 'w' })).toMatchObject({ jobId: one })
    await expectHealthy(store)
  })
})

describe('a limit changed at run time', () => {
  it('counts what was claimed before there was one', async () => {
    const store = await pinnedStore()
    await store.enqueueMany(jobs('q', 10))
    const before = await take(store, ['q'], 3)
    await store.queues.setPolicy('q', { maxRunning: 3 })
    expect(await take(store, ['q'])).toEqual([])
    await store.queues.setPolicy('q', { maxRunning: 5 })
    expect(await take(store, ['q'])).toHaveLength(2)
    await store.queues.setPolicy('q', { maxRunning: 3 })
    await succeed(store, before.slice(0, 2))
    expect(await take(store, ['q'])).toEqual([])
    await succeed(store, before.slice(2))
    expect(await take(store, ['q'])).toHaveLength(1)
  })

  it('of a tenant does too, goes for queues made later, and is lifted by null', async () => {
    const store = await pinnedStore()
    await store.enqueueMany(jobs('a', 5))
    await take(store, ['a'], 2)
    await store.tenants.setLimits('default', { maxRunning: 3 })
    await store.enqueueMany(jobs('b', 5))
    expect(await take(store, ['b', 'a'])).toHaveLength(1)
    await store.tenants.setLimits('default', { maxRunning: null })
    expect(await take(store, ['a', 'b'])).toHaveLength(7)
  })
})

describe('a job that waits because of a limit', () => {
  it.each([
    ['queue_full', { maxRunning: 1 }, null, { running: 1, max_running: 1 }],
    ['tenant_full', {}, 1, { running: 1, max_running: 1 }],
    ['rate_reached', { rateLimit: 1, ratePeriodMs: 5_000 }, null, {}],
  ])('is told so: %s', async (code, policy, tenantMax, data) => {
    const store = await pinnedStore()
    await store.tenants.setLimits('default', { maxRunning: tenantMax })
    await store.queues.create('q', { policy })
    const [, second] = (await store.enqueueMany(jobs('q', 2))).map(({ jobId }) => jobId)
    expect(await store.read.explain(second as number)).toMatchObject([
      { code: 'behind', blocking: false },
      { code: 'no_worker', blocking: false },
    ])
    await take(store, ['q'])
    expect(await store.read.explain(second as number)).toMatchObject([{ code, blocking: true, data }])
  })
})

describe('queues without a limit', () => {
  it('are claimed while the row of a limited queue is locked; that one is left out, not waited for', async () => {
    const store = await freshStore()
    await store.queues.create('narrow', { policy: { maxRunning: 5 } })
    await store.enqueueMany([...jobs('narrow', 5), ...jobs('free', 5)])
    const other = await openSession(store)
    await other.begin()
    expect(await other.work.claim({ worker: 'other', queues: ['narrow'] })).toHaveLength(1)
    const free = await store.queues.get('free')
    expect((await take(store, ['narrow', 'free'])).map(({ queueId }) => queueId)).toEqual(
      Array(5).fill(free.id),
    )
    await other.commit()
    expect(await take(store, ['narrow', 'free'])).toHaveLength(4)
  })

  it('are claimed while their own row is locked', async () => {
    const store = await freshStore()
    await store.enqueueMany(jobs('free', 2))
    const other = await openSession(store)
    await other.begin()
    await other.database.query("select from holdfast.queue where name = 'free' for update")
    expect(await take(store, ['free'])).toHaveLength(2)
    await other.rollback()
  })

  it('get their share when many limited ones are full of work, and the limited ones get what is left', async () => {
    const store = await freshStore()
    const limited = Array.from({ length: 10 }, (_, n) => `limited${n}`)
    for (const name of limited) await store.queues.create(name, { policy: { maxRunning: 1_000 } })
    await store.enqueueMany([...limited.flatMap((name) => jobs(name, 90)), ...jobs('free', 90)])
    const ids = await store.queues.ids(['free', ...limited])
    const of = (claimed: ClaimedJob[]) =>
      ids.map((id) => claimed.filter(({ queueId }) => queueId === id).length)
    expect(of(await take(store, ['free', ...limited], 80))).toEqual([10, 10, 10, 10, 10, 10, 10, 10, 0, 0, 0])
    expect(of(await take(store, [...limited.slice(5), 'free'], 80))).toEqual([
      10, 0, 0, 0, 0, 0, 14, 14, 14, 14, 14,
    ])
    expect(await take(store, ['empty', 'limited9'], 60)).toHaveLength(60)
  })
})
