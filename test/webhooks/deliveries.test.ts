// What is on its way to webhooks: at least once, in order for each alert, for a while and not without end.
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { RETRIES, retryMsAfter } from '../../src/webhooks/deliveries.js'
import { sendWebhook } from '../../src/webhooks/send.js'
import { checkWebhookSecret, newWebhookSecret, sign, verifyWebhook } from '../../src/webhooks/signature.js'
import { Webhooks } from '../../src/webhooks/webhooks.js'
import { enqueue, nextCheck, withoutWaiting } from '../support/alerts/alert-world.js'
import { startReceiver, toThisMachine } from '../support/alerts/receiver.js'
import { onEachDriver, pinnedStore, secondStore, type World } from '../support/world.js'

const URL_SOMEWHERE = 'https://example.com/hook'

/** A webhook, and alerts about queues that have a job. */
async function world(driver?: 'postgres' | 'pglite'): Promise<World & { webhook: number }> {
  const store = await pinnedStore(driver)
  await withoutWaiting(store)
  await store.settings.set('ALERT_DEPTH_JOBS', 0)
  for (const rule of ['no_worker', 'oldest_ready']) await store.alerts.setRule(rule, { enabled: false })
  const { id } = await new Webhooks(store).add({ name: 'pager', url: URL_SOMEWHERE })
  return { ...store, webhook: id }
}

const take = (store: Store) => store.work.claim({ worker: 'w', queues: ['a', 'b'], limit: 100 })
const told = async (store: Store) =>
  (await store.webhooks.take(20, 60_000)).map(({ subject, type }) => `${subject} ${type}`).sort()
const all = (store: Store, id: number) => store.webhooks.deliveries(id, { limit: 500 })

