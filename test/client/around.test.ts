// What is around jobs, through the client: queues, subjects, alerts, webhooks, upkeep, settings.
import { createClient } from 'holdfast/client'
import { expect, it } from 'vitest'
import { ChoreRunner } from '../../src/app/chores/chore-runner.js'
import { enqueue, nextCheck, withoutWaiting } from '../support/alerts/alert-world.js'
import { startReceiver, toThisMachine } from '../support/alerts/receiver.js'
import { serve } from '../support/http.js'
import { pinnedStore } from '../support/world.js'

async function world(options: Parameters<typeof serve>[1] = {}) {
  const { store, url } = await serve(await pinnedStore(), options)
  return { store, client: createClient({ url }) }
}

it('a queue is made with a policy, changed, and found, in the names of the library', async () => {
  const { client, store } = await world()
  const made = await client.queues.create('mail', { preset: 'crawl', policy: { maxRetries: 7 } })
  expect(made).toMatchObject({ name: 'mail', preset: 'crawl', policy: { maxRetries: 7, dedupBy: 'subject' } })
  expect(made.createdAt).toEqual(await store.clock.now())
  expect(await client.queues.setPolicy('mail', { retryBaseMs: 500 }, { reason: 'slow' })).toMatchObject({
    policy: { retryBaseMs: 500, maxRetries: 7 },
  })
  expect(await client.queues.get('mail')).toMatchObject({ policy: { retryBaseMs: 500 } })
  await client.enqueue('letter', {}, { queue: 'mail', priority: 30 })
  expect(await client.queues.list()).toMatchObject({
    queues: [{ policy: { maxRetries: 7 }, counts: { queued: 1 } }],
  })
  expect(await client.queues.stats()).toMatchObject([
    {
      queue: 'mail',
      depth: 1,
      priorities: { 30: 1 },
      windows: { '15m': { failedRate: null, averageWaitMs: null } },
    },
  ])
  expect(await client.queues.stats({ queue: 'mail' })).toHaveLength(1)
  await expect(client.queues.get('male')).rejects.toMatchObject({ code: 'unknown_queue' })
})

it('subjects are added, found, changed and removed', async () => {
  const { client } = await world()
  await client.queues.create('crawls', { preset: 'crawl' })
  const rust = { queue: 'crawls', name: 'r/rust', kind: 'crawl', input: { pages: 3 }, staleAfterMs: 1 }
  const made = await client.subjects.add(rust)
  expect(made).toMatchObject({ ...rust, lastSuccessAt: null, staleAt: expect.any(Date) })
  await client.subjects.add({ ...rust, name: 'r/ada', staleAfterMs: null })
  expect(await client.subjects.get(made.id)).toEqual(made)
  const first = await client.subjects.list({ queue: 'crawls', limit: 1 })
  expect(first.subjects.map(({ name }) => name)).toEqual(['r/rust'])
  expect((await client.subjects.list({ after: first.next ?? '' })).subjects).toMatchObject([
    { name: 'r/ada' },
  ])
  expect((await client.subjects.list({ name: 'r/ada' })).subjects).toHaveLength(1)
  expect(await client.subjects.set(made.id, { enabled: false }, { reason: 'quiet' })).toMatchObject({
    enabled: false,
    staleAfterMs: 1,
  })
  await client.subjects.remove(made.id)
  await expect(client.subjects.get(made.id)).rejects.toMatchObject({ code: 'unknown_subject' })
})

it('alerts are listed, silenced for a while, and their rules changed', async () => {
  const { client, store } = await world()
  await withoutWaiting(store)
  for (const rule of ['no_worker', 'oldest_ready']) await client.alerts.setRule(rule, { enabled: false })
  const [depth] = (await client.alerts.setRule('depth', { threshold: 0 })).filter(
    ({ rule }) => rule === 'depth',
  )
  expect(depth).toMatchObject({ threshold: 0, origin: 'set' })
  await enqueue(store, 'q', 1)
  await nextCheck(store)
  const { alerts, next } = await client.alerts.list()
  expect({ alerts, next }).toMatchObject({
    alerts: [{ rule: 'depth', subject: 'q', state: 'firing' }],
    next: null,
  })
  const { id = 0, since } = alerts[0] ?? {}
  expect(since).toBeInstanceOf(Date)
  const until = new Date('2030-01-02T00:00:00Z')
  expect(await client.alerts.silence(id, { until }, { reason: 'known' })).toMatchObject({
    silencedUntil: until,
  })
  expect((await client.alerts.silence(id, { forMs: 60_000 })).silencedUntil).toBeInstanceOf(Date)
  expect(await client.alerts.unsilence(id)).toMatchObject({ silencedUntil: null })
  expect(await client.alerts.get(id)).toMatchObject({ rule: 'depth' })
  const { events } = await client.alerts.history({ alert: id })
  expect(events.map(({ type }) => type)).toEqual(['unsilenced', 'silenced', 'silenced', 'firing'])
  expect(events[0]?.at).toBeInstanceOf(Date)
  expect((await client.alerts.history({ limit: 1 })).events).toHaveLength(1)
  expect((await client.alerts.list({ state: 'cleared' })).alerts).toEqual([])
  expect((await client.alerts.rules()).map(({ rule }) => rule)).toContain('schedule_late')
})

it('a webhook is added, called to see whether it works, switched off and taken away', async () => {
  const receiver = await startReceiver()
  const { client } = await world({
    webhooks: { ca: receiver.ca, lookup: toThisMachine, allow: ['127.0.0.1'] },
  })
  const { id, secret } = await client.webhooks.add({ name: 'pager', url: receiver.url, rules: ['depth'] })
  expect(secret).toMatch(/^whsec_/)
  expect((await client.webhooks.list()).webhooks).toMatchObject([{ id, name: 'pager', rules: ['depth'] }])
  expect(await client.webhooks.test(id)).toMatchObject({ arrived: true, status: 204 })
  expect(receiver.received).toHaveLength(1)
  expect(await client.webhooks.enable(id, false)).toMatchObject({
    enabled: false,
    createdAt: expect.any(Date),
  })
  expect(await client.webhooks.get(id)).toMatchObject({ enabled: false })
  expect(await client.webhooks.deliveries(id)).toEqual({ deliveries: [], next: null })
  await client.webhooks.remove(id)
  await expect(client.webhooks.get(id)).rejects.toMatchObject({ code: 'unknown_webhook' })
})

it('chores are listed and run, settings read, set and put back', async () => {
  const store = await pinnedStore()
  const { url } = await serve(store, { chores: new ChoreRunner(store) })
  const client = createClient({ url })
  const chores = await client.upkeep.list()
  expect(chores).toContainEqual(expect.objectContaining({ name: 'schedules', lastRunAt: null }))
  expect(await client.upkeep.run('age')).toMatchObject({
    name: 'age',
    rows: 0,
    durationMs: expect.any(Number),
  })
  await expect(client.upkeep.run('dishes')).rejects.toMatchObject({ code: 'unknown_chore' })
  expect(await client.settings.get('SCHEDULER_EVERY_SEC')).toMatchObject({ value: 60, origin: 'default' })
  expect(await client.settings.set('SCHEDULER_EVERY_SEC', 30, { reason: 'sooner' })).toMatchObject({
    value: 30,
    updatedAt: expect.any(Date),
  })
  expect((await client.settings.list()).filter(({ origin }) => origin === 'set')).toHaveLength(1)
  expect(await client.settings.reset('SCHEDULER_EVERY_SEC')).toMatchObject({ value: 60, origin: 'default' })
})
