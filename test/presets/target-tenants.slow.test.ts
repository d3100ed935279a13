// The target preset: tenants have their own workers and their own data.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type App, defineJob } from 'holdfast'
import { loadConfig, workOptionsOf } from 'holdfast/config'
import { expect, it, vi } from 'vitest'
import { freshApp } from '../support/app.js'
import { emptyFolder } from '../support/cli/child.js'
import { LIBRARY, start } from '../support/cli/long-running.js'
import { bearer, serve } from '../support/http.js'
import { expectHealthy, freshStore, postgresUrl, secondStore } from '../support/world.js'

const QUEUE = 'accounts'
const WAIT = { timeout: 100_000, interval: 20 }
const TENANTS = ['acme', 'bolt'] as const
const ADMIN = 'an-admin-key-of-the-test'

const enqueueFor = (
  app: App,
  job: Parameters<App['enqueue']>[0],
  tenant: string,
  target: string,
  more = {},
) => app.enqueue(job, { tenant }, { tenant, target, ...more })

it('S3.11 the number of workers is set per tenant, and each worker serves only its tenant', async () => {
  const at: Record<string, Set<string>> = { acme: new Set(), bolt: new Set() }
  const most: Record<string, number> = { acme: 0, bolt: 0 }
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const job = defineJob({
    kind: 'sync',
    queue: QUEUE,
    handler: async (ctx, { tenant }: { tenant: string }) => {
      at[tenant]?.add(String(ctx.jobId))
      most[tenant] = Math.max(most[tenant] ?? 0, at[tenant]?.size ?? 0)
      await opened
      at[tenant]?.delete(String(ctx.jobId))
    },
  })
  const app = await freshApp({ jobs: [job] })
  for (const tenant of TENANTS) await app.queues.create(QUEUE, { preset: 'target', tenant })
  await app.work({
    name: 'fleet',
    pollMs: 20,
    groups: [
      { name: 'a', tenant: 'acme', defaultCount: 1, maxCount: 1 },
      { name: 'b', tenant: 'bolt', defaultCount: 3, maxCount: 3 },
    ],
  })
  const handles = await Promise.all(
    TENANTS.flatMap((tenant) => [1, 2, 3, 4, 5].map((n) => enqueueFor(app, job, tenant, `t${n}`))),
  )
  await vi.waitFor(() => expect([at.acme?.size, at.bolt?.size]).toEqual([1, 3]), WAIT)
  expect(
    (await app.store.workers.list()).map(({ worker, tenant, slots }) => [worker, tenant, slots]),
  ).toEqual([
    ['fleet.a', 'acme', 1],
    ['fleet.b', 'bolt', 3],
  ])
  open()
  await Promise.all(handles.map((handle) => handle.result()))
  expect(most).toEqual({ acme: 1, bolt: 3 })
  const rows = await app.store.database.query<{ tenant: string; worker: string }>(
    `select distinct j.tenant, a.worker from holdfast.jobs j join holdfast.attempts a on a.job_id = j.id order by 1`,
  )
  expect(rows).toEqual([
    { tenant: 'acme', worker: 'fleet.a' },
    { tenant: 'bolt', worker: 'fleet.b' },
  ])
  await expectHealthy(app.store)
})

it('S3.11 the same queue, key and target in two tenants are independent', async () => {
  const job = defineJob({
    kind: 'sync',
    queue: QUEUE,
    handler: (_ctx, { tenant }: { tenant: string }) => tenant,
  })
  const app = await freshApp({ jobs: [job] })
  for (const tenant of TENANTS) await app.queues.create(QUEUE, { preset: 'target', tenant })
  const [acme, bolt] = [
    await enqueueFor(app, job, 'acme', 'same', { key: 'same', idempotencyKey: 'same' }),
    await enqueueFor(app, job, 'bolt', 'same', { key: 'same', idempotencyKey: 'same' }),
  ]
  expect([acme.deduplicated, bolt.deduplicated, acme.id === bolt.id]).toEqual([false, false, false])
  expect((await enqueueFor(app, job, 'acme', 'same', { key: 'same' })).id).toBe(acme.id)
  // Neither waits behind the other at its target.
  expect([await acme.status(), await bolt.status()]).toEqual(['queued', 'queued'])

  const listed = async (tenant: string) => (await app.store.list.jobs({ tenant })).rows.map(({ id }) => id)
  expect([await listed('acme'), await listed('bolt'), await listed('default')]).toEqual([
    [acme.id],
    [bolt.id],
    [],
  ])

  // One stands still and the other goes on.
  await app.queues.pause(QUEUE, { tenant: 'acme', actor: 'ada' })
  const elsewhere = await secondStore(app.store)
  expect(await elsewhere.work.depth([QUEUE], undefined, 'acme')).toBe(0)
  await app.work({ pollMs: 20, groups: TENANTS.map((tenant) => ({ tenant, defaultCount: 1, maxCount: 1 })) })
  expect(await bolt.result()).toBe('bolt')
  expect(await acme.status()).toBe('queued')
  await app.queues.resume(QUEUE, { tenant: 'acme' })
  expect(await acme.result()).toBe('acme')
})

