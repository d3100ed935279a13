/** What a rate does when the clock of the database goes back: jobs go on, and no more of them than before. */
import type { Policy, Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { expectHealthy, onEachDriver, pinnedStore } from '../support/world.js'

const HOUR = 3_600_000

const take = async (store: Store) =>
  (await store.work.claim({ worker: 'w', queues: ['q'], limit: 100, leaseMs: 24 * HOUR })).length

onEachDriver('a rate, when the clock of the database goes back', (driver) => {
  it.each<[of: string, policy: Partial<Policy>]>([
    ['a queue', { ratePerKey: false }],
    ['a key', { ratePerKey: true }],
  ])('6.12 the jobs of %s go on at its rate, whatever was left in the bucket', async (_of, policy) => {
    for (const used of [4, 1]) {
      const store = await pinnedStore(driver)
      await store.queues.create('q', {
        policy: { serializeTargets: false, rateLimit: 4, ratePeriodMs: 1_000, ...policy },
      })
      const fill = (count: number) =>
        store.enqueueMany(Array.from({ length: count }, () => ({ queue: 'q', kind: 'k', target: 't' })))
      await fill(used)
      expect(await take(store)).toBe(used)
      await store.clock.advance(-HOUR)
      await fill(20)
      expect(await take(store), 'what was left').toBe(4 - used)
      await store.clock.advance(249)
      expect(await take(store)).toBe(0)
      await store.clock.advance(2)
      expect(await take(store)).toBe(1)
      await store.clock.advance(500)
      expect(await take(store)).toBe(2)
      await store.clock.advance(HOUR)
      expect(await take(store), 'never more than the burst').toBe(4)
      await expectHealthy(store)
    }
  })

  it('6.12 a key whose tokens were promised goes on as well', async () => {
    const store = await pinnedStore(driver)
    await store.queues.create('q', {
      policy: { serializeTargets: false, rateLimit: 1, ratePeriodMs: 1_000, ratePerKey: true },
    })
    const fill = (count: number) =>
      store.enqueueMany(Array.from({ length: count }, () => ({ queue: 'q', kind: 'k', target: 't' })))
    await fill(5)
    expect(await take(store)).toBe(1)
    await store.clock.advance(-HOUR)
    await fill(1)
    expect(await take(store)).toBe(0)
    await store.clock.advance(1_001)
    expect(await take(store)).toBe(1)
  })
})
