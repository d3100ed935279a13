// How much of the alerts one tenant can have.
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { SETTINGS } from '../../../src/domain/settings.js'
import { nextCheck, withoutWaiting } from '../../support/alerts/alert-world.js'
import { pinnedStore, type World } from '../../support/world.js'

async function world(): Promise<World> {
  const store = await pinnedStore()
  await withoutWaiting(store)
  await store.settings.set('ALERT_DEPTH_JOBS', 0)
  for (const tenant of ['a', 'b', 'default'])
    for (const rule of ['no_worker', 'oldest_ready'])
      await store.alerts.setRule(rule, { enabled: false }, { tenant })
  return store
}

const queues = async (store: Store, tenant: string, from: number, to: number) => {
  for (let n = from; n <= to; n++)
    await store.enqueue({ queue: `q${String(n).padStart(3, '0')}`, kind: 'k' }, { tenant })
}
const standing = async (store: Store, tenant: string) =>
  (await store.alerts.list({ tenant, state: 'firing', limit: 500 })).length

it('6.15 a tenant has ALERTS_PER_TENANT alerts at once and no more, and takes no other tenant’s place', async () => {
  const store = await world()
  await store.settings.set('ALERTS_PER_TENANT', 3)
  await queues(store, 'a', 1, 2)
  await nextCheck(store)
  expect(await standing(store, 'a')).toBe(2)
  await queues(store, 'a', 3, 3)
  await nextCheck(store)
  expect(await standing(store, 'a')).toBe(3)
  // One more, which comes before the others by name: those that stand stay.
  await store.enqueue({ queue: 'a-first', kind: 'k' }, { tenant: 'a' })
  await queues(store, 'b', 1, 1)
  await nextCheck(store)
  expect(
    (await store.alerts.list({ tenant: 'a', state: 'firing' })).map(({ subject }) => subject).sort(),
  ).toEqual(['q001', 'q002', 'q003'])
  expect(await standing(store, 'b')).toBe(1)
  // When one has cleared there is room.
  await store.work.claim({ worker: 'w', queues: ['q001'], tenant: 'a' })
  await nextCheck(store)
  await nextCheck(store)
  expect(
    (await store.alerts.list({ tenant: 'a', state: 'firing' })).map(({ subject }) => subject).sort(),
  ).toEqual(['a-first', 'q002', 'q003'])
})

it('6.15 a tenant has 500 rules of its own at most', async () => {
  const store = await world()
  const [row] = await store.database.query<{ n: number }>(
    `select count(*)::int as n from holdfast.alert_rule where tenant = 'a'`,
  )
  await store.database.query(
    `insert into holdfast.alert_rule (tenant, rule, subject, threshold, updated_at)
       select 'a', 'depth', 's' || i, 1, holdfast.now() from generate_series(1, 499 - $1::int) i`,
    [row?.n],
  )
  const set = (subject: string, threshold: number | null) =>
    store.alerts.setRule('depth', { threshold }, { tenant: 'a', subject })
  await set('last', 5)
  await expect(set('more', 5)).rejects.toMatchObject({
    code: 'limit_exceeded',
    details: { limit: 'alertRulesMax', max: 500 },
  })
  // One that is there can be changed, and taken back; then there is room.
  await set('last', 6)
  await set('last', null)
  await set('more', 5)
  await store.alerts.setRule('depth', { threshold: 5 }, { tenant: 'b', subject: 'x' })
})

it('6.15 one tenant’s hundreds of alerts leave every other tenant its own', async () => {
  const store = await world()
  expect(SETTINGS.ALERTS_PER_TENANT.default).toBe(100)
  await queues(store, 'a', 1, 101)
  await queues(store, 'b', 1, 2)
  await nextCheck(store)
  expect([await standing(store, 'a'), await standing(store, 'b')]).toEqual([100, 2])
})
