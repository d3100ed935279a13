/** Counting, and asking how queues are doing, on a million jobs: what it costs does not depend on how long the history is. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Backlog, drop, emptyBacklog } from '../../support/backlog.js'
import { analyze, type Call, costOf, PATIENTLY } from '../../support/plans.js'

const AT = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString()

/** Ended jobs, as many ready ones of one priority, and as many subjects, one in a hundred of them stale. */
async function filled(rows: number): Promise<Backlog> {
  const backlog = await emptyBacklog(rows)
  const { flat } = backlog.queue
  await backlog.store.database.script(
    `insert into holdfast.job (id, created_at, queue_id, initial_priority, kind, input)
       select i, '${AT}', ${flat}, 0, 'work', '{}' from generate_series(1, ${rows}) i;
     insert into holdfast.attempt (job_id, lease, claimed_at, finished_at, attempt, queue_id, worker_id, priority, failures, outcome, moved_to, final)
       select i, 1, '${AT}', '${AT}', 1, ${flat}, 1, 0, 0, 'succeeded', 'succeeded', true from generate_series(1, ${rows}) i;
     insert into holdfast.ready (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, level)
       select i, ${flat}, 0, 0, 0, 0, 0, false, 0 from generate_series(1, ${rows}) i;
     insert into holdfast.subject (queue_id, name, kind, input, priority, last_success_at, enabled, added_at)
       select ${flat}, 'r/' || i, 'crawl', '{}', 0, case when i % 100 = 0 then timestamptz '2020-01-01' else '${AT}' end, true, '2020-01-01'
       from generate_series(1, ${rows}) i;
     select setval('holdfast.job_id_seq', ${rows});`,
    PATIENTLY,
  )
  return backlog
}

let small: Backlog
let large: Backlog
beforeAll(async () => {
  small = await filled(20_000)
  large = await filled(1_000_000)
})
afterAll(async () => {
  await drop(small)
  await drop(large)
})

const BATCH = 100
const BATCHES = 100

/**
 * A page of the feed: batches of jobs that ended, in the middle of the history. They bear an id of a transaction that has long
 * ended; whether a snapshot has one's own in it depends on what neighbours have done. Divides by zero unless it counted all.
 */
const rollUp = ({ rows }: Backlog): Call => ({
  text: `select 1 / (holdfast.count_minutes(${BATCHES}) = ${BATCHES})::int`,
  before: `delete from holdfast.event; delete from holdfast.chore;
    insert into holdfast.event (xid, at, tenant, type, job_ids) select '100', '${AT}', 'default', 'attempt_ended',
      array(select ${rows / 2} + n * ${BATCH} + i from generate_series(1, ${BATCH}) i) from generate_series(0, ${BATCHES - 1}) n`,
})
const metrics = (): Call => ({ text: "select * from holdfast.queue_metrics('default')" })
const stale = (): Call => ({ text: "select holdfast.enqueue_stale_subjects('30 days', '6 hours', 100)" })

it.each([
  ['count_minutes of 10,000 jobs', rollUp, 6 * BATCH * BATCHES],
  ['queue_metrics of six queues', metrics, 3_000],
  ['enqueue_stale_subjects of 100 subjects', stale, 6_000],
] as const)('%s costs the same on a million rows, with statistics or without', async (_title, call, most) => {
  const little = await costOf(small.store, call(small))
  const without = await costOf(large.store, call(large))
  await analyze(large.store)
  const much = await costOf(large.store, call(large))
  for (const { buffers } of [without, much]) {
    expect(buffers).toBeLessThanOrEqual(1.5 * little.buffers + 300)
    expect(buffers).toBeLessThanOrEqual(most)
  }
})
