/**
 * What pages of the dashboard read beside lists, searches and charts, on a million jobs with their attempts: whatever the planner knows of
 * them, it is bounded.
 */
import { type Store, storeOn } from 'holdfast/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anotherSession, type Backlog, drop, emptyBacklog } from '../../support/backlog.js'
import { analyze, type Call, costOf, PATIENTLY } from '../../support/plans.js'

const MANY = 1_000_000
const RECORDS = 200_000
const WORKERS = 30

/** Ended jobs, live ones in every place, every hundredth with a parent; what people, schedules, alerts and callers did. */
const FILL = (rows: number, { flat, levels, lanes }: Backlog['queue']) => `
  insert into holdfast.job (id, created_at, queue_id, initial_priority, kind, input, parent_id, retry_of)
    select i, now() - interval '1 hour', case i % 2 when 0 then ${flat} else ${levels} end, 0, 'work', '{}',
      case i % 100 when 0 then i - 50 end, case i % 1000 when 1 then i - 100 end from generate_series(1, ${rows}) i;
  insert into holdfast.attempt (job_id, finished_at, claimed_at, attempt, queue_id, worker_id, outcome, moved_to, priority, failures, final,
      error_message, error_fingerprint)
    select i, now(), now(), 1, case i % 2 when 0 then ${flat} else ${levels} end, 1 + i % ${WORKERS},
      case i % 50 when 0 then 'failed' else 'succeeded' end::holdfast.outcome, case i % 50 when 0 then 'failed' else 'succeeded' end::holdfast.state,
      0, 0, true, case i % 50 when 0 then 'no' end, case i % 50 when 0 then 'f' end from generate_series(1, ${rows / 2}) i;
  insert into holdfast.ready (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, level)
    select i, case i % 2 when 0 then ${flat} else ${levels} end, 0, 0, 0, 0, 0, false, case i % 2 when 0 then 0 else i % 100 end
    from generate_series(${rows / 2} + 1, ${rows}) i;
  insert into holdfast.delayed (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, state, due_at)
    select i, ${levels}, 0, 0, 0, 0, 0, false, 'retrying', now() + interval '1 s' * i from generate_series(1, ${rows / 2}) i;
  insert into holdfast.held (job_id, queue_id, lane, ord, attempt, interruptions, priority, failures, losses, keyed, state, since)
    select i, ${lanes}, 1024 * i, i, 0, 0, 0, 0, 0, false, 'errored', now() from generate_series(1, ${rows / 2}) i;
  insert into holdfast.worker (name, created_at) select 'w' || n, now() from generate_series(1, ${WORKERS}) n;
  insert into holdfast.presence (worker_id, tenant, host, pid, version, kinds, queues, slots, busy, lag_ms, draining, started_at, heartbeat_at)
    select w.id, 'default', 'h', w.id, '0', '{work}', '{flat}', 1, 1, 0, false, now(), now() from holdfast.worker w;
  insert into holdfast.running (job_id, lease, claimed_at, queue_id, attempt, interruptions, worker_id, priority, failures, losses, keyed, own_lease)
    select i, 1, now(), ${levels}, 1, 0, 1 + i % ${WORKERS}, 0, 0, 0, false, false from generate_series(1, ${rows / 10}) i;
  insert into holdfast.queue_minute (queue_id, minute, enqueued, started, succeeded, failed, canceled, ended_after_failures,
      succeeded_after_failures, attempts_failed, attempts_lost, wait_ms, waits, run_ms, runs)
    select q.id, date_trunc('minute', now()) - interval '1 minute' * n, 9, 9, 9, 1, 0, 1, 1, 1, 0, 900, 9, 900, 9
    from holdfast.queue q cross join generate_series(0, 4320) n;
  insert into holdfast.event (xid, at, tenant, type, job_id, actor)
    select '100', now(), 'default', 'retried', n, 'ops' from generate_series(1, ${RECORDS}) n;
  insert into holdfast.audit (at, tenant, actor, operation, method, path, status, request_id)
    select now(), 'default', 'ops', 'retryJob', 'POST', '/', 200, 'r' from generate_series(1, ${RECORDS}) n;
  insert into holdfast.firing (tenant, schedule_id, slot, last_slot, slots, fired_at, outcome, job_id)
    select 'default', s.id, now() - interval '1 h' * n, now(), 1, now(), 'created', n from holdfast.schedule s cross join generate_series(1, ${RECORDS}) n;
  insert into holdfast.alert (tenant, rule, subject, state, value, threshold, since, fired_at, seen_at)
    values ('default', 'depth', 'flat', 'firing', 1, 1, now(), now(), now());
  insert into holdfast.alert_event (alert_id, at, tenant, rule, subject, type, value, threshold)
    select a.id, now(), 'default', 'depth', 'flat', 'firing', 1, 1 from holdfast.alert a cross join generate_series(1, ${RECORDS}) n;
  select setval('holdfast.job_id_seq', ${rows})`

