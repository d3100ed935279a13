import { expect, it } from 'vitest'
import { onEachDriver, pinnedStore } from '../../support/world.js'

onEachDriver('depth', (driver) => {
  it('counts what could be claimed now, over the queues asked for and up to the most', async () => {
    const store = await pinnedStore(driver)
    await store.enqueueMany([
      ...Array.from({ length: 5 }, () => ({ queue: 'a', kind: 'k' })),
      ...Array.from({ length: 3 }, () => ({ queue: 'b', kind: 'k' })),
      { queue: 'c', kind: 'k' },
      { queue: 'a', kind: 'k', delayMs: 1_000 },
      { queue: 'a', kind: 'k', pending: true },
    ])
    expect(await store.work.depth(['a', 'b'])).toBe(8)
    expect(await store.work.depth(['a', 'b'], 6)).toBe(6)
    expect(await store.work.depth(['b', 'c', 'unheard-of'])).toBe(4)
    await store.work.claim({ worker: 'w', queues: ['a'], limit: 4 })
    expect(await store.work.depth(['a', 'b'])).toBe(4)
    await store.queues.pause('b')
    expect(await store.work.depth(['a', 'b'])).toBe(1)
  })

  it('asks the queues of one tenant', async () => {
    const store = await pinnedStore(driver)
    await store.enqueue({ queue: 'a', kind: 'k' }, { tenant: 'bolt' })
    expect(await store.work.depth(['a'])).toBe(0)
    expect(await store.work.depth(['a'], undefined, 'bolt')).toBe(1)
  })
})
