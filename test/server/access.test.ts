// Who may call: keys, scopes, tenants, browsers.
import { expect, it } from 'vitest'
import { expectProblem, freshServer, pinnedServer } from './world.js'

const JOB = { queue: 'q', kind: 'k' }

it('a server on loopback is open until the first key is made, and to local names only', async () => {
  const { call, key } = await freshServer()
  expect((await call('POST', '/api/v1/jobs', { body: JOB })).status).toBe(201)
  for (const host of ['localhost:8080', '127.0.0.1', '[::1]:3000'])
    expect((await call('GET', '/api/v1/jobs', { headers: { host } })).status).toBe(200)
  const refused = await call('GET', '/api/v1/jobs', { headers: { host: 'evil.example:8080' } })
  expectProblem(refused, 421, 'wrong_host')
  await key(['read'])
  const closed = await call('GET', '/api/v1/jobs')
  expectProblem(closed, 401, 'unauthorized')
  expect(closed.headers['www-authenticate']).toContain('Bearer')
})

it('a server that is not on loopback is never open', async () => {
  const { call } = await freshServer({ loopback: false })
  expectProblem(await call('GET', '/api/v1/jobs'), 401, 'unauthorized')
  expect((await call('GET', '/healthz')).status).toBe(200)
})

it('a key is shown once and kept as a hash; it works until it is revoked or has expired', async () => {
  const { call, store } = await pinnedServer()
  const { id, secret } = await store.keys.create({
    name: 'ci',
    scopes: ['enqueue'],
    expiresAt: '2030-01-02T00:00:00Z',
  })
  expect(secret).toMatch(/^hf_[\w-]{43}$/)
  const post = () => call('POST', '/api/v1/jobs', { body: JOB, key: secret })
  expect((await post()).status).toBe(201)
  const [row] = await store.database.query<{ row: string }>(
    'select to_jsonb(k)::text as row from holdfast.api_key k',
  )
  expect(row?.row).not.toContain(secret.slice(8))
  expect(await store.keys.get(id)).toMatchObject({
    state: 'live',
    lastUsedAt: new Date('2030-01-01T00:00:00Z'),
  })
  await store.clock.advance(24 * 3_600_000)
  expectProblem(await post(), 401, 'unauthorized')
  const other = await store.keys.create({ name: 'ci', scopes: ['enqueue'] })
  expect((await call('POST', '/api/v1/jobs', { body: JOB, key: other.secret })).status).toBe(201)
  expect(await store.keys.revoke(other.id, { actor: 'ada', reason: 'lost' })).toBe(true)
  expect(await store.keys.revoke(other.id)).toBe(false)
  expectProblem(await call('POST', '/api/v1/jobs', { body: JOB, key: other.secret }), 401, 'unauthorized')
  for (const authorization of ['Bearer hf_guess', 'Basic abc', 'Bearer', `Bearer ${'x'.repeat(300)}`])
    expectProblem(await call('GET', '/api/v1/jobs', { headers: { authorization } }), 401, 'unauthorized')
})

it('while a key is rotated two of its name live; then the old one ends by itself', async () => {
  const { call, store } = await pinnedServer()
  const old = await store.keys.create({ name: 'ci', scopes: ['read'] })
  await expect(store.keys.create({ name: 'ci', scopes: ['read'] })).rejects.toMatchObject({
    code: 'key_name_taken',
  })
  const fresh = await store.keys.rotate(old.id, { overlapMs: 60_000 })
  await expect(store.keys.rotate(fresh.id)).rejects.toMatchObject({ code: 'conflict' })
  const look = (key: string) => call('GET', '/api/v1/jobs', { key })
  for (const secret of [old.secret, fresh.secret]) expect((await look(secret)).status).toBe(200)
  await store.clock.advance(60_000)
  expectProblem(await look(old.secret), 401, 'unauthorized')
  expect((await look(fresh.secret)).status).toBe(200)
  await expect(store.keys.rotate(old.id)).rejects.toMatchObject({ code: 'unknown_key' })
})

it('a key does what its scopes say and nothing else', async () => {
  const { call, key } = await freshServer()
  const [reader, producer] = [await key(['read']), await key(['enqueue'])]
  expectProblem(await call('POST', '/api/v1/jobs', { body: JOB, key: reader }), 403, 'scope_missing')
  expect(await call('POST', '/api/v1/jobs', { body: JOB, key: producer })).toMatchObject({ status: 201 })
  expect((await call('GET', '/api/v1/jobs/1', { key: reader })).body).toMatchObject({ created_by: 'key-2' })
})

it('the tenant comes from the key: other tenants’ jobs are not there', async () => {
  const { call, key } = await freshServer()
  const [acme, bolt] = [await key(['enqueue'], 'acme'), await key(['enqueue'], 'bolt')]
  const { body } = await call('POST', '/api/v1/jobs', { body: JOB, key: bolt })
  expect((await call('GET', `/api/v1/jobs/${body.id}`, { key: bolt })).body.tenant).toBe('bolt')
  expectProblem(await call('GET', `/api/v1/jobs/${body.id}`, { key: acme }), 404, 'unknown_job')
  expect((await call('GET', '/api/v1/jobs', { key: acme })).body.jobs).toEqual([])
  const headers = { 'holdfast-tenant': 'bolt' }
  expectProblem(await call('GET', '/api/v1/jobs', { key: acme, headers }), 403, 'wrong_tenant')
  expectProblem(
    await call('POST', '/api/v1/jobs', { key: acme, body: { ...JOB, tenant: 'bolt' } }),
    400,
    'invalid_input',
  )
  const everywhere = await key(['read'], '*')
  expect((await call('GET', '/api/v1/jobs', { key: everywhere, headers })).body.jobs).toHaveLength(1)
  expect((await call('GET', '/api/v1/jobs', { key: everywhere })).body.jobs).toHaveLength(0)
})

