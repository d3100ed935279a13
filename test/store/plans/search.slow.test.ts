/** Steps of searches on many rows: what one step costs does not depend on how many jobs there are. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { parseSearch } from '../../../src/search/search.js'
import { compile } from '../../../src/store/search/compile.js'
import { type Backlog, drop, emptyBacklog } from '../../support/backlog.js'
import { analyze, costOf } from '../../support/plans.js'

const FEW = 10_000
const MANY = Number(process.env.SEARCH_PLAN_ROWS ?? 100_000)
const WINDOW = 1_000

let small: Backlog
let large: Backlog

/** Four fifths ended, of which a quarter failed; the rest live. The five oldest are rare in every field. */
const FILL = (rows: number, { flat, levels }: Backlog['queue']) => `
  create temp table filling as select n as id, n % 10 as place, n <= 5 as rare,
    case when n % 2 = 0 then ${flat} else ${levels} end as queue_id from generate_series(1, ${rows}) n;
  insert into holdfast.worker (name, created_at) values ('w', '2020-01-01'), ('rare', '2020-01-01');
  insert into holdfast.job (id, created_at, queue_id, initial_priority, kind, input, key, target, trace, labels)
    select id, '2020-01-01'::timestamptz + interval '1 s' * id, queue_id, 0, case when rare then 'rare' else 'usual' end,
      jsonb_build_object('user', jsonb_build_object('id', id)), 'key' || id, case when rare then 'rare' else 'usual' end,
      '00-' || lpad(to_hex(id), 32, '0') || '-00f067aa0ba902b7-01', case when rare then '{"team": "rare"}'::jsonb end from filling;
  insert into holdfast.ready (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, level)
    select id, queue_id, 0, 0, 0, 0, 0, true, case queue_id when ${flat} then 0 else 100 end from filling where place = 0;
  insert into holdfast.held (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, state, since)
    select id, queue_id, 0, 0, 0, 0, 0, true, 'pending', '2020-01-01' from filling where place = 1;
  insert into holdfast.attempt (job_id, finished_at, claimed_at, attempt, queue_id, worker_id, outcome, moved_to, priority, failures, final, error_message)
    select id, '2020-01-01'::timestamptz + interval '1 s' * id, '2020-01-01', 1, queue_id, case when rare then 2 else 1 end,
      case when id % 5 = 2 then 'failed' else 'succeeded' end::holdfast.outcome,
      case when id % 5 = 2 then 'failed' else 'succeeded' end::holdfast.state, 0, 1, true,
      case when id % 5 = 2 then case when rare then 'a rare error' else 'timeout' end end
    from filling where place > 1;
  insert into holdfast.search_value (hash, job_id, queue_id)
    select hashtextextended('user.id=' || id, 0), id, queue_id from filling;
  drop table filling;`

beforeAll(async () => {
  small = await emptyBacklog(FEW)
  large = await emptyBacklog(MANY)
  for (const [backlog, rows] of [
    [small, FEW],
    [large, MANY],
  ] as const) {
    await backlog.store.database.script(FILL(rows, backlog.queue), { deadlineMs: 600_000 })
    await analyze(backlog.store)
  }
}, 900_000)
afterAll(async () => {
  await drop(small)
  await drop(large)
})

/** One step of a search, as the store sends it. */
function step(query: string, more: object = {}) {
  const { filter, problems } = parseSearch(query)
  expect(problems).toEqual([])
  return {
    text: 'select ids, next, examined, oldest_at from holdfast.search_ids($1, $2, null, 20, $3)',
    values: ['default', JSON.stringify({ ...compile(filter, new Map()), ...more }), WINDOW],
  }
}

/** An index finds them: some pages for each of twenty jobs. */
const FOUND = 1_000
/** Every job of a window is examined. */
const EXAMINED = 8 * WINDOW

it.each<[query: string, most: number, more?: object]>([
  ['', EXAMINED],
  ['state:failed', EXAMINED],
  ['state:failed kind:rare', EXAMINED],
  ['state:queued', EXAMINED],
  ['state:queued kind:rare', EXAMINED],
  ['state:pending', EXAMINED],
  ['state:succeeded', EXAMINED],
  ['state:canceled', EXAMINED],
  ['queue:flat', EXAMINED],
  ['kind:rare', EXAMINED],
  ['-kind:usual', EXAMINED],
  ['key:key3', FOUND],
  ['key:key3*', EXAMINED],
  ['target:rare', FOUND],
  ['target:usual', EXAMINED],
  ['trace:00000000000000000000000000000003', FOUND],
  ['id:3', FOUND],
  ['id:1..100', FOUND],
  ['key3', FOUND],
  ['worker:rare', EXAMINED],
  ['error:rare', EXAMINED],
  ['label.team:rare', EXAMINED],
  ['input.user.id:3', EXAMINED],
  ['input.user.id:3', FOUND, { index: { input: ['user.id=3'] } }],
  ['input.user.id<3', EXAMINED],
  ['attempts>=3', 2 * EXAMINED],
  ['priority>50', 2 * EXAMINED],
  ['age<1h', EXAMINED],
  ['created:2020-01-01T00:00..2020-01-01T00:01', EXAMINED],
  ['finished:2020-01-01T00:00..2020-01-01T00:01', EXAMINED],
])('a step for %s costs the same among many jobs as among few', async (query, most, more) => {
  const little = await costOf(small.store, step(query, more))
  const much = await costOf(large.store, step(query, more))
  expect(much.buffers).toBeLessThanOrEqual(most)
  expect(much.buffers).toBeLessThanOrEqual(2 * little.buffers + 500)
})

/** Jobs from everywhere in the history, looked up place by place. */
it.each(['found_jobs', 'facets_of', 'count_states'])(
  '%s costs the same among many jobs as among few',
  async (verb) => {
    const spread = (rows: number) => ({
      text: `select count(*) from holdfast.${verb}(array(select 1 + n * ${rows / 100} from generate_series(0, 99) n))`,
    })
    const little = await costOf(small.store, spread(FEW))
    const much = await costOf(large.store, spread(MANY))
    expect(much.buffers).toBeLessThanOrEqual(100 * 80)
    expect(much.buffers).toBeLessThanOrEqual(2 * little.buffers + 500)
  },
)
