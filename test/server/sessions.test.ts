// Sessions of browsers: a key for a cookie, until it is idle, old, ended, or its key is gone.
import { expect, it } from 'vitest'
import { HTTP_LIMITS } from '../../src/server/http/limits.js'
import { type Browser, cookieIn, signIn } from './browser.js'
import { expectProblem, pinnedServer, serverOn } from './world.js'

const JOB = { queue: 'q', kind: 'k' }
const SESSION = '/api/v1/session'
const JOBS = '/api/v1/jobs'
const { sessionIdleMs, sessionLifetimeMs } = HTTP_LIMITS

it('a key opens a session whose cookie no script can read, and which another server of the database knows as well', async () => {
  const world = await pinnedServer()
  const key = await world.key(['operate', 'enqueue'], 'acme')
  expect((await world.call('GET', SESSION)).body).toMatchObject({ signed_in: false, open: false, scopes: [] })
  const signedIn = await world.call('POST', SESSION, { body: { key } })
  expect(signedIn.headers['set-cookie']).toMatch(
    /^holdfast_session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
  )
  expect(signedIn.body).toEqual({
    signed_in: true,
    open: false,
    name: 'key-1',
    tenant: 'acme',
    scopes: ['operate', 'enqueue'],
    read_only: false,
    csrf_token: expect.stringMatching(/^[\w-]{43}$/),
    expires_at: new Date((await world.store.clock.now()).getTime() + sessionIdleMs).toISOString(),
    can_sign_out: true,
    server_version: expect.any(String),
  })
  const headers = { cookie: cookieIn(signedIn), 'x-csrf-token': signedIn.body.csrf_token }
  const other = serverOn(world.store)
  for (const { call } of [world, other]) {
    expect((await call('GET', SESSION, { headers })).body).toEqual(signedIn.body)
    expect(await call('POST', JOBS, { headers, body: JOB })).toMatchObject({ status: 201 })
  }
  expect((await other.call('GET', `${JOBS}/1`, { headers })).body).toMatchObject({
    tenant: 'acme',
    created_by: 'key-1',
  })
  // Signing out at one ends it at the other.
  const out = await other.call('DELETE', SESSION, { headers })
  expect([out.status, out.headers['set-cookie']]).toEqual([204, expect.stringContaining('Max-Age=0')])
  for (const { call } of [world, other])
    expectProblem(await call('GET', JOBS, { headers }), 401, 'unauthorized')
  expect((await world.call('DELETE', SESSION)).status).toBe(204)
  await world.app.close()
  const rows = await world.store.audit.list({ tenant: 'acme' })
  expect(rows.map(({ operation, actor }) => [operation, actor])).toContainEqual(['signIn', 'key-1'])
})

it('over HTTPS the cookie is secure and bound to the host, and below a path to the path', async () => {
  const { store } = await pinnedServer()
  const { secret: key } = await store.keys.create({ name: 'k', scopes: ['read'] })
  const origin = 'https://ops.example'
  const headers = { origin, host: 'ops.example' }
  const at = async (basePath: string) => {
    const world = serverOn(store, { basePath })
    const signedIn = await world.call('POST', SESSION, { body: { key }, headers })
    const cookie = cookieIn(signedIn)
    expect((await world.call('GET', JOBS, { headers: { cookie } })).status).toBe(200)
    return String(signedIn.headers['set-cookie'])
  }
  expect(await at('/')).toMatch(/^__Host-holdfast_session=.*; Path=\/; .*; Secure$/)
  expect(await at('/ops/jobs')).toMatch(/^__Secure-holdfast_session=.*; Path=\/ops\/jobs\/; .*; Secure$/)
})

it('a wrong, revoked or expired key opens none', async () => {
  const { call, store } = await pinnedServer()
  const { id, secret } = await store.keys.create({ name: 'k', scopes: ['read'] })
  await store.keys.revoke(id)
  for (const key of ['hf_wrong', secret]) {
    const refused = await call('POST', SESSION, { body: { key } })
    expectProblem(refused, 401, 'unauthorized')
    expect(refused.headers['set-cookie']).toBeUndefined()
    expect(refused.text).not.toContain(key)
  }
  for (const body of [{}, { key: '' }, { key: 'a b' }, { key: 'x'.repeat(201) }, { key: 1 }])
    expectProblem(await call('POST', SESSION, { body }), 400, 'invalid_input')
})

