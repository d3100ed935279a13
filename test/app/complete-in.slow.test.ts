// A completion as the last word of the handler's own transaction, with the libraries people use: both or neither, and fenced.
import { type App, defineJob, type JobContext } from 'holdfast'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { freshApp } from '../support/app.js'
import { type InTransaction, LIBRARIES } from '../support/libraries.js'
import { expectHealthy } from '../support/world.js'

const WAIT = { timeout: 100_000, interval: 20 }

describe.each(Object.keys(LIBRARIES))('with a transaction of %s', (library) => {
  let app: App
  let inTransaction: InTransaction
  let accepted: (readonly [attempt: number, outcome: string, accepted: boolean])[]
  /** What happens to the handler between its write and its completion, and after that. */
  let before: (ctx: JobContext) => Promise<void>
  let after: (ctx: JobContext) => void
  let heard: unknown[]
  const book = defineJob({
    kind: 'book',
    queue: 'bookings',
    handler: async (ctx, { order }: { order: number }) => {
      let booked: { order: number } | undefined
      await inTransaction(async (tx, run) => {
        await run(`insert into ${app.store.schema}.booking values (${order}, ${ctx.attempt})`)
        await before(ctx)
        booked = await ctx.completeIn(tx, { order })
        after(ctx)
      }).catch((error: unknown) => {
        heard.push(error)
        throw error
      })
      return booked
    },
  })
  const bookings = () => app.store.database.query('select order_id, attempt from holdfast.booking')

  beforeEach(async () => {
    accepted = []
    heard = []
    before = async () => {}
    after = () => {}
    app = await freshApp({ jobs: [book], queues: { bookings: { maxRetries: 1, retryBaseMs: 0 } } })
    // After the app, which brings the database of this test.
    inTransaction = (LIBRARIES[library] as () => InTransaction)()
    await app.store.database.script('create table holdfast.booking (order_id int, attempt int)')
    await app.work({
      pollMs: 20,
      onEnded: ({ attempt, outcome, accepted: is }) => void accepted.push([attempt, outcome, is]),
    })
  })

  it("S2.06 the handler's writes and the completion are one transaction, and the job has its result", async () => {
    const handle = await app.enqueue(book, { order: 7 })
    expect(await handle.result()).toEqual({ order: 7 })
    expect(await bookings()).toEqual([{ order_id: 7, attempt: 1 }])
    await vi.waitFor(() => expect(accepted).toEqual([[1, 'succeeded', true]]), WAIT)
    expect(await handle.job()).toMatchObject({ attempt: 1, state: 'succeeded' })
    await expectHealthy(app.store)
  })

  it('S2.06 a transaction that is rolled back after the completion leaves neither, and the next attempt has both', async () => {
    after = ({ attempt }) => {
      if (attempt === 1) throw new Error('the last step went wrong')
    }
    const handle = await app.enqueue(book, { order: 7 })
    expect(await handle.result()).toEqual({ order: 7 })
    expect(await bookings()).toEqual([{ order_id: 7, attempt: 2 }])
    expect(await app.store.read.attempts(handle.id)).toMatchObject([
      { outcome: 'failed', errorMessage: 'the last step went wrong' },
      { outcome: 'succeeded' },
    ])
    await expectHealthy(app.store)
  })

  it('S2.06 a worker that has lost the job is refused with lease_lost, and its writes are rolled back', async () => {
    before = async ({ jobId, attempt }) => {
      // Somebody takes the job away from under us.
      if (attempt === 1)
        await app.store.database.query('update holdfast.running set lease = -1 where job_id = $1', [jobId])
    }
    const handle = await app.enqueue(book, { order: 7 })
    await vi.waitFor(() => expect(heard).toMatchObject([{ code: 'lease_lost' }]), WAIT)
    await vi.waitFor(() => expect(accepted).toEqual([[1, 'lost', false]]), WAIT)
    expect(await bookings()).toEqual([])
    await app.store.upkeep.reclaim()
    expect(await handle.result()).toEqual({ order: 7 })
    expect(await bookings()).toEqual([{ order_id: 7, attempt: 2 }])
    await expectHealthy(app.store)
  })
})
