// Queues, workers, keys, the audit log and what tenants may have.
import type { ClaimedJob } from 'holdfast/store'
import { expect, it } from 'vitest'
import { PRESENCE } from '../support/presence.js'
import { expectProblem, freshServer, pinnedServer } from './world.js'

it('a queue is made from a preset, changed, paused with a reason and resumed', async () => {
  const { call } = await freshServer()
  const made = await call('POST', '/api/v1/queues', {
    body: { name: 'crawl', preset: 'crawl', policy: { max_retries: 7 } },
  })
  expect(made).toMatchObject({
    status: 201,
    body: { name: 'crawl', preset: 'crawl', policy: { max_retries: 7, lease_ms: 900_000 } },
  })
  expectProblem(await call('POST', '/api/v1/queues', { body: { name: 'crawl' } }), 409, 'queue_exists')
  const changed = await call('PATCH', '/api/v1/queues/crawl', {
    body: { policy: { max_running: 2, rate_limit: 10 }, reason: 'gently' },
  })
  expect(changed.body.policy).toMatchObject({ max_retries: 7, max_running: 2, rate_limit: 10 })
  const wrong = await call('PATCH', '/api/v1/queues/crawl', {
    body: { policy: { retry_base_ms: 10, retry_cap_ms: 5 } },
  })
  expectProblem(wrong, 400, 'invalid_input')
  expect(wrong.body.errors).toMatchObject([{ pointer: '/policy/retry_base_ms' }])
  expectProblem(
    await call('PATCH', '/api/v1/queues/crawl', { body: { policy: { maxRetries: 3 } } }),
    400,
    'invalid_input',
  )
  expect(
    (await call('POST', '/api/v1/queues/crawl/pause', { body: { reason: 'site is down' } })).body,
  ).toEqual({ name: 'crawl', changed: true })
  expect((await call('POST', '/api/v1/queues/crawl/pause')).body.changed).toBe(false)
  expect((await call('GET', '/api/v1/queues/crawl')).body).toMatchObject({
    paused_by: 'local',
    pause_reason: 'site is down',
  })
  expect((await call('POST', '/api/v1/queues/crawl/resume')).body.changed).toBe(true)
  await call('POST', '/api/v1/jobs', { body: { queue: 'crawl', kind: 'k' } })
  expect((await call('GET', '/api/v1/queues')).body).toMatchObject({
    queues: [{ name: 'crawl', paused_at: null, counts: { queued: 1, running: 0 } }],
    counted_max: 1000,
  })
})

it('a worker is shown as it says it is, and asked to drain by whoever may', async () => {
  const { call, key, store } = await freshServer()
  const beat = (tenant: string) =>
    store.work.heartbeat({ ...PRESENCE, worker: 'w1', tenant, slots: 4, busy: 1, lagMs: 5 })
  await beat('acme')
  const [acme, everywhere] = [await key(['operate'], 'acme'), await key(['operate'], '*')]
  expect((await call('GET', '/api/v1/workers', { key: acme })).body.workers).toMatchObject([
    { worker: 'w1', slots: 4, alive: true, lag_ms: 5 },
  ])
  expect(
    await call('POST', '/api/v1/workers/w1/drain', { key: acme, body: { reason: 'new version' } }),
  ).toMatchObject({
    status: 202,
    body: { worker: 'w1', requested: true },
  })
  expect((await call('GET', '/api/v1/workers', { key: acme })).body.workers).toMatchObject([
    { drain_reason: 'new version' },
  ])
  await beat('bolt')
  expect((await call('POST', '/api/v1/workers/w1/drain', { key: acme })).body).toEqual({
    worker: 'w1',
    requested: false,
  })
  expect((await call('POST', '/api/v1/workers/w1/drain', { key: everywhere })).status).toBe(202)
  expect((await call('GET', '/api/v1/workers', { key: everywhere })).body.workers).toHaveLength(2)
  expectProblem(
    await call('POST', '/api/v1/workers/nobody/drain', { key: everywhere }),
    404,
    'unknown_worker',
  )
})

it('an admin makes, rotates and revokes keys of its own tenant; each takes effect with the answer', async () => {
  const { call, key } = await freshServer({ limits: { keyCacheMs: 600_000 } })
  const admin = await key(['admin'], 'acme')
  const made = await call('POST', '/api/v1/keys', {
    key: admin,
    body: { name: 'ci', scopes: ['read'], rate_limit: 100 },
  })
  expect(made).toMatchObject({ status: 201, body: { id: 2, secret: expect.stringMatching(/^hf_/) } })
  const look = (secret: string) => call('GET', '/api/v1/jobs', { key: secret })
  expect((await look(made.body.secret)).status).toBe(200)
  expect((await call('GET', '/api/v1/keys/2', { key: admin })).body).toMatchObject({
    tenant: 'acme',
    name: 'ci',
    created_by: 'key-1',
    state: 'live',
  })
  expectProblem(
    await call('POST', '/api/v1/keys', { key: admin, body: { name: 'ci', scopes: ['read'] } }),
    409,
    'key_name_taken',
  )
  const rotated = await call('POST', '/api/v1/keys/2/rotate', { key: admin, body: { overlap_ms: 0 } })
  expect(rotated.status).toBe(201)
  expectProblem(await look(made.body.secret), 401, 'unauthorized')
  expect((await look(rotated.body.secret)).status).toBe(200)
  expect(await call('DELETE', '/api/v1/keys/3', { key: admin })).toMatchObject({
    status: 200,
    body: { id: 3, revoked: true },
  })
  expectProblem(await look(rotated.body.secret), 401, 'unauthorized')
  const { body, text } = await call('GET', '/api/v1/keys', { key: admin })
  expect(body.keys.map(({ state }: { state: string }) => state)).toEqual(['revoked', 'expired', 'live'])
  expect(text).not.toContain(rotated.body.secret.slice(8))
  expect(text).not.toContain('hash')
})

