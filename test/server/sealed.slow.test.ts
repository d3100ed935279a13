// Row-level security as the second line over HTTP: with roles installed, the database narrows each call to the tenant of its key.
import { expect, it } from 'vitest'
import { z } from 'zod'
import type { Endpoint } from '../../src/contract/endpoint.js'
import type { Call, Route } from '../../src/server/http/route.js'
import { withTestSql } from '../support/world.js'
import { sealedServer } from './sealed.js'
import { expectApart, GUARDED, send, settle } from './two-tenants.js'
import { freshServer, type ServerWorld } from './world.js'

/** A route that asks for what is not its caller's: the mistake that must not matter. */
function wrong(name: string, ask: (call: Call) => Promise<unknown>): Route {
  const endpoint: Endpoint = {
    method: 'GET',
    path: `/wrong/${name}`,
    scope: ['read', 'work'],
    summary: name,
    tag: 'health',
    response: { 200: z.unknown() },
    errors: [],
  }
  return { name, endpoint, handle: async (call) => ({ status: 200, body: { seen: await ask(call) } }) }
}

const ALL = 'select tenant, count(*)::int as jobs from holdfast.jobs group by 1 order by 1'

const WRONG = [
  wrong('statement', ({ store }) => withTestSql(store).database.query(ALL)),
  wrong('often', ({ store }) => withTestSql(store).database.query(ALL, [], { often: true })),
  wrong('transaction', ({ store }) =>
    withTestSql(store).database.transaction((session) => session.query(ALL)),
  ),
  wrong('list', async ({ store }) => (await store.list.jobs({ tenant: 'bolt' })).rows.length),
  wrong('verb', ({ store }) => store.commands.cancel(1).catch(({ code }) => code)),
  wrong('keys', async ({ store }) => (await store.keys.list()).map(({ tenant }) => tenant)),
  wrong('leases', ({ store }) => store.work.leasesFor('bolt', [1, 2, 3]).catch(({ code }) => code)),
  wrong('unnarrowed', ({ server }) => withTestSql(server.store).database.query(ALL)),
]

async function twoTenants(world: ServerWorld) {
  const { jobId } = await world.store.enqueue({ queue: 'q', kind: 'k' }, { tenant: 'bolt' })
  await world.store.work.openLease('w', 60_000, 'bolt')
  await world.store.enqueue({ queue: 'q', kind: 'k' }, { tenant: 'acme' })
  const keys = { acme: await world.key(['read'], 'acme'), every: await world.key(['read'], '*') }
  await world.key(['read'], 'bolt')
  const seen = async (name: string, key: string) =>
    (await world.call('GET', `/wrong/${name}`, { key })).body.seen
  return { jobId, keys, seen }
}

it('6.17 a call of one tenant that asks for rows of another sees none where roles are installed, whatever it asks', async () => {
  const world = await sealedServer({ routes: WRONG })
  const { keys, seen } = await twoTenants(world)
  const own = [{ tenant: 'acme', jobs: 1 }]
  const everything = [...own, { tenant: 'bolt', jobs: 1 }]
  // Twice, because the second finds the statement prepared and the connection used.
  for (const name of ['statement', 'often', 'transaction', 'statement', 'often', 'transaction'])
    expect(await seen(name, keys.acme), name).toEqual(own)
  expect(await seen('list', keys.acme)).toBe(0)
  expect(await seen('verb', keys.acme)).toBe('unknown_job')
  expect(await seen('keys', keys.acme)).toEqual(['acme'])
  expect(await seen('leases', keys.acme)).toBe('tenant_denied')
  // The choice ends with its statement: what the server asks for all tenants, on the same connections, sees all of them.
  for (let n = 0; n < 4; n++) expect(await seen('unnarrowed', keys.acme)).toEqual(everything)
  expect(await seen('statement', keys.every)).toEqual(everything)
})

it('6.17 without roles the same call is not narrowed, and pays for nothing', async () => {
  const world = await freshServer({ routes: WRONG })
  const { keys, seen } = await twoTenants(world)
  expect(await seen('statement', keys.acme)).toHaveLength(2)
})

it('6.17 two tenants see nothing of each other on any route of a server that is connected as its role', async () => {
  await expectApart(await sealedServer())
})

it('6.17 every route answers a tenant on a sealed database what it answers on a plain one', async () => {
  const answers = async (world: ServerWorld) => {
    const own = await settle(world, 'acme', 'acme-mark')
    const key = await world.key(['admin', 'operate', 'enqueue', 'work'], 'acme')
    const heard: string[] = []
    for (const route of GUARDED) {
      const { status, body } = await send(world, route, own, key)
      heard.push(`${route.name} ${status} ${body?.code ?? ''}`)
    }
    return heard
  }
  expect(await answers(await sealedServer())).toEqual(await answers(await freshServer()))
})
