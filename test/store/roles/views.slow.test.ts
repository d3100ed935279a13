// The views of a sealed schema. They run as the owner of the schema, whom row-level security binds like everybody.
import { expect, it } from 'vitest'
import type { Login } from '../../support/roles/sealed.js'
import { type TwoTenants, twoTenants } from '../../support/roles/two-tenants.js'

const viewsOf = async ({ store }: TwoTenants) =>
  (
    await store.database.query<{ name: string }>(
      `select c.relname as name from pg_class c where c.relnamespace = $1::regnamespace and c.relkind = 'v' order by 1`,
      [store.schema],
    )
  ).map(({ name }) => name)

const rowsFor = async (user: Pick<Login, 'choosing'>, view: string, chosen?: string) =>
  (
    await user.choosing<{ row: string }>(
      chosen,
      `select to_jsonb(v)::text as row from holdfast.${view} v order by 1`,
    )
  ).map(({ row }) => row)

it('each view shows each tenant its own rows, and together they are all there are', async () => {
  const world = await twoTenants()
  // Settings and chores are the same for everybody.
  const views = (await viewsOf(world)).filter((view) => view !== 'settings' && view !== 'chores')
  expect(views.length).toBeGreaterThan(6)
  for (const view of views) {
    const all = await world.store.database.query<{ row: string }>(
      `select to_jsonb(v)::text as row from holdfast.${view} v order by 1`,
    )
    const [acme, bolt] = [await rowsFor(world.acme, view), await rowsFor(world.bolt, view)]
    expect(bolt, `${view} has nothing to hide`).not.toEqual([])
    expect([...acme, ...bolt].sort(), view).toEqual(all.map(({ row }) => row).sort())
    expect(acme.filter((row) => bolt.includes(row))).toEqual([])
    expect(await rowsFor(world.acme, view, 'acme'), view).toEqual(acme)
    for (const chosen of ['bolt', '*', 'nonsense'])
      expect(await rowsFor(world.acme, view, chosen), view).toEqual([])
  }
  expect(await rowsFor(world.acme, 'jobs')).toHaveLength(1)
})

it('a reader sees until when a job is leased, although the lease is the worker’s', async () => {
  const { bolt, running } = await twoTenants()
  const job = await bolt.read.job(running.jobId)
  expect(job).toMatchObject({
    state: 'assigned',
    leaseOwner: 'bolt-worker',
    leaseExpiresAt: expect.any(Date),
  })
  expect((await bolt.read.violations()).map(({ rule }) => rule)).not.toContain('a running job has no lease')
})

it('a condition that tells what it sees is shown no row of another tenant', async () => {
  const { acme, bolt, store } = await twoTenants()
  // A function of the reader's own, as cheap as can be, so that the planner would like to ask it first.
  await store.database.script(`create schema ${store.schema}_spy authorization ${acme.user}`)
  await acme.database.script(`create function ${store.schema}_spy.tell(anyelement) returns boolean language plpgsql cost 0.0000001
    as $$ begin raise exception using errcode = 'P0001', message = 'seen ' || $1::text; end $$`)
  const spy = (chosen: string) =>
    acme.choosing(chosen, `select from holdfast.jobs where ${store.schema}_spy.tell(input)`)
  await expect(spy('acme')).rejects.toThrow('seen {"own": 1}')
  await expect(spy('bolt')).resolves.toEqual([])
  await expect(
    acme.choosing(
      undefined,
      `select from holdfast.queues where tenant = 'bolt' and ${store.schema}_spy.tell(name)`,
    ),
  ).resolves.toEqual([])
  expect(await rowsFor(bolt, 'queues')).toHaveLength(3)
  await store.database.script(`drop schema ${store.schema}_spy cascade`)
})

it('a view somebody makes over ours shows its reader’s rows and not its maker’s', async () => {
  const { acme, bolt, store } = await twoTenants()
  const schema = `${store.schema}_own`
  await store.database.script(`create schema ${schema} authorization ${bolt.user}`)
  await bolt.database.script(`create view ${schema}.mine as select id, tenant from ${store.schema}.jobs;
    grant usage on schema ${schema} to ${acme.user}; grant select on ${schema}.mine to ${acme.user}`)
  expect(await acme.database.query(`select distinct tenant from ${schema}.mine`)).toEqual([
    { tenant: 'acme' },
  ])
  await store.database.script(`drop schema ${schema} cascade`)
})

it('switching row-level security off shows an error and not a row', async () => {
  const { acme, queue } = await twoTenants()
  const without = (text: string) =>
    acme.database.transaction(async (session) => {
      await session.query('set local row_security = off')
      return session.query(text)
    })
  await expect(without('select from holdfast.jobs')).rejects.toMatchObject({ code: 'forbidden' })
  await expect(without(`select from holdfast.claim('w', null, array[${queue}], 1)`)).rejects.toMatchObject({
    code: 'forbidden',
  })
})
