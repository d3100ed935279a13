/** The overview, charts, kinds and errors on a million jobs in each place and full counts: what they read does not depend on the jobs. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.js'
import { ErrorGroups } from '../../../src/store/charts/error-groups.js'
import { KindReads } from '../../../src/store/charts/kind-stats.js'
import { Overview } from '../../../src/store/charts/overview.js'
import { SeriesReads } from '../../../src/store/charts/series.js'
import { Listing } from '../../../src/store/list/listing.js'
import { type Backlog, drop, emptyBacklog } from '../../support/backlog.js'
import { analyze, type Call, costOf, PATIENTLY } from '../../support/plans.js'

/** Jobs in every place, 50 kinds with rows of every width, and 1,000 groups of errors. */
const FILL = (rows: number, { flat, levels, lanes }: Backlog['queue']) => `
  insert into holdfast.job (id, created_at, queue_id, initial_priority, kind, input, target)
    select i, now() - interval '1 hour', case i % 2 when 0 then ${flat} else ${levels} end, 0, 'work', '{}', 't' || i
    from generate_series(1, ${rows}) i;
  insert into holdfast.ready (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, level)
    select i, case i % 2 when 0 then ${flat} else ${levels} end, 0, 0, 0, 0, 0, false, case i % 2 when 0 then 0 else i % 100 end
    from generate_series(1, ${rows}) i;
  insert into holdfast.delayed (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, state, due_at)
    select i, ${levels}, 0, 0, 0, 0, 0, false, 'retrying', now() + interval '1 s' * i from generate_series(1, ${rows}) i;
  insert into holdfast.held (job_id, queue_id, lane, ord, attempt, interruptions, priority, failures, losses, keyed, state, since)
    select i, ${lanes}, 1024 * i, i, 0, 0, 0, 0, 0, false, 'errored', now() - interval '1 h' from generate_series(1, ${rows}) i;
  insert into holdfast.running (job_id, lease, claimed_at, queue_id, attempt, interruptions, worker_id, priority, failures, losses, keyed, own_lease)
    select i, 1, now(), ${levels}, 1, 0, 1, 0, 0, 0, false, false from generate_series(1, ${rows / 10}) i;
  insert into holdfast.counted_kind (tenant, kind, first_seen_at, last_seen_at)
    select 'default', 'k' || k, now(), now() from generate_series(1, 50) k;
  insert into holdfast.stat (tenant, minutes, queue_id, at, kind, enqueued, started, succeeded, failed, canceled, attempts, attempts_failed,
      attempts_lost, wait_times, run_times)
    select 'default', w.minutes, q.id, date_bin(interval '1 minute' * w.minutes, now(), '2000-01-01') - interval '1 minute' * w.minutes * n,
      case q.id when 0 then '' else 'k' || k end, 9, 9, 9, 1, 0, 9, 5, 0, array_fill(1, array[30]), array_fill(1, array[30])
    from holdfast.stat_widths() w cross join generate_series(0, 180) n cross join generate_series(1, 50) k
    cross join lateral (values (case k when 1 then 0 else ${levels} end)) q (id);
  insert into holdfast.error_group (tenant, fingerprint, message, first_seen_at, last_seen_at, attempts, kinds, queue_ids, job_ids)
    select 'default', 'f' || g, 'no', now(), now() - interval '1 s' * g, 1, '{k2}', '{${levels}}', array[g] from generate_series(1, 1000) g;
  insert into holdfast.error_count (tenant, minutes, fingerprint, kind, at, attempts)
    select 'default', w.minutes, 'f' || g, 'k2', date_bin(interval '1 minute' * w.minutes, now(), '2000-01-01') - interval '1 minute' * w.minutes * n, 1
    from (values (1), (60)) w (minutes) cross join generate_series(1, 1000) g cross join generate_series(0, 23) n;`

let small: Backlog
let large: Backlog
beforeAll(async () => {
  small = await emptyBacklog(20_000)
  large = await emptyBacklog(1_000_000)
  for (const backlog of [small, large]) {
    for (const statement of FILL(backlog.rows, backlog.queue).split(';\n'))
      await backlog.store.database.script(statement, PATIENTLY)
    await analyze(backlog.store)
  }
}, 600_000)
afterAll(async () => {
  await drop(small)
  await drop(large)
})

type Read = (database: Backlog['store']['database']) => Promise<unknown>

/** The statements of a read, as it sends them. */
async function statementsOf({ store }: Backlog, read: Read): Promise<Call[]> {
  const calls: Call[] = []
  await read({
    ...store.database,
    query: (text: string, values: readonly unknown[] = [], options?: object) => {
      calls.push({ text, values })
      return store.database.query(text, values, options)
    },
  } as Backlog['store']['database'])
  return calls
}

async function pagesOf(backlog: Backlog, read: Read): Promise<{ pages: number; statements: number }> {
  const calls = await statementsOf(backlog, read)
  let pages = 0
  for (const call of calls) pages += (await costOf(backlog.store, call)).buffers
  return { pages, statements: calls.length }
}

it('the overview examines no more rows of a place than its bound', async () => {
  const { pages, statements } = await pagesOf(large, (database) => new Overview(database).read())
  expect(statements).toBe(2)
  expect(pages).toBeLessThanOrEqual(5 * LIMITS.placeCountMax.default)
})

/** Queues are counted among the first 20,000 rows of a place. */
it.each<[title: string, read: Read, most: number]>([
  ['the counts of queues', (database) => new Listing(database).queueCounts(), 20_000],
  ['the kinds of live jobs', (database) => new Listing(database).liveKinds(), 25_000],
  ['the blocked targets', (database) => new Listing(database).blockedTargets(), 3_000],
])('%s examine no more rows of a place than their bound', async (_title, read, most) => {
  const { pages, statements } = await pagesOf(large, read)
  expect(statements).toBe(1)
  expect(pages).toBeLessThanOrEqual(most)
})

it.each<[title: string, read: Read, statements: number, most: number]>([
  ['a series of the tenant', (database) => new SeriesReads(database).read({ span: '7d' }), 1, 1_000],
  [
    'a series of a queue',
    (database) => new SeriesReads(database).read({ span: '7d', queue: 'levels' }),
    2,
    12_000,
  ],
  ['a series of a kind', (database) => new SeriesReads(database).read({ span: '24h', kind: 'k7' }), 1, 1_500],
  ['all kinds', (database) => new KindReads(database).stats(), 1, 25_000],
  ['a page of errors', (database) => new ErrorGroups(database).list({ limit: 50 }), 1, 8_000],
  ['samples of a group', (database) => new ErrorGroups(database).samples('f7'), 1, 500],
])('%s reads as much among a million jobs as among a few', async (_title, read, statements, most) => {
  const little = await pagesOf(small, read)
  const much = await pagesOf(large, read)
  expect(much.statements).toBe(statements)
  expect(much.pages).toBeLessThanOrEqual(most)
  expect(much.pages).toBeLessThanOrEqual(2 * little.pages + 500)
})