it('a key that has expired already is not made', async () => {
  const { call, store } = await pinnedServer()
  const make = (expires_at: string) =>
    call('POST', '/api/v1/keys', { body: { name: 'ci', scopes: ['read'], expires_at } })
  for (const past of ['2029-12-31T23:59:59Z', '2030-01-01T00:00:00Z', '0001-01-01T00:00:00Z']) {
    const refused = await make(past)
    expectProblem(refused, 400, 'invalid_input')
    expect(refused.body.errors).toEqual([
      { in: 'body', pointer: '/expires_at', problem: 'must be in the future' },
    ])
  }
  expect(await store.keys.list()).toEqual([])
  expect((await make('2030-01-01T00:00:01Z')).status).toBe(201)
})

it('the audit log shows a tenant its own calls, narrowed and page by page', async () => {
  const { app, call, key } = await freshServer()
  const [acme, bolt] = [await key(['admin'], 'acme'), await key(['admin'], 'bolt')]
  for (const secret of [acme, bolt])
    await call('POST', '/api/v1/queues', { key: secret, body: { name: 'q' } })
  await call('POST', '/api/v1/queues/q/pause', { key: acme, body: { reason: 'because' } })
  await call('POST', '/api/v1/queues/nowhere/pause', { key: acme })
  const audit = (query = '') => call('GET', `/api/v1/audit${query}`, { key: acme })
  const first = await audit('?page_size=2')
  expect(first.body.calls).toMatchObject([
    {
      operation: 'pauseQueue',
      actor: 'key-1',
      status: 404,
      code: 'unknown_queue',
      path: '/api/v1/queues/nowhere/pause',
    },
    { operation: 'pauseQueue', status: 200, code: null, reason: 'because', tenant: 'acme' },
  ])
  const second = await audit(`?page_size=2&page_token=${first.body.next_page_token}`)
  expect(second.body.calls).toMatchObject([{ operation: 'createQueue', status: 201 }])
  expect((await audit('?operation=createQueue&actor=key-1')).body.calls).toHaveLength(1)
  expect((await audit('?until=2020-01-01T00:00:00Z')).body.calls).toEqual([])
  await app.close()
})

it('past the limits of its tenant a job is refused with the name of the limit', async () => {
  let ms = 0
  const { call, store } = await pinnedServer({ now: () => ms })
  const limits = (body: object) => call('PATCH', '/api/v1/tenants/default', { body })
  const make = (input: unknown = 1) =>
    call('POST', '/api/v1/jobs', { body: { queue: 'q', kind: 'k', input } })
  expect(
    (await limits({ max_live_jobs: 2, payload_bytes_max: 10, reason: 'small plan' })).body,
  ).toMatchObject({
    name: 'default',
    max_live_jobs: 2,
    payload_bytes_max: 10,
    max_running: null,
  })
  expect((await make()).status).toBe(201)
  expect((await make('12345678')).status).toBe(201)
  const full = await make()
  expectProblem(full, 429, 'limit_exceeded')
  expect(full.body.data).toMatchObject({ limit: 'max_live_jobs', max: 2 })
  expect(full.headers['retry-after']).toBe('1')
  const large = await make('123456789')
  expectProblem(large, 429, 'limit_exceeded')
  expect(large.body.data).toMatchObject({ limit: 'payload_bytes_max', max: 10 })
  const [job] = await store.work.claim({ worker: 'w', queues: ['q'] })
  await store.work.finish([{ ...(job as ClaimedJob), outcome: 'succeeded' }])
  expect((await make()).status).toBe(201)
  await limits({ max_live_jobs: null, enqueues_per_second: 1 })
  expect((await make()).status).toBe(201)
  const fast = await make()
  expectProblem(fast, 429, 'limit_exceeded')
  expect(fast.body.data).toMatchObject({ limit: 'enqueues_per_second', max: 1 })
  expect(fast.headers).toMatchObject({
    'retry-after': '1',
    ratelimit: '"enqueues_per_second";r=0;t=1',
    'ratelimit-policy': '"enqueues_per_second";q=1;w=1',
  })
  ms += 1_000
  expect((await make()).status).toBe(201)
  expect((await call('GET', '/api/v1/tenant')).body).toMatchObject({
    max_live_jobs: null,
    payload_bytes_max: 10,
  })
  expect((await call('GET', '/api/v1/tenants')).body.tenants).toMatchObject([{ name: 'default' }])
})
