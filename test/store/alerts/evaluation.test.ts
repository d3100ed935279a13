// How alerts come and go, whoever evaluates: once a tick, each transition once.
import { expect, it } from 'vitest'
import { enqueue, firing, nextCheck, typesOf, withoutWaiting } from '../../support/alerts/alert-world.js'
import { freshStore, onEachDriver, pinnedStore, secondStore, type World } from '../../support/world.js'

/** One job is too many, of the queues that are named; no other rule speaks. */
async function deepAt(store: World, threshold = 0): Promise<void> {
  await store.settings.set('ALERT_DEPTH_JOBS', threshold)
  for (const rule of ['no_worker', 'oldest_ready', 'running_long'])
    await store.alerts.setRule(rule, { enabled: false })
}

const take = (store: World, n = 1) => store.work.claim({ worker: 'w', queues: ['q'], limit: n })

onEachDriver('evaluation', (driver) => {
  it('an alert is pending until it has lasted ALERT_FOR_SEC, fires, and clears after ALERT_CLEAR_SEC of calm', async () => {
    const store = await pinnedStore(driver)
    await deepAt(store)
    await enqueue(store, 'q', 1)
    expect(await nextCheck(store)).toBe(1)
    const [alert] = await store.alerts.list()
    expect(alert).toMatchObject({ state: 'pending', firedAt: null })
    expect(await nextCheck(store, 45_000)).toBe(0)
    expect(await nextCheck(store, 15_000)).toBe(1)
    expect(await store.alerts.get(alert?.id as number)).toMatchObject({
      state: 'firing',
      firedAt: await store.clock.now(),
    })
    await take(store)
    expect(await nextCheck(store)).toBe(0)
    expect(await nextCheck(store, 105_000)).toBe(0)
    expect(await nextCheck(store, 15_000)).toBe(1)
    expect(await store.alerts.list()).toEqual([])
    expect(await store.alerts.list({ all: true })).toMatchObject([{ id: alert?.id, state: 'cleared' }])
    expect(await typesOf(store)).toEqual(['pending', 'firing', 'cleared'])
  })

  it('what is over before it fires passes; what comes back before it clears has never been away', async () => {
    const store = await pinnedStore(driver)
    await deepAt(store)
    await enqueue(store, 'q', 1)
    await nextCheck(store)
    await take(store)
    expect(await nextCheck(store)).toBe(1)
    expect(await typesOf(store)).toEqual(['pending', 'passed'])
    await enqueue(store, 'q', 1)
    await nextCheck(store)
    await nextCheck(store, 60_000)
    await take(store)
    await nextCheck(store, 60_000)
    await enqueue(store, 'q', 1)
    await nextCheck(store, 60_000)
    await take(store)
    await nextCheck(store, 60_000)
    await nextCheck(store, 60_000)
    expect(await firing(store)).toEqual(['depth q'])
    expect(await nextCheck(store, 60_000)).toBe(1)
    expect(await typesOf(store)).toEqual(['pending', 'passed', 'pending', 'firing', 'cleared'])
    expect(await store.alerts.list({ all: true })).toHaveLength(1)
  })

  it('a tenant has its own thresholds and durations, for a rule or for one queue of it, and can switch a rule off', async () => {
    const store = await pinnedStore(driver)
    await deepAt(store, 5)
    await enqueue(store, 'q', 8)
    await enqueue(store, 'big', 8)
    await store.alerts.setRule('depth', { threshold: 7, forSec: 0, clearSec: 0 }, { actor: 'ann' })
    await store.alerts.setRule('depth', { threshold: 8 }, { subject: 'big' })
    await nextCheck(store)
    expect(await firing(store)).toEqual(['depth q'])
    expect((await store.alerts.rules()).filter(({ rule }) => rule === 'depth')).toMatchObject([
      { subject: '', threshold: 7, forSec: 0, clearSec: 0, origin: 'set', setting: 'ALERT_DEPTH_JOBS' },
      { subject: 'big', threshold: 8, forSec: 0, clearSec: 0, origin: 'set' },
    ])
    await store.alerts.setRule('depth', { enabled: false })
    await nextCheck(store)
    expect(await firing(store)).toEqual([])
    await store.alerts.setRule('depth', { enabled: null, threshold: null, forSec: null, clearSec: null })
    expect((await store.alerts.rules()).find(({ rule }) => rule === 'depth')).toMatchObject({
      threshold: 5,
      forSec: 60,
      clearSec: 120,
      origin: 'setting',
    })
    await nextCheck(store)
    await nextCheck(store, 60_000)
    expect(await firing(store)).toEqual(['depth q'])
  })

  it('a rule that does not exist and values out of bounds are refused', async () => {
    const store = await freshStore(driver)
    await expect(store.alerts.setRule('dept', {})).rejects.toMatchObject({
      code: 'unknown_alert_rule',
      message: expect.stringContaining('Did you mean "depth"?'),
    })
    for (const [rule, options] of [
      ['depth', { threshold: -1 }],
      ['depth', { threshold: 100_001 }],
      ['running_long', { threshold: 1_000_000_001 }],
      ['depth', { forSec: -1 }],
      ['depth', { forSec: 86_401 }],
      ['depth', { clearSec: 86_401 }],
    ] as const)
      await expect(store.alerts.setRule(rule, options)).rejects.toMatchObject({ code: 'invalid_input' })
    for (const options of [{ threshold: 0 }, { threshold: 100_000 }, { forSec: 86_400, clearSec: 0 }])
      await store.alerts.setRule('depth', options)
    await store.alerts.setRule('depth', { threshold: 1 }, { subject: 's'.repeat(250) })
    await expect(
      store.alerts.setRule('depth', { threshold: 1 }, { subject: 's'.repeat(251) }),
    ).rejects.toMatchObject({ code: 'invalid_input' })
  })

  it('between two ticks nobody evaluates; the setting decides how long that is, also when it becomes shorter', async () => {
    const store = await pinnedStore(driver)
    expect(await store.alerts.check()).toBe(0)
    expect(await store.alerts.check()).toBeUndefined()
    await store.clock.advance(14_999)
    expect(await store.alerts.check()).toBeUndefined()
    await store.clock.advance(1)
    expect(await store.alerts.check()).toBe(0)
    await store.settings.set('ALERT_EVERY_SEC', 3600)
    await nextCheck(store, 3_600_000)
    await store.settings.set('ALERT_EVERY_SEC', 1)
    await nextCheck(store, 1_000)
  })

  it('a silence is kept with who, until when and why; it ends by itself, or when somebody ends it', async () => {
    const store = await pinnedStore(driver)
    await withoutWaiting(store)
    await deepAt(store)
    await enqueue(store, 'q', 1)
    await nextCheck(store)
    const [alert] = await store.alerts.list()
    const id = alert?.id as number
    const until = await store.alerts.silence(id, { forMs: 60_000, actor: 'ann', reason: 'known' })
    expect(until.getTime()).toBe((await store.clock.now()).getTime() + 60_000)
    expect(await store.alerts.get(id)).toMatchObject({
      state: 'firing',
      silencedUntil: until,
      silencedBy: 'ann',
      silenceReason: 'known',
    })
    expect(await store.alerts.unsilence(id, { actor: 'bob' })).toBe(true)
    expect(await store.alerts.unsilence(id)).toBe(false)
    await store.alerts.silence(id, { until: new Date((await store.clock.now()).getTime() + 10_000) })
    await nextCheck(store)
    expect(await store.alerts.get(id)).toMatchObject({ silencedUntil: null })
    expect(
      (await store.alerts.history({ alert: id }))
        .map(({ type, actor, reason }) => [type, actor, reason])
        .reverse(),
    ).toEqual([
      ['firing', null, null],
      ['silenced', 'ann', 'known'],
      ['unsilenced', 'bob', null],
      ['silenced', null, null],
      ['unsilenced', null, 'the silence expired'],
    ])
    for (const end of [{ forMs: 0 }, { forMs: -1 }, { forMs: 365 * 86_400_000 + 1 }, {}])
      await expect(store.alerts.silence(id, end)).rejects.toMatchObject({ code: 'invalid_input' })
    await store.alerts.silence(id, { forMs: 1 })
    await store.alerts.silence(id, { forMs: 365 * 86_400_000 })
    await expect(store.alerts.silence(999, { forMs: 1 })).rejects.toMatchObject({ code: 'unknown_alert' })
    await expect(store.alerts.unsilence(999)).rejects.toMatchObject({ code: 'unknown_alert' })
    await expect(store.alerts.get(999)).rejects.toMatchObject({ code: 'unknown_alert' })
  })

  it('what is over for longer than ALERT_DAYS is forgotten; an alert that still stands is not', async () => {
    const store = await pinnedStore(driver)
    await withoutWaiting(store)
    await deepAt(store)
    await enqueue(store, 'q', 1)
    await enqueue(store, 'stays', 1)
    await nextCheck(store)
    await take(store)
    await nextCheck(store)
    await store.settings.set('ALERT_DAYS', 1)
    await nextCheck(store, 86_400_000 - 15_000)
    expect(await store.alerts.list({ all: true })).toHaveLength(2)
    await nextCheck(store, 30_000)
    expect(await store.alerts.list({ all: true })).toMatchObject([{ subject: 'stays', state: 'firing' }])
    expect(await store.alerts.history()).toEqual([])
  })

  it('lists go page by page', async () => {
    const store = await pinnedStore(driver)
    await withoutWaiting(store)
    await deepAt(store)
    for (const queue of ['a', 'b', 'c']) await enqueue(store, queue, 1)
    await nextCheck(store)
    const first = await store.alerts.list({ limit: 2 })
    expect(first.map(({ subject }) => subject)).toEqual(['a', 'b'])
    expect(await store.alerts.list({ limit: 2, after: first[1]?.id as number })).toMatchObject([
      { subject: 'c' },
    ])
    expect(await store.alerts.history({ limit: 1 })).toMatchObject([{ subject: 'c', type: 'firing' }])
  })
})

it('of many nodes that come at once one evaluates, and each transition happens once', async () => {
  const store = await pinnedStore()
  await withoutWaiting(store)
  await deepAt(store)
  const nodes = [store, await secondStore(store), await secondStore(store)]
  for (let tick = 0; tick < 4; tick++) {
    await enqueue(store, 'q', 1)
    await store.clock.advance(15_000)
    const asked = Array.from({ length: 12 }, (_, n) => nodes[n % nodes.length]?.alerts.check())
    const answers = (await Promise.all(asked)).filter((answer) => answer !== undefined)
    expect(answers).toEqual([1])
    await take(store)
    await store.clock.advance(15_000)
    const again = await Promise.all(nodes.map((node) => node.alerts.check()))
    expect(again.filter((answer) => answer !== undefined)).toEqual([1])
  }
  expect(await typesOf(store)).toEqual(
    Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? 'firing' : 'cleared')),
  )
})
