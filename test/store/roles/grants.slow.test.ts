// Tenants granted, taken away and chosen; leases among workers of different tenants.
import type { ClaimedJob, Store } from 'holdfast/store'
import { beforeEach, expect, it } from 'vitest'
import { type Login, login, sealedStore } from '../../support/roles/sealed.js'
import { expectHealthy, freshStore, type World } from '../../support/world.js'
import { narrow } from '../history/narrow.js'

let store: World
beforeEach(async () => {
  store = await sealedStore()
})

const makeJob = async (tenant: string) => (await store.enqueue({ queue: 'q', kind: 'k' }, { tenant })).jobId

const claimAs = async (worker: Store, tenant: string, lease?: number) => {
  const [job] = await worker.work.claim({ worker: 'w', queues: ['q'], tenant, ...(lease ? { lease } : {}) })
  return job
}

const tenantsOf = async (user: Pick<Login, 'choosing'>, chosen?: string) => {
  const [row] = await user.choosing<{ mine: string[] }>(chosen, 'select holdfast.visible_tenants() as mine')
  return row?.mine
}

it('a user acts for what is granted to it and to the roles it is a member of, and to nobody else', async () => {
  const user = await login(store, 'reader', ['acme'])
  const team = await login(store, [], ['bolt'])
  expect(await tenantsOf(user)).toEqual(['acme'])
  await store.database.script(`grant ${team.user} to ${user.user}`)
  expect(await tenantsOf(user)).toEqual(['acme', 'bolt'])
  expect(await tenantsOf(user, 'bolt')).toEqual(['bolt'])
  expect(await tenantsOf(await login(store, 'reader', []))).toEqual([])
})

it('acting as another role with set role changes nothing: what counts is who is connected', async () => {
  const user = await login(store, 'reader', ['acme'])
  const mighty = await login(store, 'reader', ['*'])
  await makeJob('acme')
  await makeJob('bolt')
  const asReader = await mighty.database.transaction(async (session) => {
    await session.script(`set local role ${store.schema}_reader`)
    return session.query('select tenant from holdfast.jobs order by 1')
  })
  expect(asReader).toEqual([{ tenant: 'acme' }, { tenant: 'bolt' }])
  await expect(user.database.query(`set role ${mighty.user}`)).rejects.toMatchObject({ code: 'forbidden' })
  await expect(user.database.query(`set session authorization ${mighty.user}`)).rejects.toMatchObject({
    code: 'forbidden',
  })
})

it('a role that was dropped leaves its grants behind without harm', async () => {
  await store.database.query(`insert into holdfast.tenant_grant values ('no_such_role', 'acme')`)
  const user = await login(store, 'reader', ['bolt'])
  expect(await tenantsOf(user)).toEqual(['bolt'])
})

it('whoever has every tenant may narrow itself to one for a transaction, and the next one is whole again', async () => {
  await makeJob('acme')
  await makeJob('bolt')
  const server = await login(store, 'server', [])
  const seen = (chosen?: string) => server.choosing(chosen, 'select tenant from holdfast.jobs order by 1')
  const both = [{ tenant: 'acme' }, { tenant: 'bolt' }]
  for (let again = 0; again < 4; again++) {
    expect(await seen('acme')).toEqual([{ tenant: 'acme' }])
    expect(await seen()).toEqual(both)
    expect(await seen('nobody')).toEqual([])
  }
  await expect(
    server.choosing('acme', `select holdfast.enqueue('q', 'k', '{}', '{}', 'bolt')`),
  ).rejects.toMatchObject({ code: 'tenant_denied', status: 403, details: { tenant: 'bolt' } })
  await expect(server.choosing('acme', 'select holdfast.prune()')).rejects.toMatchObject({
    code: 'tenant_denied',
  })
})

it('only the server grants and takes tenants; both are told in the feed', async () => {
  const server = await login(store, 'server', [])
  const reader = await login(store, 'reader', [])
  const call = (verb: string, who = server) =>
    who.database.query<{ done: boolean }>(`select holdfast.${verb}($1, 'acme', 'boss') as done`, [
      reader.user,
    ])
  expect(await call('grant_tenant')).toEqual([{ done: true }])
  expect(await call('grant_tenant')).toEqual([{ done: false }])
  expect(await tenantsOf(reader)).toEqual(['acme'])
  const { events } = await reader.read.feed('all')
  expect(events).toMatchObject([{ type: 'tenant_granted', actor: 'boss', data: { role: reader.user } }])
  expect(await call('revoke_tenant')).toEqual([{ done: true }])
  expect(await call('revoke_tenant')).toEqual([{ done: false }])
  expect(await tenantsOf(reader)).toEqual([])
  await expect(call('grant_tenant', reader)).rejects.toMatchObject({ code: 'forbidden' })
  await expect(
    server.database.query(`select holdfast.grant_tenant('no_such_role', 'acme')`),
  ).rejects.toMatchObject({
    code: 'invalid_input',
  })
})

it('without roles everybody acts for every tenant, and there is nothing to grant', async () => {
  const plain = await freshStore()
  await plain.enqueue({ queue: 'q', kind: 'k' }, { tenant: 'acme' })
  expect(
    await plain.database.query(
      'select holdfast.visible_tenants() as mine, holdfast.visible_queues() as queues',
    ),
  ).toEqual([{ mine: ['*'], queues: null }])
  await expect(plain.database.query(`select holdfast.grant_tenant('x', 'acme')`)).rejects.toMatchObject({
    code: 'invalid_input',
  })
})