it('a session ends when it is idle, when it is old, and with its key, each at its very moment', async () => {
  const world = await pinnedServer()
  const { store } = world
  const { id, secret } = await store.keys.create({ name: 'k', scopes: ['read'] })
  const look = async (browser: Browser) => (await browser.call('GET', JOBS)).status
  const idle = await signIn(world, secret)
  await store.clock.advance(sessionIdleMs - 1)
  expect(await look(idle)).toBe(200)
  await store.clock.advance(sessionIdleMs - 1)
  expect(await look(idle)).toBe(200)
  await store.clock.advance(sessionIdleMs)
  expect(await look(idle)).toBe(401)
  expect((await world.call('GET', SESSION, { headers: { cookie: idle.cookie } })).body.signed_in).toBe(false)

  const old = await signIn(world, secret)
  const step = sessionIdleMs / 2
  for (let ms = step; ms < sessionLifetimeMs; ms += step) {
    await store.clock.advance(step)
    expect(await look(old)).toBe(200)
  }
  await store.clock.advance(step - 1)
  expect(await look(old)).toBe(200)
  await store.clock.advance(1)
  expect(await look(old)).toBe(401)

  const rotated = await signIn(world, secret)
  const next = await store.keys.rotate(id, { overlapMs: 60_000 })
  expect(await look(rotated)).toBe(200)
  await store.clock.advance(60_000)
  expect(await look(rotated)).toBe(401)

  const revoked = await signIn(world, next.secret)
  expect(await look(revoked)).toBe(200)
  await store.keys.revoke(next.id)
  expect(await look(revoked)).toBe(401)
  // Upkeep deletes what has ended.
  await store.clock.advance(sessionIdleMs)
  await store.upkeep.expireKeys()
  expect(await store.database.query('select from holdfast.web_session')).toEqual([])
})

it('a key has so many sessions; one more ends the one unused for longest', async () => {
  const world = await pinnedServer({ limits: { sessionsPerKeyMax: 3 } })
  const [key, other] = [await world.key(['read']), await world.key(['read'])]
  const apart = await signIn(world, other)
  const open: Browser[] = []
  for (let n = 0; n < 3; n++) {
    open.push(await signIn(world, key))
    await world.store.clock.advance(60_000)
  }
  const states = async () => Promise.all(open.map(async (each) => (await each.call('GET', JOBS)).status))
  expect(await states()).toEqual([200, 200, 200])
  await world.store.clock.advance(60_000)
  for (const each of [open[0], open[2]]) await each?.call('GET', JOBS)
  open.push(await signIn(world, key))
  expect(await states()).toEqual([200, 401, 200, 200])
  expect((await apart.call('GET', JOBS)).status).toBe(200)
})

it('the admin key of the server opens sessions that end when the server has another one', async () => {
  const adminKey = 'an-admin-key-of-the-test'
  const world = await pinnedServer({ adminKey })
  const { cookie, csrf } = await signIn(world, adminKey)
  const headers = { cookie, 'x-csrf-token': csrf }
  expect((await world.call('GET', SESSION, { headers })).body).toMatchObject({ name: 'admin', tenant: '*' })
  expect((await world.call('POST', JOBS, { headers, body: JOB })).status).toBe(201)
  expect((await serverOn(world.store, { adminKey }).call('GET', JOBS, { headers })).status).toBe(200)
  const changed = serverOn(world.store, { adminKey: 'another-admin-key-of-it' })
  expectProblem(await changed.call('GET', JOBS, { headers }), 401, 'unauthorized')
  expectProblem(
    await serverOn(world.store, { loopback: false }).call('GET', JOBS, { headers }),
    401,
    'unauthorized',
  )
})

it('an open server needs no session, and a cookie that was left over does not close it', async () => {
  const { call } = await pinnedServer()
  const headers = { cookie: `holdfast_session=${'A'.repeat(43)}` }
  for (const more of [{}, { headers }]) {
    expect((await call('GET', SESSION, more)).body).toMatchObject({
      signed_in: true,
      open: true,
      tenant: '*',
      csrf_token: null,
      can_sign_out: false,
    })
    expect((await call('POST', JOBS, { ...more, body: JOB })).status).toBe(201)
  }
  expectProblem(await call('GET', SESSION, { headers: { host: 'evil.example' } }), 421, 'wrong_host')
})