onEachDriver('deliveries', (driver) => {
  it('of one alert the next is handed out when the one before has arrived or was given up; others do not wait for it', async () => {
    const store = await world(driver)
    await enqueue(store, 'a', 1)
    await enqueue(store, 'b', 1)
    await nextCheck(store)
    await take(store)
    await nextCheck(store)
    const first = await store.webhooks.take(20, 60_000)
    expect(first.map(({ subject, type }) => `${subject} ${type}`)).toEqual(['a firing', 'b firing'])
    expect(await told(store)).toEqual([])
    const [a, b] = first
    await store.webhooks.settle(a?.id as number, 1, { arrived: true, status: 200, error: null })
    expect(await told(store)).toEqual(['a cleared'])
    await store.webhooks.settle(b?.id as number, 1, {
      arrived: false,
      status: 500,
      error: 'x',
      retryMs: 10_000,
    })
    expect(await told(store)).toEqual([])
    await store.clock.advance(10_000)
    expect(await told(store)).toEqual(['b firing'])
    await store.webhooks.settle(b?.id as number, 2, { arrived: false, status: 500, error: 'x' })
    expect(await told(store)).toEqual(['b cleared'])
    expect((await all(store, store.webhook)).map(({ state, attempts }) => [state, attempts])).toEqual([
      ['waiting', 1],
      ['waiting', 1],
      ['failed', 2],
      ['delivered', 1],
    ])
  })

  it('whoever takes a delivery and says nothing loses it; a late failure changes nothing, a late success counts', async () => {
    const store = await world(driver)
    await enqueue(store, 'a', 1)
    await nextCheck(store)
    const [first] = await store.webhooks.take(20, 60_000)
    await store.clock.advance(59_999)
    expect(await told(store)).toEqual([])
    await store.clock.advance(1)
    const [second] = await store.webhooks.take(20, 60_000)
    expect(second).toMatchObject({ id: first?.id, attempt: 2 })
    const id = first?.id as number
    expect(await store.webhooks.settle(id, 1, { arrived: false, status: null, error: 'x' })).toBe(false)
    expect(await store.webhooks.settle(id, 1, { arrived: true, status: 204, error: null })).toBe(true)
    expect(await store.webhooks.settle(id, 2, { arrived: true, status: 204, error: null })).toBe(false)
    expect(await all(store, store.webhook)).toMatchObject([{ state: 'delivered', status: 204, error: null }])
  })

  it('a webhook that is switched off is told nothing, and not later either; one that is removed leaves nothing', async () => {
    const store = await world(driver)
    await enqueue(store, 'a', 1)
    await nextCheck(store)
    expect(await store.webhooks.enable(store.webhook, false)).toBe(true)
    expect(await store.webhooks.enable(store.webhook, false)).toBe(false)
    expect(await all(store, store.webhook)).toMatchObject([{ state: 'dropped' }])
    await enqueue(store, 'b', 1)
    await nextCheck(store)
    expect(await store.webhooks.enable(store.webhook, true)).toBe(true)
    await nextCheck(store)
    expect(await told(store)).toEqual([])
    await store.webhooks.remove(store.webhook)
    expect(await all(store, store.webhook)).toEqual([])
    await expect(store.webhooks.get(store.webhook)).rejects.toMatchObject({ code: 'unknown_webhook' })
    for (const act of [
      () => store.webhooks.remove(999),
      () => store.webhooks.enable(999, true),
      () => store.webhooks.target(999),
    ])
      await expect(act()).rejects.toMatchObject({ code: 'unknown_webhook' })
  })

  it('a webhook hears of its tenant and of the rules it asked for; one of every tenant hears of all', async () => {
    const store = await world(driver)
    const desk = new Webhooks(store)
    const add = async (name: string, more: object) =>
      (await desk.add({ name, url: URL_SOMEWHERE, ...more })).id
    const other = await add('other', { tenant: 'acme' })
    const every = await add('every', { tenant: '*' })
    const picky = await add('picky', { rules: ['no_worker'] })
    await store.enqueue({ queue: 'a', kind: 'k' }, { tenant: 'acme' })
    await store.alerts.setRule('no_worker', { enabled: false }, { tenant: 'acme' })
    await enqueue(store, 'a', 1)
    await nextCheck(store)
    const heard = await Promise.all(
      [store.webhook, other, every, picky].map(async (id) => (await all(store, id)).length),
    )
    expect(heard).toEqual([1, 1, 2, 0])
    expect((await store.webhooks.list({ tenant: 'acme' })).map(({ name }) => name)).toEqual(['other'])
  })

  it('a silenced alert is told nobody; when the silence is over and it still fires, it is told then', async () => {
    const store = await world(driver)
    await enqueue(store, 'a', 1)
    await nextCheck(store)
    const [alert] = await store.alerts.list()
    const id = alert?.id as number
    await take(store)
    await nextCheck(store)
    await store.alerts.silence(id, { forMs: 60_000 })
    await enqueue(store, 'a', 1)
    await nextCheck(store)
    expect((await all(store, store.webhook)).map(({ type }) => type)).toEqual(['cleared', 'firing'])
    await nextCheck(store, 45_000)
    await nextCheck(store)
    expect((await all(store, store.webhook)).map(({ type }) => type)).toEqual(['firing', 'cleared', 'firing'])
    // Those who were told that it fires hear that it is over, silenced or not.
    await store.alerts.silence(id, { forMs: 60_000 })
    await take(store)
    await nextCheck(store)
    await enqueue(store, 'a', 1)
    await nextCheck(store)
    await take(store)
    await nextCheck(store)
    expect((await all(store, store.webhook)).map(({ type }) => type)).toEqual([
      'cleared',
      'firing',
      'cleared',
      'firing',
    ])
  })

  it('no more than a thousand wait for a webhook; what comes beyond is dropped and seen to be', async () => {
    const store = await world(driver)
    const fill = (n: number) =>
      store.database.query(
        `insert into holdfast.webhook_delivery (webhook_id, tenant, alert_id, event_id, type, state, created_at, next_at)
         select $1, 'default', 1000 + i, 0, 'firing', 'waiting', holdfast.now(), 'infinity' from generate_series(1, $2::int) i`,
        [store.webhook, n],
      )
    await fill(999)
    await enqueue(store, 'a', 1)
    await nextCheck(store)
    await enqueue(store, 'b', 1)
    await nextCheck(store)
    const [dropped, waiting] = await store.webhooks.deliveries(store.webhook, { limit: 2 })
    expect(waiting).toMatchObject({ state: 'waiting' })
    expect(dropped).toMatchObject({ state: 'dropped', error: 'too many deliveries were waiting' })
  })

  it('a tenant has 20 webhooks at most, each with a name of its own', async () => {
    const store = await world(driver)
    const desk = new Webhooks(store)
    await expect(desk.add({ name: 'pager', url: URL_SOMEWHERE })).rejects.toMatchObject({
      code: 'webhook_name_taken',
    })
    for (let n = 1; n < 20; n++) await desk.add({ name: `w${n}`, url: URL_SOMEWHERE })
    await expect(desk.add({ name: 'more', url: URL_SOMEWHERE })).rejects.toMatchObject({
      code: 'limit_exceeded',
    })
    await desk.add({ name: 'more', url: URL_SOMEWHERE, tenant: 'acme' })
    await expect(
      desk.add({ name: 'x', url: URL_SOMEWHERE, rules: ['dept'], tenant: 'acme' }),
    ).rejects.toMatchObject({
      code: 'unknown_alert_rule',
    })
    await expect(desk.add({ name: 'x', url: 'https://10.0.0.1/' })).rejects.toMatchObject({
      code: 'webhook_refused',
    })
    await expect(desk.add({ name: 'x y', url: URL_SOMEWHERE })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })
})

it('of many senders that ask at once each delivery is handed to one', async () => {
  const store = await world()
  for (let n = 0; n < 30; n++) await enqueue(store, `q${n}`, 1)
  await nextCheck(store)
  const nodes = [store, await secondStore(store), await secondStore(store)]
  const taken = await Promise.all(
    Array.from({ length: 9 }, (_, n) => (nodes[n % 3] as Store).webhooks.take(5, 60_000)),
  )
  const ids = taken.flat().map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const rest = await store.webhooks.take(30, 60_000)
  expect(ids.length + rest.length).toBe(30)
})

it('it is tried again after 10 s, then twice as long each time up to an hour, give or take a fifth, 20 times in all', () => {
  const middle = Array.from({ length: 20 }, (_, n) => retryMsAfter(n + 1, 0.5))
  expect(middle.slice(0, 10).map((ms) => (ms ?? 0) / 1000)).toEqual([
    10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600,
  ])
  expect(middle.slice(18)).toEqual([3_600_000, undefined])
  expect(RETRIES.attemptsMax).toBe(20)
  expect([retryMsAfter(1, 0), retryMsAfter(1, 1)]).toEqual([8_000, 12_000])
})

it('a signature holds for this body, this id and this moment, and for nobody without the secret', () => {
  const secret = newWebhookSecret()
  const now = new Date('2030-01-01T00:00:00Z')
  const headers = { ...sign(secret, 'm1', '{"a":1}', now) }
  const holds = (said: object = headers, body = '{"a":1}', key = secret, at = now) =>
    verifyWebhook(key, said as typeof headers, body, { now: at })
  expect(holds()).toBe(true)
  expect(holds({ ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` })).toBe(true)
  expect(holds(headers, '{"a":2}')).toBe(false)
  expect(holds({ ...headers, 'webhook-id': 'm2' })).toBe(false)
  expect(holds({ ...headers, 'webhook-timestamp': '1893456001' })).toBe(false)
  expect(holds(headers, '{"a":1}', newWebhookSecret())).toBe(false)
  for (const [seconds, expected] of [
    [299, true],
    [300, true],
    [301, false],
    [-300, true],
    [-301, false],
  ] as const)
    expect(holds(headers, '{"a":1}', secret, new Date(now.getTime() + seconds * 1000)), `${seconds}`).toBe(
      expected,
    )
  expect(holds({})).toBe(false)
  // The example of the specification.
  expect(
    sign(
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      '{"test": 2432232314}',
      new Date(1614265330_000),
    )['webhook-signature'],
  ).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

it('a secret that is brought along has 24 to 64 bytes', () => {
  const of = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
  for (const bytes of [24, 64]) expect(checkWebhookSecret(of(bytes))).toBe(of(bytes))
  for (const wrong of [of(23), of(65), 'whsec_', 'secret', `${of(24)}!`, of(24).slice(6)])
    expect(() => checkWebhookSecret(wrong), wrong).toThrow(/whsec_/)
})

it('a call goes over TLS to who the name says, with the authority that was given; nothing of the answer is read', async () => {
  const receiver = await startReceiver()
  const send = (url: string, options: object) =>
    sendWebhook(
      { url, secret: newWebhookSecret() },
      { id: 'm', body: '{}' },
      { allow: ['127.0.0.1'], ...options },
    )
  const { ca } = receiver
  const lookup = toThisMachine
  expect(await send(receiver.url, { ca, lookup })).toEqual({ arrived: true, status: 204, error: null })
  receiver.answer(500)
  expect(await send(receiver.url, { ca, lookup })).toEqual({
    arrived: false,
    status: 500,
    error: 'the answer was 500',
  })
  expect(receiver.received).toHaveLength(2)
  expect(await send(receiver.url, { lookup })).toMatchObject({
    arrived: false,
    error: expect.stringMatching(/^[A-Z_]+$/),
  })
  expect(await send(receiver.url.replace('hooks', 'other'), { ca, lookup })).toMatchObject({
    arrived: false,
    error: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
  expect(receiver.received).toHaveLength(2)
})
