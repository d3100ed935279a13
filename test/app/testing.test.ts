import { defineJob } from 'holdfast'
import { advance, assertEnqueued, enqueued, type FreshApp, freshApp, runUntilIdle } from 'holdfast/testing'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { postgresUrl } from '../support/world.js'

const mail = defineJob({
  kind: 'mail',
  handler: async (ctx, { to, fail = false }: { to: string; fail?: boolean }) => {
    if (fail && ctx.attempt === 1) throw new Error('mailbox full')
    if (to === 'parent') await ctx.enqueue(mail, { to: 'child' })
    return `sent to ${to}`
  },
})

const PLACES = [
  ['a schema of its own', 'postgres'],
  ['a PGlite of its own', 'pglite'],
] as const

describe.each(PLACES.filter(([, driver]) => inject('drivers').includes(driver)))(
  'holdfast/testing in %s',
  (_where, driver) => {
    let app: FreshApp
    beforeAll(async () => {
      app = await freshApp({ jobs: [mail], ...(driver === 'postgres' ? { url: postgresUrl() } : {}) })
    })
    afterAll(() => app.dispose())

    it('runs what is due and what that brings, and leaves the rest', async () => {
      const [parent, later] = await app.enqueueMany(mail, [{ to: 'parent' }, { to: 'later' }], {
        each: ({ to }) => (to === 'later' ? { delayMs: 60_000 } : {}),
      })
      await runUntilIdle(app)
      expect(await parent?.status()).toBe('succeeded')
      expect(await later?.status()).toBe('scheduled')
      expect(await assertEnqueued(app, mail, { to: 'child' })).toMatchObject({ state: 'succeeded' })
    })

    it('moves the clock, so that a retry is due without waiting', async () => {
      const handle = await app.enqueue(mail, { to: 'ada', fail: true })
      await runUntilIdle(app)
      expect(await handle.status()).toBe('retrying')
      const before = await app.clock.now()
      await advance(app, 60_000)
      expect((await app.clock.now()).getTime() - before.getTime()).toBe(60_000)
      expect(await handle.status()).toBe('queued')
      await runUntilIdle(app)
      expect(await handle.result()).toBe('sent to ada')
    })

    it('lists jobs of a kind in the order they were made, and says what was there when an assertion fails', async () => {
      const inputs = (await enqueued(app, mail)).map(({ input }) => input.to)
      expect(inputs.slice(0, 2)).toEqual(['parent', 'later'])
      const other = defineJob({ kind: 'other', handler: async () => null })
      await expect(assertEnqueued(app, other)).rejects.toThrow('No job "other" was enqueued; there is none')
      await expect(assertEnqueued(app, mail, { to: 'nobody' })).rejects.toThrow('{"to":"parent"}')
    })
  },
)

it('dispose removes the schema', async () => {
  const app = await freshApp({ url: postgresUrl() })
  const look = await freshApp({ url: postgresUrl() })
  await app.dispose()
  const left = await look.store.database.query('select from pg_namespace where nspname = $1', [
    app.store.schema,
  ])
  await look.dispose()
  expect(left).toEqual([])
})
