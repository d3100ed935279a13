// Document 003: tenants have their own workers and their own data. Preset `target`.
import { type App, defineJob } from 'holdfast'
import { expect, it, vi } from 'vitest'
import { freshApp } from '../support/app.js'
import { expectHealthy, secondStore } from '../support/world.js'

const QUEUE = 'accounts'
const WAIT = { timeout: 30_000, interval: 20 }
const TENANTS = ['acme', 'bolt'] as const

const enqueueFor = (
  app: App,
  job: Parameters<App['enqueue']>[0],
  tenant: string,
  target: string,
  more = {},
) => app.enqueue(job, { tenant }, { tenant, target, ...more })

it('S3.11 the number of workers is set per tenant, and each works only for its own', async () => {
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

it('S3.11 the same queue, key and target in two tenants have nothing to do with each other', async () => {
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
  expect(await elsewhere.work.depth({ queues: [QUEUE], tenant: 'acme' })).toBe(0)
  await app.work({ pollMs: 20, groups: TENANTS.map((tenant) => ({ tenant, defaultCount: 1, maxCount: 1 })) })
  expect(await bolt.result()).toBe('bolt')
  expect(await acme.status()).toBe('queued')
  await app.queues.resume(QUEUE, { tenant: 'acme' })
  expect(await acme.result()).toBe('acme')
})
