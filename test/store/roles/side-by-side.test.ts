// Users of two tenants at work at the same time; through a pooler, too, where the sessions change hands all the time.
import { expect, it } from 'vitest'
import { login, sealedStore } from '../../support/roles/sealed.js'
import { withTestSql } from '../../support/world.js'

it('users of two tenants who work side by side each see and move only what is theirs', async () => {
  const store = await sealedStore()
  const tenants = ['acme', 'bolt']
  const made = await Promise.all(
    tenants.map(async (tenant) => {
      const user = await login(store, ['producer', 'worker', 'operator'], [tenant])
      const enqueue = () => user.enqueue({ queue: 'q', kind: 'k' }, { tenant })
      const jobs = await Promise.all(Array.from({ length: 30 }, enqueue))
      return { tenant, user, ids: jobs.map(({ jobId }) => jobId).sort((a, b) => a - b) }
    }),
  )
  const claimed = await Promise.all(
    made.map(async ({ tenant, user }) => {
      const { lease } = await user.work.openLease(`w-${tenant}`, 60_000)
      const jobs = await user.work.claim({ worker: `w-${tenant}`, lease, tenant, queues: ['q'], limit: 100 })
      const ended = await user.work.finish(jobs.map((job) => ({ ...job, outcome: 'succeeded' as const })))
      expect(ended.every(({ accepted }) => accepted)).toBe(true)
      return jobs.map(({ jobId }) => jobId).sort((a, b) => a - b)
    }),
  )
  expect(claimed).toEqual(made.map(({ ids }) => ids))
  const [acme, bolt] = made
  await expect(acme?.user.enqueue({ queue: 'q', kind: 'k' }, { tenant: 'bolt' })).rejects.toMatchObject({
    code: 'tenant_denied',
  })
  await expect(acme?.user.commands.cancel(bolt?.ids[0] as number)).rejects.toMatchObject({
    code: 'unknown_job',
  })
})

it('6.17 one connection that acts for two tenants in turn, each statement narrowed to its own, mixes nothing up', async () => {
  const store = await sealedStore()
  const server = await login(store, 'server', [])
  const tenants = ['acme', 'bolt']
  const made = await Promise.all(
    tenants.map(async (tenant) => {
      const acting = withTestSql(server.inScope({ tenant, isNarrowed: true }))
      const jobs = await Promise.all(
        Array.from({ length: 20 }, () => acting.enqueue({ queue: 'q', kind: 'k' }, { tenant })),
      )
      return { tenant, acting, ids: jobs.map(({ jobId }) => jobId).sort((a, b) => a - b) }
    }),
  )
  const all = 'select id from holdfast.jobs order by id'
  const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)
  for (let round = 0; round < 10; round++)
    await Promise.all(
      made.map(async ({ acting, ids }) => {
        expect(idsOf(await acting.database.query(all, [], { often: true }))).toEqual(ids)
        const inside = acting.database.transaction((session) => session.query<{ id: number }>(all))
        expect(idsOf(await inside)).toEqual(ids)
        expect(idsOf(await server.database.query(all))).toHaveLength(40)
        await expect(acting.database.query('select 1 / $1::int', [0])).rejects.toThrow()
      }),
    )
  const [acme, bolt] = made
  await expect(acme?.acting.commands.cancel(bolt?.ids[0] as number)).rejects.toMatchObject({
    code: 'unknown_job',
  })
})
