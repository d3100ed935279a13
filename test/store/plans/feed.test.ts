import { afterAll, beforeAll, expect, it } from 'vitest'
import { anotherSession, type Backlog, drop, emptyBacklog } from '../../support/backlog.js'
import { costOf, PATIENTLY } from '../../support/plans.js'

let backlog: Backlog
beforeAll(async () => {
  backlog = await emptyBacklog(0)
})
afterAll(() => drop(backlog))

it('a transaction that stays open does not make every page of the feed read what came after it', async () => {
  const { store } = backlog
  const open = await anotherSession(backlog)
  await open.store.database.script(
    `begin; select holdfast.add_event('late', 1, ${backlog.queue.flat}, 'ann', null)`,
  )
  await makeEvents(50_000)
  const { cursor } = await store.read.feed()

  const page = { text: 'select * from holdfast.feed($1, 100)', values: [cursor] }
  expect((await costOf(store, page)).buffers).toBeLessThanOrEqual(50)

  await open.store.database.script('commit')
  const { events } = await store.read.feed(cursor)
  expect(events.map(({ type }) => type)).toEqual(['late'])
  await open.store.close()
})

it('a page in the middle of many events reads only itself', async () => {
  const { store } = backlog
  await makeEvents(200_000)
  let { cursor } = await store.read.feed('all', 100)
  for (let pages = 0; pages < 5; pages += 1) ({ cursor } = await store.read.feed(cursor, 100))
  const page = { text: 'select * from holdfast.feed($1, 100)', values: [cursor] }
  expect((await costOf(store, page)).buffers).toBeLessThanOrEqual(50)
})

async function makeEvents(count: number): Promise<void> {
  await backlog.store.database.script(
    `insert into holdfast.event (at, type, job_ids) select '2020-01-01', 'noted', array[i] from generate_series(1, ${count}) i`,
    PATIENTLY,
  )
}
