// Alerts and webhooks over HTTP.
import { expect, it } from 'vitest'
import { enqueue, nextCheck, withoutWaiting } from '../support/alerts/alert-world.js'
import { startReceiver, toThisMachine } from '../support/alerts/receiver.js'
import { expectProblem, pinnedServer } from './world.js'

/** A server whose queue q is too deep. */
async function deepServer(options: Parameters<typeof pinnedServer>[0] = {}) {
  const world = await pinnedServer(options)
  await withoutWaiting(world.store)
  await world.store.settings.set('ALERT_DEPTH_JOBS', 0)
  for (const rule of ['no_worker', 'oldest_ready']) await world.store.alerts.setRule(rule, { enabled: false })
  await enqueue(world.store, 'q', 1)
  await nextCheck(world.store)
  return world
}

it('alerts are listed, shown, silenced with a reason and until when, and told of again', async () => {
  const { call } = await deepServer()
  const { body } = await call('GET', '/api/v1/alerts')
  expect(body).toMatchObject({
    alerts: [
      {
        tenant: 'default',
        rule: 'depth',
        subject: 'q',
        state: 'firing',
        value: 1,
        threshold: 0,
        summary: 'More than 0 jobs wait in the queue q.',
        silenced_until: null,
      },
    ],
    next_page_token: null,
  })
  const path = `/api/v1/alerts/${body.alerts[0].id}`
  expect((await call('GET', path)).body).toEqual(body.alerts[0])
  const silenced = await call('POST', `${path}/silence`, { body: { for_ms: 60_000, reason: 'known' } })
  expect(silenced.body).toMatchObject({
    silenced_until: '2030-01-01T00:01:15.000Z',
    silenced_by: 'local',
    silence_reason: 'known',
  })
  const until = '2030-01-02T00:00:00.000Z'
  expect((await call('POST', `${path}/silence`, { body: { until } })).body.silenced_until).toBe(until)
  for (const wrong of [
    {},
    { until, for_ms: 1 },
    { for_ms: 0 },
    { until: '2029-01-01T00:00:00Z' },
    { until: 'soon' },
  ])
    expectProblem(await call('POST', `${path}/silence`, { body: wrong }), 400, 'invalid_input')
  expect((await call('DELETE', `${path}/silence`)).body.silenced_until).toBeNull()
  const history = await call('GET', `${path}/history`)
  expect(history.body.events.map(({ type }: { type: string }) => type)).toEqual([
    'unsilenced',
    'silenced',
    'silenced',
    'firing',
  ])
  expectProblem(await call('GET', '/api/v1/alerts/999'), 404, 'unknown_alert')
})

it('lists of alerts and of their history go page by page and can be narrowed', async () => {
  const { call, store } = await deepServer()
  await enqueue(store, 'r', 1)
  await nextCheck(store)
  const first = await call('GET', '/api/v1/alerts?page_size=1')
  const second = await call('GET', `/api/v1/alerts?page_size=1&page_token=${first.body.next_page_token}`)
  expect([first, second].map(({ body }) => body.alerts[0].subject)).toEqual(['q', 'r'])
  expect(second.body.next_page_token).toBeNull()
  await store.work.claim({ worker: 'w', queues: ['r'] })
  await nextCheck(store)
  const subjects = async (query: string) =>
    (await call('GET', `/api/v1/alerts?${query}`)).body.alerts.map(
      ({ subject }: { subject: string }) => subject,
    )
  expect(await subjects('')).toEqual(['q'])
  expect(await subjects('state=any')).toEqual(['q', 'r'])
  expect(await subjects('state=cleared&rule=depth')).toEqual(['r'])
  expect(await subjects('state=any&rule=no_worker')).toEqual([])
  expectProblem(await call('GET', '/api/v1/alerts?rule=nonsense'), 400, 'invalid_input')
  const events = await call('GET', '/api/v1/alerts/history?page_size=2')
  const older = await call(
    'GET',
    `/api/v1/alerts/history?page_size=2&page_token=${events.body.next_page_token}`,
  )
  expect([...events.body.events, ...older.body.events].map(({ type }) => type)).toEqual([
    'cleared',
    'firing',
    'firing',
  ])
})