it('a worker takes back the jobs of a dead one of the same tenants, without any upkeep', async () => {
  const [dead, alive] = [
    await login(store, 'worker', ['acme']),
    await login(store, 'worker', ['acme', 'bolt']),
  ]
  const jobId = await makeJob('acme')
  const { lease } = await dead.work.openLease('dead', 30_000)
  expect(await claimAs(dead, 'acme', lease)).toMatchObject({ jobId })
  expect(await claimAs(alive, 'acme')).toBeUndefined()
  await store.clock.advance(30_000)
  expect(await claimAs(alive, 'acme')).toMatchObject({ jobId, attempt: 2, losses: 1 })
  expect(await dead.work.renew([lease])).toMatchObject([{ alive: false }])
  await expectHealthy(store)
})

it('the lease of a single job is its tenant’s, whoever handed it out', async () => {
  const server = await login(store, 'server', [])
  const [worker, stranger] = [await login(store, 'worker', ['acme']), await login(store, 'worker', ['bolt'])]
  const jobId = await makeJob('acme')
  const job = (await claimAs(server, 'acme')) as ClaimedJob
  expect(await stranger.work.renew([job.lease])).toMatchObject([{ alive: false }])
  expect(await worker.work.renew([job.lease])).toMatchObject([{ alive: true }])
  await store.clock.advance(30_000)
  expect(await claimAs(stranger, 'bolt')).toBeUndefined()
  expect(await claimAs(worker, 'acme')).toMatchObject({ jobId, attempt: 2, losses: 1 })
  await expectHealthy(store)
})

it('a lease that also holds jobs of somebody else’s is left to the server', async () => {
  const [wide, narrow] = [
    await login(store, 'worker', ['acme', 'bolt']),
    await login(store, 'worker', ['acme']),
  ]
  const server = await login(store, 'server', [])
  const jobId = await makeJob('acme')
  const { lease } = await wide.work.openLease('wide', 30_000)
  await claimAs(wide, 'acme', lease)
  expect(await narrow.work.renew([lease])).toMatchObject([{ alive: false }])
  expect(await narrow.work.closeLease(lease)).toBe(0)
  await store.clock.advance(30_000)
  expect(await claimAs(narrow, 'acme')).toBeUndefined()
  expect(await server.upkeep.reclaim()).toBe(1)
  expect(await claimAs(narrow, 'acme')).toMatchObject({ jobId, attempt: 2 })
  await expectHealthy(store)
})

it('a worker whose tenant is taken away loses its lease and can finish nothing', async () => {
  const worker = await login(store, 'worker', ['acme', 'bolt'])
  const jobId = await makeJob('acme')
  const { lease } = await worker.work.openLease('w', 30_000)
  const job = (await claimAs(worker, 'acme', lease)) as ClaimedJob
  await store.database.query(`select holdfast.revoke_tenant($1, 'acme')`, [worker.user])
  expect(await worker.work.renew([lease])).toMatchObject([{ alive: false }])
  expect(await worker.work.finish([{ ...job, outcome: 'succeeded' }])).toMatchObject([{ accepted: false }])
  await store.clock.advance(30_000)
  expect(await store.upkeep.reclaim()).toBe(1)
  expect(await store.read.job(jobId)).toMatchObject({ state: 'queued', losses: 1 })
  await expectHealthy(store)
})

it('the chores of the server serve every tenant', async () => {
  const server = await login(store, 'server', [])
  const ids = [await makeJob('acme'), await makeJob('bolt')]
  for (const tenant of ['acme', 'bolt']) {
    const [job] = await store.work.claim({ worker: 'w', queues: ['q'], tenant })
    await store.work.finish([{ ...(job as ClaimedJob), outcome: 'snoozed', delayMs: 1_000 }])
  }
  await store.clock.advance(1_000)
  expect(await server.upkeep.promote()).toBe(2)
  await store.clock.advance(7_200_000)
  expect(await server.upkeep.age()).toBe(2)
  for (const jobId of ids)
    expect(await server.read.job(jobId)).toMatchObject({ state: 'queued', priority: 10 })
  expect(
    await server.database.query(
      `select holdfast.prune_records('0 s', '0 s') > 0 as some, holdfast.prune() as pruned`,
    ),
  ).toEqual([{ some: true, pruned: 0 }])
})

it('the server drops history of every tenant, and cleans up after rows that are gone', async () => {
  await narrow(store, 10)
  const server = await login(store, 'server', [])
  const worker = await login(store, 'worker', ['acme', 'bolt'])
  for (let n = 0; n < 12; n++) {
    const tenant = n % 2 === 0 ? 'acme' : 'bolt'
    await makeJob(tenant)
    const job = (await claimAs(worker, tenant)) as ClaimedJob
    await worker.work.report({ ...job, cursor: n, done: true })
  }
  await store.database.query('insert into holdfast.lane_todo (lane, ended) values (12345, 1)')
  await store.clock.advance(8 * 24 * 3_600_000)
  await expect(worker.database.query('select holdfast.prune()')).rejects.toMatchObject({ code: 'forbidden' })
  expect(await server.database.query('select holdfast.prune() as gone')).toEqual([{ gone: 10 }])
  await server.upkeep.settleTargets()
  expect(
    await store.database.query(`select (select count(*) from holdfast.job) as jobs, (select count(*) from holdfast.progress) as progress,
      (select count(*) from holdfast.lane_todo) as todo`),
  ).toEqual([{ jobs: 2, progress: 2, todo: 0 }])
  await expect(server.database.query('select from holdfast.job_11')).rejects.toMatchObject({
    code: 'forbidden',
  })
  await expectHealthy(store)
})
