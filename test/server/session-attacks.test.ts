// What others try with a session: forge calls of its browser, bring their own cookie, change it, use it for another tenant.
import { expect, it } from 'vitest'
import { allows, isUnsafe } from '../../src/contract/endpoint.js'
import { defaultRoutes } from '../../src/server/app.js'
import { serve } from '../support/http.js'
import { freshStore } from '../support/world.js'
import { cookieIn, signIn } from './browser.js'
import { NOBODYS, requestOf } from './samples.js'
import { Stream } from './sse.js'
import { expectProblem, freshServer, serverOn } from './world.js'

const JOB = { queue: 'q', kind: 'k' }
const SESSION = '/api/v1/session'
const JOBS = '/api/v1/jobs'

const GUARDED = defaultRoutes().filter(({ endpoint }) => endpoint.scope !== null)
const UNSAFE = GUARDED.filter(({ endpoint }) => isUnsafe(endpoint))

it('a session of a key that may only read opens the routes for reading and no other, also with its CSRF token', async () => {
  const world = await freshServer()
  const reader = await signIn(world, await world.key(['read'], '*'))
  const refused = GUARDED.filter(({ endpoint }) => !allows(endpoint, ['read']))
  expect(refused.length).toBeGreaterThan(UNSAFE.length)
  for (const route of GUARDED) {
    const { url, body } = requestOf(route, NOBODYS)
    const heard = await reader.call(route.endpoint.method, url, { body })
    if (refused.includes(route)) expectProblem(heard, 403, 'scope_missing')
    else {
      expect(heard.status, `${route.name} ${heard.text}`).toBeLessThan(500)
      expect(heard.body?.code, route.name).not.toBe('scope_missing')
    }
  }
})

it('every route that changes something refuses a read-only session, a forged call, and a read-only server refuses everyone', async () => {
  const world = await freshServer()
  const reader = await signIn(world, await world.key(['read'], '*'))
  const admin = await signIn(world, await world.key(['admin'], '*'))
  const readOnly = serverOn(world.store, { readOnly: true })
  const asAdmin = await signIn(readOnly, await world.key(['admin'], '*'))
  expect((await reader.call('GET', SESSION)).body).toMatchObject({ read_only: true, scopes: ['read'] })
  expect((await asAdmin.call('GET', SESSION)).body).toMatchObject({ read_only: true, scopes: ['admin'] })
  expect((await admin.call('GET', SESSION)).body).toMatchObject({ read_only: false })
  expect(UNSAFE.length).toBeGreaterThan(70)
  for (const route of UNSAFE) {
    const { url, body } = requestOf(route, NOBODYS)
    const { method } = route.endpoint
    expectProblem(await reader.call(method, url, { body }), 403, 'scope_missing')
    expectProblem(await admin.forged(method, url, body), 403, 'csrf_token_missing')
    expectProblem(await asAdmin.call(method, url, { body }), 403, 'read_only')
  }
  expect((await asAdmin.call('GET', '/api/v1/keys')).status).toBe(200)
  expect((await asAdmin.call('POST', '/api/v1/jobs/lookup', { body: { job_ids: [1] } })).status).toBe(200)
  expect((await asAdmin.call('DELETE', SESSION)).status).toBe(204)
})

it('the CSRF token is that of the session: no other, none of another session, and not across sites', async () => {
  const world = await freshServer()
  const key = await world.key(['enqueue', 'read'])
  const [mine, theirs] = [await signIn(world, key), await signIn(world, key)]
  const post = (headers: Record<string, string>) => mine.call('POST', JOBS, { body: JOB, headers })
  const { csrf } = mine
  for (const wrong of [
    '',
    'x',
    theirs.csrf,
    `${csrf}x`,
    csrf.slice(1),
    csrf.toUpperCase(),
    mine.cookie.split('=')[1] ?? '',
  ])
    expectProblem(await post({ 'x-csrf-token': wrong }), 403, 'csrf_token_missing')
  for (const site of ['cross-site', 'same-site'])
    expectProblem(await post({ 'sec-fetch-site': site }), 403, 'cross_site')
  expectProblem(await post({ origin: 'http://evil.example' }), 403, 'cross_site')
  expectProblem(await mine.forged('DELETE', SESSION), 403, 'csrf_token_missing')
  expect((await mine.call('GET', JOBS)).body.jobs).toEqual([])
  // Nor can another site sign a browser in to its own session.
  const login = { body: { key }, headers: { 'sec-fetch-site': 'cross-site' } }
  expectProblem(await world.call('POST', SESSION, login), 403, 'cross_site')
  const form = { body: `key=${key}`, headers: { 'content-type': 'text/plain' } }
  expectProblem(await world.call('POST', SESSION, form), 415, 'unsupported_media_type')
  expect((await post({})).status).toBe(201)
  // A program with a key needs no token, also if a cookie comes along.
  const headers = { cookie: mine.cookie }
  expect((await world.call('POST', JOBS, { key, body: JOB, headers })).status).toBe(201)
})

