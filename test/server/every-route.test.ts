// Every route of the router with every kind of credential, so that a new one cannot be forgotten.
import { SCOPES, type Scope } from 'holdfast/server'
import { expect, it } from 'vitest'
import { isUnsafe } from '../../src/contract/endpoint.js'
import { defaultRoutes } from '../../src/server/app.js'
import { NOBODYS, requestOf, SAMPLES } from './samples.js'
import { expectApart, GUARDED, send } from './two-tenants.js'
import { expectProblem, freshServer } from './world.js'

const ROUTES = defaultRoutes()

it('the router has the routes of the contract and no others', async () => {
  const { app } = await freshServer()
  await app.ready()
  const registered = app.printRoutes({ commonPrefix: false, includeHooks: false })
  const lines = [...registered.matchAll(/(\S+) \(([A-Z, ]+)\)/g)]
  const count = lines.reduce(
    (sum, [, , methods = '']) => sum + methods.split(', ').filter((m) => m !== 'HEAD').length,
    0,
  )
  expect(count).toBe(ROUTES.length)
  for (const { endpoint } of ROUTES)
    expect(app.hasRoute({ method: endpoint.method, url: endpoint.path.replace(/\{(\w+)\}/g, ':$1') })).toBe(
      true,
    )
  expect(new Set(ROUTES.map(({ name }) => name)).size).toBe(ROUTES.length)
  expect(Object.keys(SAMPLES).filter((name) => !ROUTES.some((route) => route.name === name))).toEqual([])
})

it('no route but those that are open lets anybody in without a key, or with a wrong, revoked or expired one', async () => {
  const world = await freshServer()
  const { store } = world
  const revoked = await store.keys.create({ name: 'revoked', scopes: SCOPES, tenant: '*' })
  await store.keys.revoke(revoked.id)
  const expired = await store.keys.create({ name: 'expired', scopes: SCOPES, tenant: '*' })
  await store.keys.rotate(expired.id, { overlapMs: 0 })
  expect(GUARDED.length).toBeGreaterThan(30)
  for (const route of GUARDED)
    for (const key of [undefined, 'hf_wrong', revoked.secret, expired.secret])
      expectProblem(await send(world, route, NOBODYS, key), 401, 'unauthorized')
})

it('each scope opens exactly the routes that the table says', async () => {
  const world = await freshServer()
  const keys = await Promise.all(
    SCOPES.map(async (scope): Promise<[Scope, string]> => [scope, await world.key([scope], '*')]),
  )
  const table: string[] = []
  for (const route of ROUTES) {
    const open: string[] = []
    for (const [scope, key] of keys) {
      const { body, status } = await send(world, route, NOBODYS, key)
      expect(status, `${route.name} ${JSON.stringify(body)}`).toBeLessThan(500)
      if (body?.code !== 'scope_missing') open.push(scope)
    }
    const who = route.endpoint.scope === null ? 'anybody' : open.join(' ')
    const every = route.endpoint.everyTenant ? ' (every tenant)' : ''
    table.push(`${route.endpoint.method.padEnd(6)} ${route.endpoint.path.padEnd(36)} ${who}${every}`)
  }
  await expect(`${table.sort().join('\n')}\n`).toMatchFileSnapshot('./scopes.txt')
})

const UNSAFE = ROUTES.filter(({ endpoint }) => isUnsafe(endpoint))

it('a browser on behalf of another site is refused by every route that changes something, also where that is a GET, and by no other', async () => {
  const { call } = await freshServer()
  expect(UNSAFE.filter(({ endpoint }) => endpoint.method === 'GET').map(({ name }) => name)).toEqual([
    'pullJob',
    'pullJobPhp',
  ])
  for (const route of ROUTES) {
    const { url, body } = requestOf(route, NOBODYS)
    const headers = { 'sec-fetch-site': 'cross-site' }
    const heard = await call(route.endpoint.method, url, { headers, ...(body === undefined ? {} : { body }) })
    if (UNSAFE.includes(route)) expectProblem(heard, 403, 'cross_site')
    else expect(heard.body?.code, route.name).not.toBe('cross_site')
  }
})

it('every route that changes something leaves one row in the audit log when it refuses, with who it was', async () => {
  const world = await freshServer()
  const key = await world.key(['read'])
  const guarded = UNSAFE.filter(({ endpoint }) => endpoint.scope !== null)
  for (const route of guarded) await send(world, route, NOBODYS, key)
  await world.app.close()
  const rows = await world.store.audit.list({ limit: 500 })
  expect(rows.map(({ operation }) => operation).sort()).toEqual(guarded.map(({ name }) => name).sort())
  for (const row of rows)
    expect(row).toMatchObject({ actor: 'key-1', tenant: 'default', status: 403, code: 'scope_missing' })
})

it('what concerns every tenant takes a key of every tenant', async () => {
  const world = await freshServer()
  const admin = await world.key(['admin'], 'acme')
  const wide = ROUTES.filter(({ endpoint }) => endpoint.everyTenant)
  expect(wide.length).toBeGreaterThan(2)
  for (const route of wide) expectProblem(await send(world, route, NOBODYS, admin), 403, 'wrong_tenant')
  expectProblem(
    await world.call('POST', '/api/v1/keys', {
      key: admin,
      body: { name: 'x', scopes: ['read'], every_tenant: true },
    }),
    403,
    'wrong_tenant',
  )
})

it('two tenants see nothing of each other and change nothing of each other, on any route', async () => {
  await expectApart(await freshServer())
})
