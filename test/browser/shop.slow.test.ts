import { expect, it } from 'vitest'
import { fillShop } from '../support/shop/shop.js'
import { expectHealthy, pinnedStore } from '../support/world.js'

it('the shop of the browser tests has what the pages must show', async () => {
  const store = await pinnedStore()
  const shop = await fillShop(store, store.clock)
  const states = [shop.blocked, shop.behind[0] as number, shop.running, shop.failed, shop.unserved]
  expect(await Promise.all(states.map(async (id) => (await store.read.job(id)).state))).toEqual([
    ...['errored', 'waiting', 'running', 'failed', 'queued'],
  ])
  const firing = await store.alerts.list({ state: 'firing' })
  expect(firing.map(({ subject }) => subject)).toEqual(
    expect.arrayContaining(['sync-contacts', 'reports/nightly-report']),
  )
  const alive = (await store.workers.list()).map(({ worker, alive }) => [worker, alive])
  expect(Object.fromEntries(alive)).toMatchObject({ 'billing-1': true, 'images-1': false })
  expect((await store.schedules.get('sync-contacts')).lateMs).toBeGreaterThan(600_000)
  await expectHealthy(store)
})
