/** Pages of jobs, and what a worker gives back, on many rows: what they cost does not depend on how many jobs there are. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { JobFilter } from '../../../src/store/list/listing.js'
import { WINDOW } from '../../../src/store/list/listing.js'
import { type Backlog, drop, emptyBacklog } from '../../support/backlog.js'
import { analyze, type Call, costOf, pagesOf } from '../../support/plans.js'

const FEW = 10_000
const MANY = 100_000
const LEASES = 50

let small: Backlog
let large: Backlog

/** A fifth in each place, mixed; only the five oldest are of the kind, target and key that is asked for. */
const FILL = (rows: number, { flat, levels }: Backlog['queue']) => `
  create temp table filling as select n as id, n % 5 as place, case when n <= 5 then 'rare' else 'usual' end as word,
    case when n % 2 = 0 then ${flat} else ${levels} end as queue_id from generate_series(1, ${rows}) n;
  insert into holdfast.job (id, created_at, queue_id, initial_priority, kind, input, key, target)
    select id, '2020-01-01', queue_id, 0, word, '{}', case word when 'rare' then 'rare' || id end, word from filling;
  insert into holdfast.ready (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, level)
    select id, queue_id, 0, 0, 0, 0, 0, false, case queue_id when ${flat} then 0 else 100 end from filling where place = 0;
  insert into holdfast.delayed (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, state, due_at)
    select id, queue_id, 0, 0, 0, 0, 0, false, 'scheduled', '2040-01-01' from filling where place = 1;
  insert into holdfast.held (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, state, since)
    select id, queue_id, 0, 0, 0, 0, 0, false, case when id <= 5 then 'paused' else 'pending' end::holdfast.held_state, '2020-01-01'
    from filling where place = 2;
  insert into holdfast.running (job_id, lease, claimed_at, queue_id, attempt, interruptions, worker_id, priority, failures, losses, keyed, own_lease)
    select id, 1 + id % ${LEASES}, '2020-01-01', queue_id, 1, 0, 1, 0, 0, 0, false, false from filling where place = 3;
  insert into holdfast.attempt (job_id, finished_at, attempt, queue_id, outcome, moved_to, priority, failures, final)
    select id, '2020-01-01'::timestamptz + interval '1 s' * id, 1, queue_id,
      case when id % 10 = 4 then 'succeeded' else 'failed' end::holdfast.outcome,
      case when id % 10 = 4 then 'succeeded' else 'failed' end::holdfast.state, 0, 1, true
    from filling where place = 4;
  insert into holdfast.worker (name, created_at) values ('w', '2020-01-01');
  insert into holdfast.lease (id, worker_id, lease_ms, opened_at, heartbeat_at, expires_at)
    select n, 1, 60000, '2020-01-01', '2020-01-01', '2040-01-01' from generate_series(1, ${LEASES}) n;
  drop table filling;`

beforeAll(async () => {
  small = await emptyBacklog(FEW)
  large = await emptyBacklog(MANY)
  for (const [backlog, rows] of [
    [small, FEW],
    [large, MANY],
  ] as const) {
    await backlog.store.database.script(FILL(rows, backlog.queue), { deadlineMs: 120_000 })
    await analyze(backlog.store)
  }
})
afterAll(async () => {
  await drop(small)
  await drop(large)
})

/** The very statement that the list sends, as it sends it. */
async function asked({ store }: Backlog, filter: JobFilter): Promise<Call> {
  let call: Call | undefined
  const { Listing } = await import('../../../src/store/list/listing.js')
  const listing = new Listing({
    ...store.database,
    query: (text: string, values: readonly unknown[] = [], options?: object) => {
      call = { text, values }
      return store.database.query(text, values, options)
    },
  } as Backlog['store']['database'])
  await listing.jobs(filter)
  return call as Call
}

/** A page of 20 costs its jobs; one that finds nothing in its windows costs the windows. */
const PAGE = 1_500
const WINDOWS = 5 * WINDOW * 6

it.each<[title: string, filter: JobFilter, most: number]>([
  ['of all', {}, PAGE],
  ['of a queue', { queue: 'flat' }, PAGE],
  ['of the queued ones', { state: 'queued' }, PAGE],
  ['of the succeeded ones', { state: 'succeeded' }, PAGE],
  ['of the failed ones', { state: 'failed' }, WINDOWS],
  ['of a usual kind', { kind: 'usual' }, WINDOWS],
  ['of a rare kind', { kind: 'rare' }, WINDOWS],
  ['of a rare target', { target: 'rare' }, WINDOWS],
  ['of a key', { key: 'rare1' }, WINDOWS],
  ['of a rare state', { state: 'paused' }, WINDOWS],
  ['of a rare kind among the queued', { kind: 'rare', state: 'queued' }, WINDOWS],
  ['of a rare kind among the failed', { kind: 'rare', state: 'failed' }, WINDOWS],
])('a page %s costs the same among many jobs as among few', async (_title, filter, most) => {
  const page = { ...filter, limit: 20 }
  const little = await costOf(small.store, await asked(small, page))
  const much = await costOf(large.store, await asked(large, page))
  expect(much.buffers).toBeLessThanOrEqual(most)
  expect(much.buffers).toBeLessThanOrEqual(2 * little.buffers + 300)
})

it('what a lease holds beyond what its worker knows costs one look through what is running, and its own jobs', async () => {
  const { store } = large
  const held = await store.database.query<{ id: number }>(
    'select job_id as id from holdfast.running where lease = 7',
  )
  const ids = held.map(({ id }) => id)
  const keep = (known: number[]): Call => ({
    text: "select holdfast.release_unlisted(7, $1::bigint[], $2::int[], '1 s')",
    values: [known, known.map(() => 1)],
  })
  const pages = await pagesOf(store, 'running')
  expect((await costOf(store, keep(ids))).buffers).toBeLessThanOrEqual(pages + 50)
  expect((await costOf(store, keep(ids.slice(10)))).buffers).toBeLessThanOrEqual(pages + 50 + 10 * 80)
})
