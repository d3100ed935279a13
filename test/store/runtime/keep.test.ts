/** The claim whose reply was lost: the worker renews the lease and does not know of the jobs under it. */
import type { ClaimedJob, Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { race } from '../../support/sessions.js'
import { expectHealthy, onEachDriver, pinnedStore, type World } from '../../support/world.js'

const GRACE_MS = 5_000

interface Scene {
  readonly store: World
  readonly lease: number
  readonly known: ClaimedJob
  readonly unknown: ClaimedJob
}

/** Two jobs under a lease; of the second the worker has never heard. */
async function replyLost(store: World, preset: 'default' | 'target' = 'default'): Promise<Scene> {
  await store.queues.create('q', { preset })
  await store.enqueueMany([
    { queue: 'q', kind: 'k', target: 'one' },
    { queue: 'q', kind: 'k', target: 'two' },
  ])
  const { lease } = await store.work.openLease('w', 60_000)
  const claim = () => store.work.claim({ worker: 'w', queues: ['q'], lease })
  const [known] = await claim()
  const [unknown] = await claim()
  return { store, lease, known: known as ClaimedJob, unknown: unknown as ClaimedJob }
}

const keep = ({ lease, known }: Scene) => {
  return (session: Store) => session.work.releaseUnlisted(lease, [known], GRACE_MS)
}

onEachDriver('keep', (driver) => {
  it('releases what its worker does not know of, uncharged and in its old place, and nothing else', async () => {
    const scene = await replyLost(await pinnedStore(driver))
    const { store, known, unknown } = scene
    await store.clock.advance(GRACE_MS)
    expect(await keep(scene)(store)).toBe(1)
    expect(await store.read.job(unknown.jobId)).toMatchObject({ state: 'queued', failures: 0, losses: 0 })
    expect(await store.read.attempts(unknown.jobId)).toMatchObject([
      { outcome: 'released', movedTo: 'queued', reason: 'claim reply lost' },
    ])
    expect(await store.read.job(known.jobId)).toMatchObject({ state: 'assigned', attempt: 1 })
    expect(await keep(scene)(store)).toBe(0)
    await expectHealthy(store)
  })

  it('leaves alone what was claimed a moment ago, because its reply may still be on its way', async () => {
    const scene = await replyLost(await pinnedStore(driver))
    await scene.store.clock.advance(GRACE_MS - 1)
    expect(await keep(scene)(scene.store)).toBe(0)
    expect(await scene.store.read.job(scene.unknown.jobId)).toMatchObject({ state: 'assigned' })
  })

  it('pauses nothing, also where interrupted work is paused: the job has never begun', async () => {
    const scene = await replyLost(await pinnedStore(driver), 'target')
    const { store, unknown } = scene
    await store.clock.advance(GRACE_MS)
    expect(await keep(scene)(store)).toBe(1)
    expect(await store.read.job(unknown.jobId)).toMatchObject({ state: 'queued', interruptions: 1 })
    await expectHealthy(store)
  })

  it('refuses the write of a claim it has released', async () => {
    const scene = await replyLost(await pinnedStore(driver))
    const { store, unknown } = scene
    await store.clock.advance(GRACE_MS)
    await keep(scene)(store)
    expect(await store.work.finish([{ ...unknown, outcome: 'succeeded' }])).toMatchObject([
      { accepted: false },
    ])
  })

  it('does nothing for a lease that is gone', async () => {
    const store = await pinnedStore(driver)
    expect(await store.work.releaseUnlisted(77, [], 0)).toBe(0)
  })
})

describe('keep, met by others', () => {
  it('a job whose end is on its way is left to its finish', async () => {
    const scene = await replyLost(await pinnedStore())
    await scene.store.clock.advance(GRACE_MS)
    const finish = (session: Store) => session.work.finish([{ ...scene.unknown, outcome: 'succeeded' }])
    const met = await race(scene.store, finish, keep(scene))
    expect(met).toMatchObject({ first: [{ accepted: true }], second: 0, waited: false })
    await expectHealthy(scene.store)
  })

  it('a finish behind a keep is refused', async () => {
    const scene = await replyLost(await pinnedStore())
    await scene.store.clock.advance(GRACE_MS)
    const finish = (session: Store) => session.work.finish([{ ...scene.unknown, outcome: 'succeeded' }])
    const met = await race(scene.store, keep(scene), finish)
    expect(met).toMatchObject({ first: 1, second: [{ accepted: false }], waited: true })
    await expectHealthy(scene.store)
  })

  it('a claim on its way under the same lease is not seen, and not waited for, in either order', async () => {
    const scene = await replyLost(await pinnedStore())
    const { store, lease } = scene
    await store.enqueueMany([
      { queue: 'q', kind: 'k' },
      { queue: 'q', kind: 'k' },
    ])
    await store.clock.advance(GRACE_MS)
    const claim = (session: Store) => session.work.claim({ worker: 'w', queues: ['q'], lease })
    const before = await race(store, claim, keep(scene))
    expect(before).toMatchObject({ first: [{ attempt: 1 }], second: 1, waited: false })
    const after = await race(store, keep(scene), claim)
    expect(after).toMatchObject({ first: 0, second: [{ lease }], waited: false })
    await expectHealthy(store)
  })

  it('the sweep of the lease takes everything, whoever comes first', async () => {
    const scene = await replyLost(await pinnedStore())
    await scene.store.clock.advance(60_001)
    const reclaim = (session: Store) => session.upkeep.reclaim()
    const met = await race(scene.store, keep(scene), reclaim)
    expect(met).toMatchObject({ first: 1, waited: false })
    expect(await scene.store.upkeep.reclaim()).toBe(1)
    expect(await keep(scene)(scene.store)).toBe(0)
    await expectHealthy(scene.store)
  })
})