it('a browser on behalf of another site changes nothing', async () => {
  const { call } = await freshServer()
  const post = (headers: Record<string, string>) => call('POST', '/api/v1/jobs', { body: JOB, headers })
  for (const site of ['cross-site', 'same-site'])
    expectProblem(await post({ 'sec-fetch-site': site }), 403, 'cross_site')
  expectProblem(await post({ origin: 'http://evil.example' }), 403, 'cross_site')
  expectProblem(await post({ origin: 'null' }), 403, 'cross_site')
  expect(
    (await post({ 'sec-fetch-site': 'same-origin', host: 'localhost:8080', origin: 'http://localhost:8080' }))
      .status,
  ).toBe(201)
  expect((await post({ 'sec-fetch-site': 'none' })).status).toBe(201)
})

it('a key with a rate is refused past it, with when to come back', async () => {
  let ms = 0
  const { call, store } = await freshServer({ now: () => ms })
  const { secret: key } = await store.keys.create({ name: 'slow', scopes: ['read'], rateLimit: 1 })
  const first = await call('GET', '/api/v1/jobs', { key })
  expect(first).toMatchObject({ status: 200, headers: { 'ratelimit-policy': '"key";q=1;w=1' } })
  const second = await call('GET', '/api/v1/jobs', { key })
  expectProblem(second, 429, 'limit_exceeded')
  expect(second.headers).toMatchObject({
    'retry-after': '1',
    'ratelimit-policy': '"key";q=1;w=1',
    ratelimit: '"key";r=0;t=1',
  })
  ms += 1_000
  expect((await call('GET', '/api/v1/jobs', { key })).status).toBe(200)
})

it('no key is told by the log, the audit log or an answer, whether it is good or wrong and wherever it was put', async () => {
  const lines: unknown[] = []
  const log = {
    debug: (...line: unknown[]) => lines.push(line),
    error: (...line: unknown[]) => lines.push(line),
    info: () => {},
    warn: () => {},
  }
  const { app, call, key, store } = await freshServer({ log })
  const good = await key(['read'])
  const wrong = 'hf_a-wrong-key-that-nobody-may-read'
  const heard = []
  for (const secret of [good, wrong]) {
    heard.push(await call('GET', '/api/v1/jobs', { key: secret }))
    heard.push(await call('POST', '/api/v1/jobs', { key: secret, body: JOB }))
    heard.push(await call('POST', `/api/v1/jobs?key=${secret}`, { body: JOB }))
    heard.push(await call('GET', '/status', { headers: { authorization: `Basic ${btoa(`:${secret}`)}` } }))
    heard.push(await call('POST', '/api/v1/jobs', { headers: { authorization: secret }, body: JOB }))
  }
  await app.close()
  const rows = await store.audit.list()
  expect(rows).toHaveLength(6)
  expect(lines).toHaveLength(10)
  const told = JSON.stringify([lines, rows, heard.map(({ text }) => text)])
  for (const secret of [good, wrong]) expect(told).not.toContain(secret.slice(8))
})

it('an admin key of the environment may do everything and closes the server', async () => {
  const adminKey = 'a-long-secret-of-the-operator'
  const { call } = await freshServer({ adminKey })
  expectProblem(await call('GET', '/api/v1/jobs'), 401, 'unauthorized')
  expectProblem(await call('GET', '/api/v1/jobs', { key: 'another' }), 401, 'unauthorized')
  expect((await call('PUT', '/api/v1/settings/AGE_STEP', { key: adminKey, body: { value: 5 } })).status).toBe(
    200,
  )
  expect((await call('GET', '/api/v1/audit', { key: adminKey })).body.calls).toMatchObject([
    { actor: 'admin' },
  ])
  for (const weak of ['short', 'a secret with spaces in it'])
    await expect(freshServer({ adminKey: weak })).rejects.toMatchObject({ code: 'invalid_input' })
})

it('each call that could change something leaves one row, also when it was refused', async () => {
  const { app, call, key, store } = await freshServer()
  const [reader, producer] = [await key(['read'], 'acme'), await key(['enqueue'], 'acme')]
  await call('POST', '/api/v1/jobs', { body: JOB, key: producer })
  await call('POST', '/api/v1/jobs', { body: { ...JOB, priority: 101 }, key: producer })
  await call('POST', '/api/v1/jobs', { body: JOB, key: reader })
  await call('POST', '/api/v1/jobs', { body: JOB })
  await call('POST', '/api/v1/jobs', { body: '{', key: producer })
  await call('GET', '/api/v1/jobs', { key: reader })
  await app.close()
  const rows = await store.audit.list()
  expect(
    rows
      .reverse()
      .map(({ actor, tenant, operation, status, code }) => [actor, tenant, operation, status, code]),
  ).toEqual([
    ['key-2', 'acme', 'createJob', 201, null],
    ['key-2', 'acme', 'createJob', 400, 'invalid_input'],
    ['key-1', 'acme', 'createJob', 403, 'scope_missing'],
    ['anonymous', '*', 'createJob', 401, 'unauthorized'],
    ['key-2', 'acme', 'createJob', 400, 'invalid_input'],
  ])
})
