/** The feed after a crash: transaction ids that were not flushed are given out again, and a cursor must not have passed them. */
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { CrashingServer } from '../support/crash.js'
import { serve } from '../support/http.js'

const JOB = { queue: 'q', kind: 'k' }
const ROLLED_BACK = `begin; select holdfast.enqueue('q', 'k'); rollback`
const ASYNC = `set synchronous_commit = off; select holdfast.enqueue('q', 'k')::int as id`

/** A server with a queue, whose WAL writer does nothing from here on. */
async function quietServer(): Promise<{ server: CrashingServer; store: Store }> {
  const server = await CrashingServer.start()
  const store = await server.store()
  await store.queues.create('q')
  await server.freezeWalWriter()
  return { server, store }
}

async function jobsSince(store: Store, cursor: string): Promise<number[]> {
  return (await store.read.feed(cursor)).events.flatMap(({ jobIds }) => jobIds)
}

it('6.02 the feed misses nothing after a crash, also where only a rolled back enqueue was lost', async () => {
  const { server, store } = await quietServer()
  const { cursor } = await store.read.feed()
  for (let n = 0; n < 5; n += 1) await server.rows(ROLLED_BACK)
  const later = await store.read.feed(cursor)
  expect(later.events).toEqual([])
  await server.crash()
  const again = await server.store()
  const jobs = [(await again.enqueue(JOB)).jobId, (await again.enqueue(JOB)).jobId]
  expect(await jobsSince(again, later.cursor)).toEqual(jobs)
})

it('6.02 a feed that starts at now misses nothing after a crash', async () => {
  const { server, store } = await quietServer()
  for (let n = 0; n < 5; n += 1) await server.rows(ROLLED_BACK)
  const { cursor } = await store.read.feed()
  await server.crash()
  const again = await server.store()
  const { jobId } = await again.enqueue(JOB)
  expect(await jobsSince(again, cursor)).toEqual([jobId])
})

it('6.02 the feed shows nothing that a crash takes back', async () => {
  const { server, store } = await quietServer()
  const { cursor } = await store.read.feed()
  const [row] = await server.rows<{ id: number }>(ASYNC)
  expect(await jobsSince(store, cursor)).toEqual([row?.id])
  await server.crash()
  const again = await server.store()
  expect((await again.list.jobs()).rows.map(({ id }) => id)).toEqual([row?.id])
})

it('6.02 who follows over HTTP, before and after a crash, has missed nothing', async () => {
  const { server, store } = await quietServer()
  const { call } = await serve(store)
  const next = async (after: string, waitSec = 0) =>
    (await call('GET', `/api/v1/events/next?wait_sec=${waitSec}&after=${encodeURIComponent(after)}`)).body
  const first: string = (await call('GET', '/api/v1/events/next')).body.next_after
  for (let n = 0; n < 5; n += 1) await server.rows(ROLLED_BACK)
  let place = first
  await expect
    .poll(
      async () => {
        place = (await next(first)).next_after
        return place
      },
      { timeout: 100_000 },
    )
    .not.toBe(first)
  await server.crash()
  const { jobId } = await (await server.store()).enqueue(JOB)
  const { events } = await next(place, 10)
  expect(events.map(({ job_ids }: { job_ids: number[] }) => job_ids)).toEqual([[jobId]])
})

it('6.02 count_minutes counts each job once, whatever a crash takes back', async () => {
  const { server, store } = await quietServer()
  await store.enqueue(JOB)
  for (let n = 0; n < 5; n += 1) await server.rows(ROLLED_BACK)
  await server.rows('set synchronous_commit = off; select holdfast.count_minutes()')
  await server.rows(ASYNC)
  await server.rows('set synchronous_commit = off; select holdfast.count_minutes()')
  await server.crash()
  const again = await server.store()
  for (let n = 0; n < 3; n += 1) await again.enqueue(JOB)
  while ((await again.upkeep.countMinutes()) > 0);
  const [counted] = await again.database.query(
    'select sum(enqueued)::int as counted, (select count(*)::int from holdfast.job) as jobs from holdfast.queue_minute',
  )
  expect(counted).toMatchObject({ counted: (counted as { jobs: number }).jobs })
})

it('6.02 a reader of a quiet server writes nothing, however often it looks', async () => {
  const { server, store } = await quietServer()
  await server.rows(ROLLED_BACK)
  let { cursor } = await store.read.feed()
  const position = async () =>
    (await server.rows<{ at: string }>('select pg_current_wal_insert_lsn()::text as at'))[0]?.at
  const before = await position()
  for (let n = 0; n < 60; n += 1) ({ cursor } = await store.read.feed(cursor))
  expect(await position()).toBe(before)
  expect(await jobsSince(store, cursor)).toEqual([])
})
