// A shutdown does not wait for a receiver: the call is broken off, and made again by whoever comes next.
import { expect, it } from 'vitest'
import { startUpkeep } from '../../src/app/upkeep-loop.js'
import type { WebhookOptions } from '../../src/webhooks/addresses.js'
import { Webhooks } from '../../src/webhooks/webhooks.js'
import { enqueue, nextCheck, withoutWaiting } from '../support/alerts/alert-world.js'
import { startReceiver, toThisMachine } from '../support/alerts/receiver.js'
import { type Driver, onEachDriver, pinnedStore } from '../support/world.js'

const WAIT = { timeout: 100_000, interval: 20 }

/** An alert that fires, and a webhook that has not been told yet. */
async function untold(url: string, webhooks: WebhookOptions, driver?: Driver) {
  const store = await pinnedStore(driver)
  await withoutWaiting(store)
  await store.settings.set('ALERT_DEPTH_JOBS', 0)
  const { id } = await new Webhooks(store, webhooks).add({ name: 'pager', url, rules: ['depth'] })
  await enqueue(store, 'a', 1)
  await nextCheck(store)
  return { store, delivery: async () => (await store.webhooks.deliveries(id))[0] }
}

it('a receiver that never answers does not keep upkeep from stopping; the delivery is made again later, and the attempt does not count', async () => {
  const receiver = await startReceiver()
  const webhooks = { allow: ['127.0.0.1'], ca: receiver.ca, lookup: toThisMachine }
  const { store, delivery } = await untold(receiver.url, webhooks)
  receiver.fallSilent()
  const first = startUpkeep(store, undefined, {}, webhooks)
  await expect.poll(() => receiver.received.length, WAIT).toBe(1)
  await first.stop()
  // Had anybody waited until the time for an answer was over, it would have failed once.
  expect(await delivery()).toMatchObject({ state: 'waiting', attempts: 0, status: null, error: null })

  receiver.answer(204)
  const second = startUpkeep(store, undefined, {}, webhooks)
  await expect.poll(async () => (await delivery())?.state, WAIT).toBe('delivered')
  await second.stop()
  expect(await delivery()).toMatchObject({ attempts: 1, status: 204 })
  const [before, after] = receiver.received.map(({ headers }) => headers['webhook-id'])
  expect(after).toBe(before)
})

it('nor does a name that nobody answers for, nor one that is asked about after the stop', async () => {
  let isAsked = false
  const lookup = () => {
    isAsked = true
    return new Promise<never>(() => {})
  }
  const { store, delivery } = await untold('https://hooks.example.test/', { lookup })
  const upkeep = startUpkeep(store, undefined, {}, { lookup })
  await expect.poll(() => isAsked, WAIT).toBe(true)
  await upkeep.stop()
  expect(await delivery()).toMatchObject({ state: 'waiting', attempts: 0 })
  const desk = new Webhooks(store, { lookup })
  expect(await desk.deliver(AbortSignal.abort())).toEqual({ arrived: 0, failed: 0 })
  expect(await delivery()).toMatchObject({ state: 'waiting', attempts: 0 })
})

onEachDriver('a delivery that is given back', (driver) => {
  it('is due at once with the attempts it had; who has lost it meanwhile gives back nothing', async () => {
    const { store, delivery } = await untold('https://example.com/hook', {}, driver)
    const [first] = await store.webhooks.take(20, 60_000)
    const id = first?.id as number
    await store.webhooks.settle(id, 1, { arrived: false, status: 500, error: 'x', retryMs: 10_000 })
    await store.clock.advance(10_000)
    expect(await store.webhooks.take(20, 60_000)).toMatchObject([{ id, attempt: 2 }])
    expect(await store.webhooks.giveBack(id, 1)).toBe(false)
    expect(await store.webhooks.giveBack(id, 2)).toBe(true)
    expect(await delivery()).toMatchObject({ state: 'waiting', attempts: 1, status: 500, error: 'x' })
    expect(await store.webhooks.giveBack(id, 2)).toBe(false)
    expect(await store.webhooks.take(20, 60_000)).toMatchObject([{ id, attempt: 2 }])
    await store.webhooks.settle(id, 2, { arrived: true, status: 204, error: null })
    expect(await store.webhooks.giveBack(id, 2)).toBe(false)
    expect(await delivery()).toMatchObject({ state: 'delivered', attempts: 2 })
  })
})