interface Reading {
  readonly title: string
  readonly read: (store: Store, ids: { readonly ended: number; readonly queued: number }) => Promise<unknown>
  readonly statements: number
  /** Pages of all its statements. */
  readonly most: number
}

const READS: readonly Reading[] = [
  {
    title: 'the family of a job with a parent',
    read: ({ read }, { ended }) => read.related(ended),
    ...{ statements: 2, most: 1_000 },
  },
  {
    title: 'the family of a job without one',
    read: ({ read }, { ended }) => read.related(ended + 7),
    ...{ statements: 2, most: 500 },
  },
  {
    title: 'a queued job',
    read: ({ read }, { queued }) => read.job(queued),
    ...{ statements: 1, most: 500 },
  },
  { title: 'an ended job', read: ({ read }, { ended }) => read.job(ended), ...{ statements: 1, most: 500 } },
  {
    title: 'the attempts of a job',
    read: ({ read }, { ended }) => read.attempts(ended),
    ...{ statements: 1, most: 100 },
  },
  {
    title: 'the history of a job',
    read: ({ read }, { ended }) => read.history(ended),
    ...{ statements: 1, most: 500 },
  },
  {
    title: 'the counts by state',
    read: ({ list }) => list.stateCounts(),
    ...{ statements: 1, most: 50_000 },
  },
  {
    title: 'the counts by state of a queue',
    read: ({ list }) => list.stateCounts({ queue: 'flat' }),
    ...{ statements: 2, most: 50_000 },
  },
  // A thousand of each of its fifty priorities.
  {
    title: 'the metrics of all queues',
    read: ({ stats }) => stats.byQueue(),
    ...{ statements: 1, most: 60_000 },
  },
  {
    title: 'the metrics of a queue',
    read: ({ stats }) => stats.byQueue({ queue: 'empty' }),
    ...{ statements: 1, most: 8_000 },
  },
  { title: 'workers', read: ({ workers }) => workers.list(), ...{ statements: 1, most: 500 } },
  {
    title: 'a worker with its jobs',
    read: ({ workers }) => workers.details('w7'),
    ...{ statements: 3, most: 1_500 },
  },
  { title: 'alerts', read: ({ alerts }) => alerts.list(), ...{ statements: 1, most: 100 } },
  {
    title: 'what alerts did',
    read: ({ alerts }) => alerts.history({ tenant: 'default' }),
    ...{ statements: 1, most: 200 },
  },
  {
    title: 'the audit log',
    read: ({ audit }) => audit.list({ tenant: 'default' }),
    ...{ statements: 1, most: 200 },
  },
  {
    title: 'the firings of a schedule',
    read: ({ schedules }) => schedules.history('nightly'),
    ...{ statements: 2, most: 300 },
  },
]

/** The statements of a read, as the store sends them. */
async function statementsOf(backlog: Backlog, read: Reading['read']): Promise<Call[]> {
  const calls: Call[] = []
  const { database } = backlog.store
  const spied = storeOn({
    ...database,
    query: (text: string, values: readonly unknown[] = [], options?: object) => {
      calls.push({ text, values })
      return database.query(text, values, options)
    },
  } as Backlog['store']['database'])
  await read(spied, { ended: 40_000, queued: backlog.rows - 5 })
  return calls
}

async function pagesOf(backlog: Backlog, { read, statements }: Reading): Promise<number> {
  const calls = await statementsOf(backlog, read)
  expect(calls).toHaveLength(statements)
  let pages = 0
  for (const call of calls) pages += (await costOf(backlog.store, call)).buffers
  return pages
}

describe('what a page reads among a million jobs is bounded', () => {
  let large: Backlog
  let newcomer: Backlog
  beforeAll(async () => {
    large = await emptyBacklog(MANY)
    await large.store.schedules.create({
      ...{ name: 'nightly', queue: 'flat', kind: 'work', expression: '0 3 * * *' },
    })
    await analyze(large.store)
    for (const statement of FILL(MANY, large.queue).split(';\n'))
      await large.store.database.script(statement, PATIENTLY)
    newcomer = await anotherSession(large)
  }, 600_000)
  afterAll(async () => {
    await newcomer.store.close()
    await drop(large)
  })

  it.each(READS)('$title, with the statistics of empty tables', async (reading) => {
    expect(await pagesOf(large, reading)).toBeLessThanOrEqual(reading.most)
  })

  it.each(READS)('$title, with statistics of now, in another session', async (reading) => {
    await analyzed()
    expect(await pagesOf(newcomer, reading)).toBeLessThanOrEqual(reading.most)
  })

  let analyzing: Promise<void> | undefined
  const analyzed = () => {
    analyzing ??= analyze(large.store)
    return analyzing
  }
})