it('a tenant sees and changes its own rules; the installation’s alerts are for keys of every tenant', async () => {
  const { call, key, store } = await deepServer()
  const acme = await key(['admin'], 'acme')
  const everyone = await key(['read'], '*')
  await store.database.query(`insert into holdfast.alert (tenant, rule, subject, state, value, threshold, since, seen_at)
    values ('*', 'old_snapshot', '', 'firing', 5000, 3600, holdfast.now(), holdfast.now())`)
  const changed = await call('PUT', '/api/v1/alert-rules/depth', {
    key: acme,
    body: { subject: 'mail', threshold: 7, for_sec: 5, reason: 'small' },
  })
  expect(changed.body.rules.filter(({ rule }: { rule: string }) => rule === 'depth')).toMatchObject([
    { subject: '', threshold: 0, origin: 'setting', setting: 'ALERT_DEPTH_JOBS', unit: 'jobs' },
    { subject: 'mail', threshold: 7, for_sec: 5, clear_sec: 0, origin: 'set' },
  ])
  expect((await call('GET', '/api/v1/alert-rules', { key: everyone })).body.rules).toHaveLength(9)
  expectProblem(
    await call('PUT', '/api/v1/alert-rules/dept', { key: acme, body: { threshold: 7 } }),
    404,
    'unknown_alert_rule',
  )
  expect((await call('GET', '/api/v1/alerts', { key: acme })).body.alerts).toEqual([])
  const seen = await call('GET', '/api/v1/alerts', { key: everyone })
  expect(seen.body.alerts.map(({ tenant }: { tenant: string }) => tenant)).toEqual(['default', '*'])
  const chosen = await call('GET', '/api/v1/alerts', {
    key: everyone,
    headers: { 'holdfast-tenant': 'default' },
  })
  expect(chosen.body.alerts).toHaveLength(1)
})

it('a webhook is added, tried out, switched off and removed; what it is signed with is shown once', async () => {
  const receiver = await startReceiver()
  const webhooks = { allow: ['127.0.0.1'], ca: receiver.ca, lookup: toThisMachine }
  const { call, store } = await deepServer({ webhooks })
  const made = await call('POST', '/api/v1/webhooks', {
    body: { name: 'pager', url: receiver.url, rules: ['depth'], reason: 'nights' },
  })
  expect(made).toMatchObject({ status: 201, body: { id: 1, secret: expect.stringMatching(/^whsec_/) } })
  const listed = await call('GET', '/api/v1/webhooks')
  expect(listed.body.webhooks).toMatchObject([
    { id: 1, name: 'pager', url: receiver.url, rules: ['depth'], enabled: true, created_by: 'local' },
  ])
  expect(listed.text).not.toContain('whsec_')
  expect((await call('POST', '/api/v1/webhooks/1/test')).body).toEqual({
    arrived: true,
    status: 204,
    error: null,
  })
  expect(receiver.received[0]?.body).toMatchObject({ type: 'alert.test' })
  await enqueue(store, 'r', 1)
  await nextCheck(store)
  expect((await call('GET', '/api/v1/webhooks/1/deliveries')).body.deliveries).toMatchObject([
    { type: 'firing', state: 'waiting', attempts: 0 },
  ])
  expect((await call('PATCH', '/api/v1/webhooks/1', { body: { enabled: false } })).body.enabled).toBe(false)
  expectProblem(
    await call('POST', '/api/v1/webhooks', { body: { name: 'pager', url: receiver.url } }),
    409,
    'webhook_name_taken',
  )
  for (const url of ['https://169.254.169.254/', 'http://93.184.216.34/', 'https://a:b@example.com/'])
    expectProblem(
      await call('POST', '/api/v1/webhooks', { body: { name: 'x', url } }),
      400,
      'webhook_refused',
    )
  expect((await call('DELETE', '/api/v1/webhooks/1')).body).toEqual({ id: 1, removed: true })
  expectProblem(await call('GET', '/api/v1/webhooks/1'), 404, 'unknown_webhook')
})

it('only a key of every tenant adds a webhook that hears of every tenant', async () => {
  const { call, key } = await pinnedServer()
  const body = { name: 'all', url: 'https://example.com/', every_tenant: true }
  expectProblem(
    await call('POST', '/api/v1/webhooks', { key: await key(['admin'], 'acme'), body }),
    403,
    'wrong_tenant',
  )
  const root = await key(['admin'], '*')
  expect((await call('POST', '/api/v1/webhooks', { key: root, body })).status).toBe(201)
  expect((await call('GET', '/api/v1/webhooks/1', { key: root })).body.tenant).toBe('*')
})
