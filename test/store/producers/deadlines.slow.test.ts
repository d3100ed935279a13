/** A call that failed at its deadline has had no effect, and has none later. */
import type { Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { answerOf, openSession } from '../../support/sessions.js'
import { expectHealthy, freshStore } from '../../support/world.js'

/** Of this database, doing something or waiting for a lock, but for who asks. */
async function busySessions(store: Store): Promise<number> {
  const [row] = await store.database.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`,
  )
  return row?.n as number
}

const jobCount = async (store: Store) =>
  (await store.database.query<{ n: number }>('select count(*)::int as n from holdfast.job'))[0]?.n

describe('at the deadline of a call', () => {
  it('6.08 a call that failed at its deadline has made nothing, then or later', async () => {
    const store = await freshStore()
    await store.queues.create('q')
    const holder = await openSession(store)
    await holder.begin()
    const keys = ['a', 'b'].map((key) => ({ queue: 'q', kind: 'held', key }))
    await holder.enqueueMany(keys, { tx: holder.client })
    const job = { queue: 'q', kind: 'guilty', key: 'a' }
    const answers = await Promise.all([
      answerOf(store.enqueue(job)),
      answerOf(store.enqueue({ ...job, key: 'b' })),
      answerOf(store.enqueueMany([{ queue: 'q', kind: 'guilty' }, job])),
      answerOf(store.enqueue(job, { idempotencyKey: 'once' })),
    ])
    for (const answer of answers) expect(answer).toMatchObject({ code: 'deadline_exceeded' })
    for (const answer of answers) expect(answer).toMatchObject({ details: { effect: 'none' } })
    expect(await busySessions(store)).toBe(0)
    await holder.rollback()
    expect(await jobCount(store)).toBe(0)
    // What was refused leaves no mark on its idempotency key.
    expect(await store.enqueue(job, { idempotencyKey: 'once' })).toMatchObject({ deduplicated: false })
    await expectHealthy(store)
  }, 20_000)

  it('6.08 the server ends what its client has given up', async () => {
    const store = await freshStore()
    const slow = `select pg_sleep(60), holdfast.enqueue('q', 'slow')`
    const answer = await answerOf(store.database.query(slow, [], { deadlineMs: 300 }))
    expect(answer).toMatchObject({ code: 'deadline_exceeded', details: { effect: 'none' } })
    expect(await busySessions(store)).toBe(0)
    expect(await jobCount(store)).toBe(0)
    const inTransaction = store.database.transaction(
      async (session) => {
        await session.query(`select holdfast.enqueue('q', 'slow')`)
        await session.query('select pg_sleep(60)')
      },
      { deadlineMs: 300 },
    )
    expect(await answerOf(inTransaction)).toMatchObject({ code: 'deadline_exceeded' })
    expect(await jobCount(store)).toBe(0)
  })

  it('6.08 a lock that an open transaction holds is waited for no longer than the call', async () => {
    const store = await freshStore()
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'k' })
    const holder = await openSession(store)
    await holder.begin()
    await holder.commands.cancel(jobId)
    const [cancel] = await Promise.all([
      answerOf(store.database.query('select holdfast.cancel($1)', [jobId], { deadlineMs: 300 })),
    ])
    expect(cancel).toMatchObject({ code: 'deadline_exceeded', details: { effect: 'none' } })
    await holder.rollback()
    expect((await store.read.job(jobId)).state).toBe('queued')
    await expectHealthy(store)
  })
})