/** The most jobs of each tenant that were running at once, of handlers that wait for a file. */
async function fleetOf(toml: string, flags: readonly string[], env: Record<string, string> = {}) {
  const store = await freshStore()
  const folder = emptyFolder()
  writeFileSync(
    join(folder, 'jobs.mjs'),
    `import { setTimeout as lasting } from 'node:timers/promises'
     import { defineJob } from ${JSON.stringify(LIBRARY)}
     export const sync = defineJob({ kind: 'sync', queue: '${QUEUE}', handler: ({ signal }) => lasting(2 ** 30, null, { signal }) })
     export const queues = { ${QUEUE}: { preset: 'target' } }`,
  )
  writeFileSync(join(folder, 'holdfast.toml'), toml)
  const args = ['worker', './jobs.mjs', '--url', postgresUrl(), '--schema', store.schema, '--grace', '0']
  const worker = start([...args, ...flags], folder, env)
  await worker.said(({ event }) => event === 'worker_started')
  for (const tenant of TENANTS) {
    expect((await store.queues.get(QUEUE, { tenant })).preset).toBe('target')
    for (let n = 0; n < 5; n += 1)
      await store.enqueue({ queue: QUEUE, kind: 'sync', target: `t${n}` }, { tenant })
  }
  const running = async (tenant: string) =>
    (await store.list.jobs({ tenant, limit: 100 })).rows.filter(({ state }) =>
      ['assigned', 'running'].includes(state),
    ).length
  return { store, worker, running: async () => Promise.all(TENANTS.map(running)) }
}

it.each([
  ['a file', '[workers]\ntenants = "acme=1, bolt=3"\n', [], {}],
  ['a flag', '', ['--tenants', 'acme=1,bolt=3'], {}],
  ['a variable', '', [], { HOLDFAST_WORKERS_TENANTS: 'acme=1, bolt=3' }],
])('S3.11 the number of workers of each tenant is set by %s', async (_by, toml, flags, env) => {
  const { store, worker, running } = await fleetOf(toml, flags, env)
  await vi.waitFor(async () => expect(await running()).toEqual([1, 3]), WAIT)
  const rows = (await store.workers.list()).map(({ tenant, slots }) => [tenant, slots])
  expect(rows.sort()).toEqual([
    ['acme', 1],
    ['bolt', 3],
  ])
  worker.child.kill('SIGTERM')
  await worker.end
})

it('S3.11 max_running limits a tenant over all processes; the API changes it at run time, and it takes effect at once', async () => {
  const { store, worker, running } = await fleetOf('[workers]\ntenants = "acme=5, bolt=5"\n', [])
  await vi.waitFor(async () => expect(await running()).toEqual([5, 5]), WAIT)
  const { call } = await serve(store, { adminKey: ADMIN })
  const limit = (max: number | null) =>
    call('PATCH', '/api/v1/tenants/acme', { max_running: max }, bearer(ADMIN))
  expect((await limit(2)).status).toBe(200)
  for (const { id } of (await store.list.jobs({ tenant: 'acme', limit: 100 })).rows) {
    await store.commands.cancel(id)
    await vi.waitFor(async () => expect((await store.read.job(id)).state).toBe('paused'), WAIT)
    await store.commands.skip(id)
  }
  for (let n = 0; n < 5; n += 1)
    await store.enqueue({ queue: QUEUE, kind: 'sync', target: `t${n}` }, { tenant: 'acme' })
  await vi.waitFor(async () => expect(await running()).toEqual([2, 5]), WAIT)
  await limit(4)
  await vi.waitFor(async () => expect(await running()).toEqual([4, 5]), WAIT)
  worker.child.kill('SIGTERM')
  await worker.end
})

it.each([
  ['acme', 'must be numbers or ranges by tenant'],
  ['acme=0', 'acme=0 must be a number or a range from 1 to 1000'],
  ['acme=1001', 'acme=1001 must be a number or a range from 1 to 1000'],
  ['acme=3-2', 'acme=3-2 must be a number or a range from 1 to 1000'],
  ['acme=1, acme=2', 'acme is listed twice'],
])('S3.11 workers.tenants = "%s" is refused', (value, problem) => {
  const load = () =>
    workOptionsOf(loadConfig({ env: { HOLDFAST_WORKERS_TENANTS: value }, cwd: emptyFolder() }))
  expect(load).toThrow(problem)
})

it('S3.11 workers.tenants takes 1 to 1000, and a range', () => {
  const env = { HOLDFAST_WORKERS_TENANTS: 'acme=1, bolt=2-1000' }
  expect(workOptionsOf(loadConfig({ env, cwd: emptyFolder() })).groups).toEqual([
    { name: 'acme', tenant: 'acme', defaultCount: 1, maxCount: 1 },
    { name: 'bolt', tenant: 'bolt', defaultCount: 2, maxCount: 1_000 },
  ])
})
