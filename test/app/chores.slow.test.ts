// How chores are seen from elsewhere: last run, duration, rows, error, next due.
import type { Store } from 'holdfast/store'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ChoreRunner } from '../../src/app/chores/chore-runner.js'
import { startUpkeep } from '../../src/app/upkeep-loop.js'
import { freshStore, onEachDriver, pinnedStore, secondStore } from '../support/world.js'

const WAIT = { timeout: 100_000, interval: 20 }
const named = async (desk: ChoreRunner, name: string) =>
  (await desk.list()).find((each) => each.name === name)
const rename = (store: Store, from: string, to: string) =>
  store.database.script(`alter function holdfast.${from}(int) rename to ${to}`)

onEachDriver('chores', (driver) => {
  it('say when they ran last and are due next, how long they took, how much they did and on which node', async () => {
    const store = await pinnedStore(driver)
    const desk = new ChoreRunner(store)
    expect(await named(desk, 'promote')).toMatchObject({
      lastRunAt: null,
      nextDueAt: null,
      rows: null,
      runs: 0,
    })
    await store.enqueue({ queue: 'q', kind: 'k', delayMs: 1_000 })
    await desk.run('promote')
    await store.clock.advance(1_000)
    await desk.run('promote')
    const status = await named(desk, 'promote')
    const now = await store.clock.now()
    expect(status).toMatchObject({
      rows: 1,
      runs: 2,
      rowsTotal: 1,
      failures: 0,
      error: null,
      everyMs: 1_000,
      node: expect.stringMatching(/:\d+$/),
      durationMs: expect.toSatisfy((ms) => ms >= 0 && ms < 30_000),
    })
    const ran = status?.lastRunAt?.getTime() ?? 0
    expect(now.getTime() - ran).toBeLessThan(30_000)
    expect(status?.nextDueAt?.getTime()).toBe(ran + 1_000)
    expect(status?.lastChangeAt).toEqual(status?.lastRunAt)
  })

  it('keep the error of a pass that failed until one goes well', async () => {
    const store = await freshStore(driver)
    const desk = new ChoreRunner(store)
    await rename(store, 'count_minutes', 'rolled')
    await expect(desk.run('roll-up')).rejects.toThrow()
    expect(await named(desk, 'roll-up')).toMatchObject({
      failures: 1,
      error: 'The schema is not installed in this database.',
      failedAt: expect.any(Date),
    })
    await rename(store, 'rolled', 'count_minutes')
    await desk.run('roll-up')
    expect(await named(desk, 'roll-up')).toMatchObject({
      failures: 1,
      runs: 2,
      error: null,
      failedAt: expect.any(Date),
    })
  })
})

it('a chore that is not there is refused with the nearest name', async () => {
  const desk = new ChoreRunner(await freshStore())
  await expect(desk.run('prun')).rejects.toMatchObject({
    code: 'unknown_chore',
    details: { chore: 'prun', nearest: 'prune' },
  })
})

it('what the chores of one process do is seen from another', async () => {
  const store = await freshStore()
  const upkeep = startUpkeep(store)
  onTestFinished(() => upkeep.stop())
  const elsewhere = new ChoreRunner(await secondStore(store, 1))
  // Each is told of after ten seconds at the latest, though there is nothing to do.
  const untold = async () => (await elsewhere.list()).filter(({ runs }) => runs === 0).map(({ name }) => name)
  await vi.waitFor(async () => expect(await untold()).toEqual([]), WAIT)
})

it('an expired key is told of once, and forgotten after as long as calls are audited', async () => {
  const store = await pinnedStore()
  const expiresAt = new Date((await store.clock.now()).getTime() + 1_000)
  await store.keys.create({ name: 'short', scopes: ['read'], expiresAt })
  await store.keys.create({ name: 'long', scopes: ['read'] })
  expect(await store.upkeep.expireKeys()).toBe(0)
  await store.clock.advance(1_000)
  expect([await store.upkeep.expireKeys(), await store.upkeep.expireKeys()]).toEqual([1, 0])
  const { events } = await store.read.feed('all')
  expect(events.filter(({ type }) => type === 'key_expired')).toMatchObject([{ data: { name: 'short' } }])
  await store.clock.advance(90 * 86_400_000)
  expect(await store.upkeep.expireKeys()).toBe(0)
  await store.clock.advance(1)
  expect(await store.upkeep.expireKeys()).toBe(1)
  expect((await store.keys.list()).map(({ name }) => name)).toEqual(['long'])
})
