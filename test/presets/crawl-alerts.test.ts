// The crawl preset, the alerts it advises to set: evaluated by the system, listed, sent to webhooks, and shipped as Prometheus rules.
import { defineJob, holdfast } from 'holdfast'
import { verifyWebhook } from 'holdfast/webhooks'
import { expect, it } from 'vitest'
import { enqueue, firing, nextCheck, typesOf, withoutWaiting } from '../support/alerts/alert-world.js'
import { startReceiver, toThisMachine } from '../support/alerts/receiver.js'
import { freshStore, pinnedStore, type World } from '../support/world.js'

const HOUR_MS = 3_600_000
const CRAWL = 'crawl'

async function crawlWorld(): Promise<World> {
  const store = await pinnedStore()
  await store.queues.create(CRAWL, { preset: 'crawl' })
  // What the document does not advise is quiet here.
  for (const rule of ['no_worker', 'oldest_ready']) await store.alerts.setRule(rule, { enabled: false })
  return store
}

it('S1.19 queue depth > 1000 jobs raises an alert, 1000 do not', async () => {
  const store = await crawlWorld()
  await withoutWaiting(store)
  await enqueue(store, CRAWL, 1000)
  await nextCheck(store)
  expect(await firing(store)).toEqual([])
  await enqueue(store, CRAWL, 1)
  await nextCheck(store)
  expect(await firing(store)).toEqual(['depth crawl'])
})

it('S1.19 a failed job rate > 10 % of the jobs that ended in the last 15 minutes raises an alert, once 20 have ended', async () => {
  const store = await crawlWorld()
  await withoutWaiting(store)
  const end = async (n: number, outcome: 'succeeded' | 'failed') => {
    await enqueue(store, CRAWL, n)
    const jobs = await store.work.claim({ worker: 'w', queues: [CRAWL], limit: n })
    await store.work.finish(jobs.map((job) => ({ ...job, outcome, retryable: false })))
    await store.upkeep.countMinutes()
    await nextCheck(store)
    return firing(store)
  }
  expect(await end(19, 'failed')).toEqual([])
  expect(await end(1, 'failed')).toEqual(['failed_rate crawl'])
  expect(await end(180, 'succeeded')).toEqual([])
  expect(await end(1, 'failed')).toEqual(['failed_rate crawl'])
})

it('S1.19 a scheduled job that misses its execution window by more than two ticks raises an alert, until it is fired', async () => {
  const store = await crawlWorld()
  await withoutWaiting(store)
  await store.schedules.create({ name: 'daily', kind: 'crawl', queue: CRAWL, expression: '@hourly' })
  await nextCheck(store, HOUR_MS + 120_000)
  expect(await firing(store)).toEqual([])
  await nextCheck(store)
  expect(await firing(store)).toEqual(['schedule_late daily'])
  await store.scheduler.fireDue()
  await nextCheck(store)
  expect(await firing(store)).toEqual([])
})

it('S1.19 a job that is crawling for more than 1 hour raises an alert', async () => {
  const store = await crawlWorld()
  await withoutWaiting(store)
  await enqueue(store, CRAWL, 1)
  const { lease } = await store.work.openLease('w', 3 * HOUR_MS)
  await store.work.claim({ worker: 'w', queues: [CRAWL], lease })
  await nextCheck(store, HOUR_MS)
  expect(await firing(store)).toEqual([])
  await nextCheck(store)
  expect(await firing(store)).toEqual(['running_long crawl'])
})

it('S1.19 an alert is pending, fires, is delivered to a webhook over HTTPS with its signature, silenced, cleared, and kept as history', async () => {
  const store = await crawlWorld()
  const receiver = await startReceiver()
  const webhooks = { allow: ['127.0.0.1'], ca: receiver.ca, lookup: toThisMachine }
  const { webhooks: desk } = await holdfast({ store, webhooks })
  const { id: webhook, secret } = await desk.add({ name: 'pager', url: receiver.url })
  await enqueue(store, CRAWL, 1001)

  await nextCheck(store)
  const [alert] = await store.alerts.list()
  expect(alert).toMatchObject({ rule: 'depth', subject: CRAWL, state: 'pending' })
  expect(await desk.deliver()).toEqual({ arrived: 0, failed: 0 })

  await nextCheck(store, 60_000)
  expect(await store.alerts.list()).toMatchObject([{ id: alert?.id, state: 'firing' }])
  receiver.answer(503)
  expect(await desk.deliver()).toEqual({ arrived: 0, failed: 1 })
  expect(await desk.deliver()).toEqual({ arrived: 0, failed: 0 })
  receiver.answer(204)
  await store.clock.advance(12_000)
  expect(await desk.deliver()).toEqual({ arrived: 1, failed: 0 })
  const [refused, accepted] = receiver.received
  expect(accepted?.body).toEqual({
    type: 'alert.firing',
    timestamp: '2030-01-01T00:01:15.000Z',
    data: {
      alert_id: alert?.id,
      tenant: 'default',
      rule: 'depth',
      subject: CRAWL,
      value: 1001,
      threshold: 1000,
      summary: 'More than 1000 jobs wait in the queue crawl.',
      details: { queue: CRAWL },
    },
  })
  expect(accepted?.headers['webhook-id']).toBe(refused?.headers['webhook-id'])
  expect(verifyWebhook(secret, accepted?.headers ?? {}, accepted?.text ?? '')).toBe(true)
  expect(verifyWebhook(secret, accepted?.headers ?? {}, `${accepted?.text} `)).toBe(false)

  await store.alerts.silence(alert?.id as number, { forMs: HOUR_MS, actor: 'ann', reason: 'a big crawl' })
  await store.work.claim({ worker: 'w', queues: [CRAWL], limit: 1 })
  await nextCheck(store)
  await nextCheck(store, 120_000)
  expect(await store.alerts.list({ all: true })).toMatchObject([{ state: 'cleared', silencedBy: 'ann' }])
  await desk.deliver()
  expect(receiver.received.map(({ body }) => body.type)).toEqual([
    'alert.firing',
    'alert.firing',
    'alert.cleared',
  ])

  expect(await typesOf(store)).toEqual(['pending', 'firing', 'silenced', 'cleared'])
  expect(
    (await desk.deliveries(webhook)).map(({ type, state, attempts }) => [type, state, attempts]),
  ).toEqual([
    ['cleared', 'delivered', 1],
    ['firing', 'delivered', 2],
  ])
})

it('S1.19 any node that runs upkeep evaluates the rules and delivers the alerts', async () => {
  const store = await freshStore()
  const receiver = await startReceiver()
  const webhooks = { allow: ['127.0.0.1'], ca: receiver.ca, lookup: toThisMachine }
  // Its worker takes no job of the queue whose depth is too much.
  const elsewhere = defineJob({ kind: 'other', queue: 'elsewhere', handler: () => null })
  const nodes = await Promise.all([1, 2].map(() => holdfast({ store, webhooks, jobs: [elsewhere] })))
  await nodes[0]?.webhooks.add({ name: 'pager', url: receiver.url, rules: ['depth'] })
  await store.settings.set('ALERT_DEPTH_JOBS', 0)
  await withoutWaiting(store)
  await enqueue(store, CRAWL, 1)
  await Promise.all(nodes.map((node) => node.work()))
  try {
    await expect.poll(() => receiver.received.length, { timeout: 100_000 }).toBe(1)
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
  }
  expect(receiver.received[0]?.body).toMatchObject({ type: 'alert.firing', data: { rule: 'depth' } })
  expect(await typesOf(store)).toContain('firing')
})
