/** A cursor knows its server: what becomes of readers, counts and rates when the data moves to another one. */
import type { Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { CrashingServer } from '../support/crash.js'
import { serve } from '../support/http.js'
import { restoredElsewhere } from '../support/restore.js'

const JOB = { queue: 'q', kind: 'k' }
const jobsOf = (events: readonly { jobIds: number[] }[]) => events.flatMap(({ jobIds }) => jobIds)

async function counted(store: Store): Promise<{ counted: number; jobs: number }> {
  while ((await store.upkeep.countMinutes()) > 0);
  const [row] = await store.database.query<{ counted: number; jobs: number }>(
    'select sum(enqueued)::int as counted, (select count(*)::int from holdfast.job) as jobs from holdfast.queue_minute',
  )
  return row as { counted: number; jobs: number }
}

/** Two servers; the first one's transaction ids are far ahead, or far behind. */
async function twoServers(ahead: 'first' | 'second'): Promise<[CrashingServer, CrashingServer]> {
  const servers = await Promise.all([CrashingServer.start(), CrashingServer.start()])
  const burn = servers[ahead === 'first' ? 0 : 1]
  await burn.rows(`do $$ begin for n in 1..300 loop perform pg_current_xact_id(); commit; end loop; end $$`)
  return servers
}

describe.each(['first', 'second'] as const)('dump and restore (the %s server is ahead)', (ahead) => {
  it('6.02 after dump and restore a cursor starts at now and says so, no old event comes again, and count_minutes goes on', async () => {
    const [here, there] = await twoServers(ahead)
    const store = await here.store()
    await store.queues.create('q')
    await store.enqueue(JOB)
    await counted(store)
    const { cursor } = await store.read.feed()
    // Not counted yet, and in the middle of a page.
    for (let n = 0; n < 3; n += 1) await store.enqueue(JOB)
    await store.upkeep.countMinutes(2)
    const copy = await restoredElsewhere(store, there.url)
    const first = await copy.enqueue(JOB)
    await there.rows("begin; savepoint s; select holdfast.enqueue('q', 'k'); commit")

    const page = await copy.read.feed(cursor)
    expect(page.events).toMatchObject([{ type: 'feed_restarted', jobIds: [], actor: 'system' }])
    expect(page.events[0]?.data).toEqual({ from: cursor.split('~')[0], to: page.cursor.split('~')[0] })
    expect(await counted(copy)).toEqual({ counted: 6, jobs: 6 })
    // As many transactions as the other server was ahead: nothing old comes to light.
    await there.rows(
      'do $$ begin for n in 1..400 loop perform pg_current_xact_id(); commit; end loop; end $$',
    )
    const last = await copy.enqueue(JOB)
    expect(jobsOf((await copy.read.feed(page.cursor)).events)).toEqual([last.jobId])
    expect(await counted(copy)).toEqual({ counted: 7, jobs: 7 })
    const all = jobsOf((await copy.read.feed('all')).events)
    expect([...new Set(all)].sort((a, b) => a - b)).toEqual(all.sort((a, b) => a - b))
    expect(all).toHaveLength(7)
    expect(all).toContain(first.jobId)
    const { events } = await copy.read.feed('all')
    expect(events.filter(({ type }) => type === 'server_changed')).toHaveLength(1)
  })
})

it('6.02 after a failover a cursor starts at now and says so, over HTTP as well, and count_minutes goes on', async () => {
  const server = await CrashingServer.start()
  const store = await server.store()
  await store.queues.create('q')
  await store.enqueue(JOB)
  await counted(store)
  const { cursor } = await store.read.feed()
  const { call } = await serve(store)
  const next = async (after: string, waitSec = 0) =>
    (await call('GET', `/api/v1/events/next?wait_sec=${waitSec}&after=${encodeURIComponent(after)}`)).body
  // The hub has asked before and asks again after: it starts over by itself, and so does who follows it.
  const following: string = (await next(cursor)).next_after
  await server.promote()

  const again = await server.store()
  const page = await again.read.feed(cursor)
  expect(page.events).toMatchObject([{ type: 'feed_restarted' }])
  const told = await next(following, 10)
  expect(told.events).toMatchObject([{ type: 'feed_restarted', job_ids: [] }])
  const { jobId } = await again.enqueue(JOB)
  expect((await next(told.next_after, 10)).events).toMatchObject([{ type: 'enqueued', job_ids: [jobId] }])
  expect(jobsOf((await again.read.feed(page.cursor)).events)).toEqual([jobId])
  // One who comes to another server of ours with a cursor of before.
  const other = await serve(again)
  const late = await other.call('GET', `/api/v1/events/next?after=${encodeURIComponent(cursor)}`)
  expect(late.body.events).toMatchObject([{ type: 'feed_restarted' }])
  expect(await counted(again)).toEqual({ counted: 2, jobs: 2 })
})
