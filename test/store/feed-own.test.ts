/** Cursors and transactions: what the reader itself has written, and readers that look at an older state. */
import type { Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { openSession } from '../support/sessions.js'
import { freshStore } from '../support/world.js'

const JOB = { queue: 'q', kind: 'k' }
const jobsOf = (events: readonly { jobIds: number[] }[]) => events.flatMap(({ jobIds }) => jobIds)

async function counted(store: Store): Promise<{ counted: number; jobs: number }> {
  while ((await store.upkeep.countMinutes()) > 0);
  const [row] = await store.database.query<{ counted: number; jobs: number }>(
    'select sum(enqueued)::int as counted, (select count(*)::int from holdfast.job) as jobs from holdfast.queue_minute',
  )
  return row as { counted: number; jobs: number }
}

describe('feed() inside a transaction that has written', () => {
  it('6.02 leaves that transaction’s own events for after its commit, and misses none', async () => {
    const store = await freshStore()
    await store.queues.create('q')
    const session = await openSession(store)
    const { cursor } = await session.read.feed()
    await session.begin()
    const first = await session.enqueue(JOB, { tx: session.client })
    // Somebody later commits earlier, so the snapshot reaches past the open transaction.
    const other = await store.enqueue(JOB)
    const inside = await session.read.feed(cursor)
    const second = await session.enqueue(JOB, { tx: session.client })
    expect(jobsOf(inside.events)).toEqual([other.jobId])
    const [rolledUp] = await session.database.query<{ n: number }>('select holdfast.count_minutes() as n')
    expect(rolledUp?.n).toBeGreaterThan(0)
    await session.commit()
    expect(jobsOf((await store.read.feed(inside.cursor)).events)).toEqual([first.jobId, second.jobId])
    expect(await counted(store)).toEqual({ counted: 3, jobs: 3 })
  })

  it('6.02 shows nothing of a transaction that rolls back', async () => {
    const store = await freshStore()
    await store.queues.create('q')
    const session = await openSession(store)
    const { cursor } = await session.read.feed()
    await session.begin()
    await session.enqueue(JOB, { tx: session.client })
    const other = await store.enqueue(JOB)
    const inside = await session.read.feed(cursor)
    await session.rollback()
    expect(jobsOf(inside.events)).toEqual([other.jobId])
    expect((await store.read.feed(inside.cursor)).events).toEqual([])
  })
})

it('6.02 a reader with an old snapshot never moves a cursor back', async () => {
  const store = await freshStore()
  await store.queues.create('q')
  const session = await openSession(store)
  await session.client.query('begin isolation level repeatable read')
  await session.client.query('select 1')
  const { jobId } = await store.enqueue(JOB)
  const { cursor } = await store.read.feed()
  expect(await session.read.feed(cursor)).toEqual({ cursor, events: [] })
  await session.commit()
  expect((await store.read.feed(cursor)).events).toEqual([])
  expect(jobsOf((await store.read.feed('all')).events)).toContain(jobId)
})

it('6.02 a cursor that the server has no memory of starts at now and says so', async () => {
  const store = await freshStore()
  await store.queues.create('q')
  const { cursor } = await store.read.feed()
  const [server] = cursor.split('~')
  const page = await store.read.feed(`${server}~999999999:999999999:`)
  expect(page.events).toMatchObject([{ type: 'feed_restarted' }])
  const { jobId } = await store.enqueue(JOB)
  expect(jobsOf((await store.read.feed(page.cursor)).events)).toEqual([jobId])
})
