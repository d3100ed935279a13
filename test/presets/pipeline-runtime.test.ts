// The pipeline preset, as far as handlers run: a completion that carries work.
import { type App, defineJob } from 'holdfast'
import type { Fence } from 'holdfast/store'
import { expect, it, vi } from 'vitest'
import { freshApp, pinnedApp } from '../support/app.js'
import { expectHealthy } from '../support/world.js'

const MINUTE = 60_000
const WAIT = { timeout: 100_000, interval: 20 }
const QUEUE = 'pipeline'

const effects = async (app: App) =>
  (await app.store.database.query<{ by: string }>('select by from holdfast.effect order by by')).map(
    ({ by }) => by,
  )
const makeTable = (app: App) => app.store.database.script('create table holdfast.effect (by text not null)')

it('S2.06 the completion and the writes of the handler commit together, and a handler that fails leaves neither', async () => {
  const process = defineJob({
    kind: 'process',
    queue: QUEUE,
    handler: (ctx, { fail }: { fail: boolean }) =>
      ctx.commit(async (tx) => {
        await tx.query(`insert into ${app.store.schema}.effect values ($1)`, [
          `attempt ${ctx.attempt} of ${fail}`,
        ])
        if (fail) throw new Error('the last step went wrong')
        return 'stored'
      }),
  })
  const app = await freshApp({ jobs: [process], queues: { [QUEUE]: { preset: 'pipeline', maxRetries: 0 } } })
  await makeTable(app)
  await app.work()
  const [good, bad] = await app.enqueueMany(process, [{ fail: false }, { fail: true }])
  expect(await good?.result()).toBe('stored')
  await expect(bad?.result()).rejects.toThrow('the last step went wrong')
  expect(await effects(app)).toEqual(['attempt 1 of false'])
  await expectHealthy(app.store)
})

it("S2.06 a stale worker's completion is refused and its work rolled back: one effect, by the worker that holds the job", async () => {
  let goOn = () => {}
  const told = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const seen: unknown[] = []
  const process = defineJob({
    kind: 'process',
    queue: QUEUE,
    handler: async (ctx) => {
      await ctx
        .commit(async (tx) => {
          await tx.query(`insert into ${app.store.schema}.effect values ($1)`, ['stale'])
          seen.push('written')
          await told
        })
        .catch((error: unknown) => {
          seen.push(error)
          throw error
        })
    },
  })
  const { app, clock } = await pinnedApp({ jobs: [process], queues: { [QUEUE]: { preset: 'pipeline' } } })
  await makeTable(app)
  await app.work({ concurrency: 1 })
  const handle = await app.enqueue(process, null)
  await vi.waitFor(() => expect(seen).toEqual(['written']), WAIT)

  await clock.advance(11 * MINUTE)
  const fence = await takenByAnother(app, handle.id)
  await app.store.work.commit({ ...fence, outcome: 'succeeded', result: 'fresh' }, (tx) =>
    tx.query(`insert into ${app.store.schema}.effect values ($1)`, ['fresh']),
  )
  goOn()
  await vi.waitFor(() => expect(seen).toHaveLength(2), WAIT)
  expect(seen[1]).toMatchObject({ code: 'lease_lost' })
  expect(await effects(app)).toEqual(['fresh'])
  expect(await handle.result()).toBe('fresh')
  expect(await app.store.read.attempts(handle.id)).toMatchObject([
    { outcome: 'lost' },
    { outcome: 'succeeded' },
  ])
  await expectHealthy(app.store)
})

/** Taken back and claimed in one step, so that the worker of the test does not get it a second time. */
async function takenByAnother(app: App, jobId: number): Promise<Fence> {
  const rows = await app.store.database.transaction(async (session) => {
    await session.query('select holdfast.reclaim()')
    return session.query<Fence>(
      `select job_id as "jobId", attempt, lease from holdfast.claim_by_id('another', null, $1, null)`,
      [jobId],
    )
  })
  expect(rows).toHaveLength(1)
  return rows[0] as Fence
}