it('a cookie that the server did not make is no session, and signing in never takes over the one that was sent', async () => {
  const world = await freshServer()
  const key = await world.key(['read'])
  const chosen = `holdfast_session=${'A'.repeat(43)}`
  const signedIn = await world.call('POST', SESSION, { body: { key }, headers: { cookie: chosen } })
  const first = cookieIn(signedIn)
  expect(first).not.toBe(chosen)
  const look = async (cookie: string) => (await world.call('GET', JOBS, { headers: { cookie } })).status
  expect([await look(chosen), await look(first)]).toEqual([401, 200])
  // Signing in again gives a new session and ends the old one.
  const again = cookieIn(await world.call('POST', SESSION, { body: { key }, headers: { cookie: first } }))
  expect([await look(first), await look(again)]).toEqual([401, 200])
  const token = again.split('=')[1] ?? ''
  const flipped = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`
  for (const wrong of [flipped, token.slice(1), `${token}A`, '', key, `${token}%00`, `"${token}"`])
    expect(await look(`holdfast_session=${wrong}`), wrong).toBe(401)
  expect(await look(`other=1; ${again}; more=2`)).toBe(200)
  expect(await look(`${again}; holdfast_session=${'B'.repeat(43)}`)).toBe(200)
})

it('the database has neither token nor key of a session in clear', async () => {
  const adminKey = 'an-admin-key-of-the-test'
  const world = await freshServer({ adminKey })
  const key = await world.key(['read'])
  const secrets = [key, adminKey]
  for (const each of [key, adminKey]) {
    const { cookie, csrf } = await signIn(world, each)
    secrets.push(cookie.split('=')[1] ?? '', csrf)
  }
  await world.app.close()
  const rows = await world.store.database.query<{ row: string }>(
    'select to_jsonb(s)::text as row from holdfast.web_session s union all select to_jsonb(a)::text from holdfast.audit a',
  )
  expect(rows.length).toBeGreaterThanOrEqual(4)
  for (const secret of secrets)
    for (const { row } of rows) {
      expect(row).not.toContain(secret)
      expect(row).not.toContain(Buffer.from(secret).toString('hex'))
      expect(row).not.toContain(Buffer.from(secret, 'base64url').toString('hex'))
    }
})

it('a session acts for the tenant of its key and for no other', async () => {
  const world = await freshServer()
  await world.store.enqueue({ queue: 'q', kind: 'of-bolt' }, { tenant: 'bolt' })
  const acme = await signIn(world, await world.key(['read'], 'acme'))
  const everywhere = await signIn(world, await world.key(['read'], '*'))
  const headers = { 'holdfast-tenant': 'bolt' }
  expectProblem(await acme.call('GET', JOBS, { headers }), 403, 'wrong_tenant')
  expect((await acme.call('GET', JOBS)).body.jobs).toEqual([])
  expect((await everywhere.call('GET', JOBS, { headers })).body.jobs).toHaveLength(1)
})

it('a stream of events takes the cookie, and ends soon after the user has signed out', async () => {
  const { store, url, call } = await serve(await freshStore(), { limits: { heartbeatMs: 50 } })
  const { secret } = await store.keys.create({ name: 'k', scopes: ['read'] })
  const { headers, body } = await call('POST', SESSION, { key: secret })
  const cookie = (headers.get('set-cookie') ?? '').split(';', 1)[0] ?? ''
  const stream = await (await Stream.open(url, { headers: { cookie } })).settled()
  await store.enqueue(JOB)
  await stream.until(() => stream.heard.some(({ event }) => event === 'job'))
  await call('DELETE', SESSION, undefined, { cookie, 'x-csrf-token': body.csrf_token })
  await stream.end()
  expect(stream.heard.at(-1)).toMatchObject({ event: 'end', data: { reason: 'key' } })
})
