/** A worker's lease is swept whole or not at all: once a sweep has taken one job of it, it can never be renewed. */
import type { ClaimedJob, Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { openSession, race } from '../../support/sessions.js'
import { expectHealthy, pinnedStore, type World } from '../../support/world.js'

const LEASE_MS = 10_000
const PAGE = 100

interface Held {
  readonly lease: number
  readonly jobs: ClaimedJob[]
}

/** A worker that holds this many jobs under its lease, each of a target of its own. */
async function holding(store: Store, count: number, worker = 'first'): Promise<Held> {
  const news = Array.from({ length: count }, (_none, n) => ({
    queue: 'q',
    kind: 'k',
    target: `${worker} ${n}`,
  }))
  await store.enqueueMany(news)
  const { lease } = await store.work.openLease(worker, LEASE_MS)
  const jobs = await store.work.claim({ worker, lease, queues: ['q'], limit: count })
  expect(jobs).toHaveLength(count)
  return { lease, jobs }
}

const claimAs = async (store: Store, worker: string, limit: number) => {
  const { lease } = await store.work.openLease(worker, 10 * LEASE_MS)
  return store.work.claim({ worker, lease, queues: ['q'], limit })
}

async function stillHeld(store: Store, lease: number): Promise<number> {
  const [row] = await store.database.query<{ n: number }>(
    'select count(*)::int as n from holdfast.running where lease = $1',
    [lease],
  )
  return row?.n as number
}

const aliveIs = (alive: boolean) => [expect.objectContaining({ alive })]
const sweep = (limit: number) => (session: Store) =>
  session.database.query('select holdfast.reclaim($1)', [limit])
const renew =
  ({ lease }: Held) =>
  (session: Store) =>
    session.work.renew([lease])

describe('a lease that is swept in part', () => {
  it('6.03 a lease that a sweep has touched is never renewed', async () => {
    const store = await pinnedStore()
    const first = await holding(store, 3 * PAGE)
    await store.clock.advance(LEASE_MS + 1)
    const taken = await claimAs(store, 'second', PAGE)
    expect(taken).toHaveLength(PAGE)
    expect(await stillHeld(store, first.lease)).toBe(2 * PAGE)

    expect(await store.work.renew([first.lease])).toMatchObject([{ alive: false, expiresAt: null }])
    expect(await store.work.renew([first.lease])).toMatchObject([{ alive: false }])
    await store.enqueue({ queue: 'other', kind: 'k' })
    const more = { worker: 'first', lease: first.lease, queues: ['other'] }
    await expect(store.work.claim(more)).rejects.toMatchObject({ code: 'lease_gone' })
    expect(await store.work.releaseUnlisted(first.lease, [], 0)).toBe(0)

    expect(await claimAs(store, 'third', 3 * PAGE)).toHaveLength(2 * PAGE)
    expect(await stillHeld(store, first.lease)).toBe(0)
    expect(await store.database.query('select id from holdfast.lease where id = $1', [first.lease])).toEqual(
      [],
    )
    await expectHealthy(store)
  })

  it('6.03 a job of it that no sweep has taken yet has no other owner: its late report and finish are accepted', async () => {
    const store = await pinnedStore()
    const first = await holding(store, 3 * PAGE)
    await store.clock.advance(LEASE_MS + 1)
    const again = new Set((await claimAs(store, 'second', PAGE)).map(({ jobId }) => jobId))
    const taken = first.jobs.find(({ jobId }) => again.has(jobId)) as ClaimedJob
    const left = first.jobs.find(({ jobId }) => !again.has(jobId)) as ClaimedJob
    expect(await store.work.report({ ...left, items: [1], cursor: 2 })).toMatchObject({
      newItems: 1,
      expiresAt: null,
    })
    await expect(store.work.report({ ...taken, items: [1] })).rejects.toMatchObject({ code: 'lease_lost' })
    const endings = [taken, left].map((job) => ({ ...job, outcome: 'succeeded' as const }))
    expect(await store.work.finish(endings)).toMatchObject([{ accepted: false }, { accepted: true }])
    expect(await store.work.renew([first.lease])).toEqual(aliveIs(false))
    await expectHealthy(store)
  })

  it('6.03 a job of it that was claimed by its id ends it as well', async () => {
    const store = await pinnedStore()
    const first = await holding(store, 3)
    await store.clock.advance(LEASE_MS + 1)
    const [{ jobId }] = first.jobs as [ClaimedJob]
    const mine = await store.work.openLease('second', LEASE_MS)
    const again = await store.work.claimById(jobId, { worker: 'second', lease: mine.lease })
    expect(again).toMatchObject({ jobId, attempt: 2 })
    expect(await store.work.renew([first.lease])).toEqual(aliveIs(false))
    expect(await claimAs(store, 'third', 10)).toHaveLength(2)
    await expectHealthy(store)
  })

  it('6.03 it stays ended, and the rest of it is taken back, when the clock steps back', async () => {
    const store = await pinnedStore()
    const first = await holding(store, 3)
    const before = await store.clock.now()
    await store.clock.advance(60 * LEASE_MS)
    expect(await store.upkeep.reclaim(1)).toBe(1)
    await store.clock.set(before)
    expect(await store.work.renew([first.lease])).toEqual(aliveIs(false))
    const left = await store.database.query<{ id: number }>('select job_id as id from holdfast.running')
    for (const { id } of left)
      expect(await store.read.explain(id)).toContainEqual(expect.objectContaining({ code: 'lease_over' }))
    expect(await claimAs(store, 'second', 10)).toHaveLength(3)
    expect(await stillHeld(store, first.lease)).toBe(0)
    await expectHealthy(store)
  })

  it('6.03 a lease whose jobs no sweep has touched is renewed, also past its time', async () => {
    const store = await pinnedStore()
    const held = [await holding(store, PAGE, 'a'), await holding(store, PAGE, 'b')]
    await store.clock.advance(LEASE_MS + 1)
    await claimAs(store, 'second', PAGE)
    for (const { lease } of held) {
      const isWhole = (await stillHeld(store, lease)) === PAGE
      expect(await store.work.renew([lease])).toEqual(aliveIs(isWhole))
    }
    await expectHealthy(store)
  })

  it('6.03 closing it gives back what is left of it and had not begun, uncharged', async () => {
    const store = await pinnedStore()
    const first = await holding(store, 3)
    await store.clock.advance(LEASE_MS + 1)
    await store.upkeep.reclaim(1)
    expect(await store.work.closeLease(first.lease, 'lease given up', [])).toBe(2)
    const outcomes = await store.database.query<{ outcome: string; n: number }>(
      'select outcome::text, count(*)::int as n from holdfast.attempt group by 1 order by 1',
    )
    expect(outcomes).toEqual([
      { outcome: 'lost', n: 1 },
      { outcome: 'released', n: 2 },
    ])
    await expectHealthy(store)
  })
})

describe('a sweep that meets others', () => {
  async function expired(count: number): Promise<{ store: World; first: Held }> {
    const store = await pinnedStore()
    const first = await holding(store, count)
    await store.clock.advance(LEASE_MS + 1)
    return { store, first }
  }

  it('6.03 rows that are locked are skipped, and the lease has ended all the same', async () => {
    const { store, first } = await expired(3)
    const [locked] = first.jobs as [ClaimedJob]
    const psql = await openSession(store)
    await psql.begin()
    await psql.commands.cancel(locked.jobId)
    expect(await store.upkeep.reclaim()).toBe(2)
    await psql.rollback()
    expect(await store.work.renew([first.lease])).toEqual(aliveIs(false))
    expect(await store.work.finish([{ ...locked, outcome: 'succeeded' }])).toMatchObject([
      { accepted: true, state: 'succeeded' },
    ])
    await store.upkeep.reclaim()
    expect(await store.database.query('select id from holdfast.lease where id = $1', [first.lease])).toEqual(
      [],
    )
    await expectHealthy(store)
  })

  it('6.03 a sweep that could take nothing, because every row was locked, leaves the lease alone', async () => {
    const { store, first } = await expired(1)
    const psql = await openSession(store)
    await psql.begin()
    await psql.commands.cancel((first.jobs[0] as ClaimedJob).jobId)
    expect(await store.upkeep.reclaim()).toBe(0)
    await psql.rollback()
    expect(await store.work.renew([first.lease])).toEqual(aliveIs(true))
  })

  it('6.03 a renewal behind a sweep waits for it and is refused', async () => {
    const { store, first } = await expired(3)
    const met = await race(store, sweep(1), renew(first))
    expect(met).toMatchObject({ second: [{ alive: false }], waited: true })
    await expectHealthy(store)
  })

  it('6.03 a renewal behind a sweep that rolls back goes through', async () => {
    const { store, first } = await expired(3)
    const met = await race(store, sweep(1), renew(first), { end: 'rollback' })
    expect(met).toMatchObject({ second: [{ alive: true }], waited: true })
    expect(await store.upkeep.reclaim()).toBe(0)
  })

  it('6.03 a sweep behind a renewal leaves the lease alone', async () => {
    const { store, first } = await expired(3)
    const met = await race(store, renew(first), sweep(1))
    expect(met).toMatchObject({ first: [{ alive: true }], waited: false })
    expect(await stillHeld(store, first.lease)).toBe(3)
  })
})
