// A database as a busy installation has it after a month, made directly in the tables because living through it would take hours: a history
// with failures, jobs in every place, workers, blocked targets, counts for charts, groups of errors, an audit log.
import { PATIENTLY } from './past.js'

const QUEUES = 10
const KINDS = 40
const WORKERS = 30
const BLOCKED_TARGETS = 2_000

/** Jobs 1 to `finished` have ended, in the thirty days before the last hour; the `live` jobs after them were created in that hour. */
export async function fillBusyStore(store, { finished, live, say }) {
  const queues = await makeQueues(store)
  await makeWorkers(store)
  await store.database.script(`select setval('holdfast.job_id_seq', ${finished + live})`)
  await store.upkeep.makePartitions()
  const step = 250_000
  for (let lo = 1; lo <= finished; lo += step) {
    await fillHistory(store, [lo, Math.min(finished, lo + step - 1)], { finished, queues })
    say(`${Math.min(finished, lo + step - 1)} finished jobs are there`)
  }
  for (let lo = 1; lo <= live; lo += step) {
    await fillLive(store, [lo, Math.min(live, lo + step - 1)], { finished, live, queues })
    say(`${Math.min(live, lo + step - 1)} live jobs are there`)
  }
  await blockTargets(store)
  await fillCounts(store, queues)
  await fillRecords(store, finished + live)
  // Of a table that grew, autovacuum would have done this.
  await store.database.script('vacuum analyze', PATIENTLY)
  say('the rest is there')
}

async function makeQueues(store) {
  const queues = []
  for (let n = 0; n < QUEUES; n += 1) queues.push(await store.queues.create(`queue-${n}`))
  await store.queues.create('targets', { preset: 'target' })
  await store.queues.create('empty')
  for (let n = 0; n < 50; n += 1)
    await store.schedules.create({
      ...{ name: `schedule-${n}`, queue: `queue-${n % QUEUES}`, kind: `kind-${n % KINDS}` },
      expression: `${n} 3 * * *`,
    })
  return queues
}

/** They stay alive for as long as the measurement takes. */
async function makeWorkers(store) {
  await store.database.script(`
    insert into holdfast.worker (name, created_at) select 'worker-' || n, holdfast.now() - interval '31 days' from generate_series(1, ${WORKERS}) n;
    insert into holdfast.worker_version (tenant, worker_id, since, version)
      select 'default', w.id, holdfast.now() - interval '31 days' + interval '3 days' * v, '1.' || v || '.0'
      from holdfast.worker w cross join generate_series(0, 9) v;
    insert into holdfast.presence (worker_id, tenant, host, pid, version, kinds, queues, slots, busy, lag_ms, draining, started_at, heartbeat_at,
        app_version)
      select w.id, 'default', 'host-' || w.id % 5, 1000 + w.id, '0', array(select 'kind-' || k from generate_series(0, ${KINDS - 1}) k),
        array(select 'queue-' || q from generate_series(0, ${QUEUES - 1}) q), 20, 20, 3, false, holdfast.now(), holdfast.now() + interval '1 day',
        '1.9.0' from holdfast.worker w;
    insert into holdfast.lease (id, worker_id, lease_ms, opened_at, heartbeat_at, expires_at)
      select w.id, w.id, 60000, holdfast.now(), holdfast.now(), holdfast.now() + interval '1 day' from holdfast.worker w`)
}

/** The columns of `job` after id and created_at, of the job n. */
const JOB_COLUMNS = 'queue_id, initial_priority, kind, input, key, target, trace, labels'
const JOB_VALUES = `($3::int[])[1 + n % ${QUEUES}], n % 5 * 10, 'kind-' || n % ${KINDS},
  jsonb_build_object('order', n, 'user', jsonb_build_object('id', 'u_' || n * 7919 % 1000003), 'text', repeat('x', 60)),
  case when n % 10 = 0 then 'order-' || n end, case when n % 20 = 0 then 'customer-' || n % 5000 end,
  case when n % 10 = 1 then '00-' || lpad(to_hex(n), 32, '0') || '-00f067aa0ba902b7-01' end,
  case when n % 50 = 0 then jsonb_build_object('team', 'team-' || n % 7) end`

/** The error of an attempt, if it failed: one in twenty is a timeout. */
const errorIf = (
  failed,
) => `case when ${failed} then case when n % 20 = 7 then 'TimeoutError' else 'Error' end end,
  case when ${failed} then case when n % 20 = 7 then 'connect timeout after 5000 ms' else 'no such order in shop ' || n % 997 end end,
  case when ${failed} then 'fingerprint-' || n % 997 end`

async function fillHistory(store, [lo, hi], { finished, queues }) {
  const values = [lo, hi, queues, finished]
  await store.database.query(
    `insert into holdfast.job (id, created_at, ${JOB_COLUMNS})
     select n, holdfast.now() - interval '1 hour' - interval '30 days' * (1 - n / $4::float8), ${JOB_VALUES}
     from generate_series($1::bigint, $2::bigint) n`,
    values,
    PATIENTLY,
  )
  const attempt = (n, at) =>
    `n, 1 + n % ${WORKERS}, ${at}, ${at}, ${at} + interval '1 s', ${n}, ($3::int[])[1 + n % ${QUEUES}], 1 + n % ${WORKERS}`
  const columns =
    'job_id, lease, claimed_at, started_at, finished_at, attempt, queue_id, worker_id, outcome, moved_to, priority, failures, final, ' +
    'error_class, error_message, error_fingerprint'
  // One in fifty failed, one in two hundred was canceled, and one in thirty succeeded in its second attempt.
  await store.database.query(
    `insert into holdfast.attempt (${columns})
     select ${attempt('1', 'e.at')}, e.outcome::holdfast.outcome, case when n % 30 = 1 then 'retrying' else e.outcome end::holdfast.state,
       n % 5 * 10, 0, n % 30 <> 1, ${errorIf("e.outcome = 'failed'")}
     from generate_series($1::bigint, $2::bigint) n cross join lateral (
       select holdfast.now() - interval '1 hour' - interval '30 days' * (1 - n / $4::float8) + interval '1 s' as at,
         case when n % 50 = 7 or n % 30 = 1 then 'failed' when n % 200 = 3 then 'canceled' else 'succeeded' end as outcome) e
     union all
     select ${attempt('2', 'e.at')}, 'succeeded', 'succeeded', n % 5 * 10, 1, true, null, null, null
     from generate_series($1::bigint, $2::bigint) n cross join lateral (
       select holdfast.now() - interval '1 hour' - interval '30 days' * (1 - n / $4::float8) + interval '20 s' as at) e
     where n % 30 = 1`,
    values,
    PATIENTLY,
  )
}

/** Of a hundred: 5 retry after a failure, 5 are scheduled, 5 pending, 1 runs, 84 could be claimed. */
async function fillLive(store, [lo, hi], { finished, live, queues }) {
  const values = [lo + finished, hi + finished, queues]
  const among = (places) => `from generate_series($1::bigint, $2::bigint) n where n % 100 in (${places})`
  const job = `n, ($3::int[])[1 + n % ${QUEUES}]`
  const columns = 'job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed'
  const run = (text) => store.database.query(text, values, PATIENTLY)
  await run(
    `insert into holdfast.job (id, created_at, ${JOB_COLUMNS})
     select n, holdfast.now() - interval '1 hour' * (1 - (n - ${finished}) / ${live}::float8), ${JOB_VALUES}
     from generate_series($1::bigint, $2::bigint) n`,
  )
  await run(
    `insert into holdfast.delayed (${columns}, state, due_at)
     select ${job}, 1, 0, n % 5 * 10, 1, 0, false, 'retrying', holdfast.now() + interval '1 hour' + interval '1 ms' * n ${among('1, 2, 3, 4, 5')}`,
  )
  await run(
    `insert into holdfast.attempt (job_id, lease, claimed_at, started_at, finished_at, attempt, queue_id, worker_id, outcome, moved_to,
       priority, failures, final, error_class, error_message, error_fingerprint)
     select n, 1, holdfast.now(), holdfast.now(), holdfast.now(), 1, ($3::int[])[1 + n % ${QUEUES}], 1 + n % ${WORKERS}, 'failed', 'retrying',
       n % 5 * 10, 1, false, ${errorIf('true')} ${among('1, 2, 3, 4, 5')}`,
  )
  await run(
    `insert into holdfast.delayed (${columns}, state, due_at)
     select ${job}, 0, 0, n % 5 * 10, 0, 0, false, 'scheduled', holdfast.now() + interval '1 day' + interval '1 ms' * n ${among('6, 7, 8, 9, 10')}`,
  )
  await run(
    `insert into holdfast.held (${columns}, state, since)
     select ${job}, 0, 0, n % 5 * 10, 0, 0, false, 'pending', holdfast.now() ${among('11, 12, 13, 14, 15')}`,
  )
  await run(
    `insert into holdfast.running (job_id, lease, claimed_at, started_at, queue_id, attempt, interruptions, worker_id, priority, failures,
       losses, keyed, own_lease)
     select n, 1 + n % ${WORKERS}, holdfast.now(), holdfast.now(), ($3::int[])[1 + n % ${QUEUES}], 1, 0, 1 + n % ${WORKERS}, n % 5 * 10, 0,
       0, false, false ${among('16')}`,
  )
  await run(
    `insert into holdfast.ready (${columns}, level)
     select ${job}, 0, 0, n % 5 * 10, 0, 0, false, 100 - n % 5 * 10 from generate_series($1::bigint, $2::bigint) n
     where n % 100 not between 1 and 16`,
  )
}

/** Each has a head that failed and twenty jobs behind it. */
async function blockTargets(store) {
  await store.database.script(
    `with made as (
       insert into holdfast.job (id, created_at, queue_id, initial_priority, kind, input, target)
       select nextval('holdfast.job_id_seq'), holdfast.now(), q.id, 0, 'sync', '{}', 'shop-' || t from holdfast.queue q
       cross join generate_series(1, ${BLOCKED_TARGETS}) t cross join generate_series(0, 20) n where q.name = 'targets' returning id, queue_id, target),
     lane as (
       insert into holdfast.lane (head, queue_id, target)
       select min(m.id), m.queue_id, m.target from made m group by 2, 3 returning id, head, queue_id, target),
     failed as (
       insert into holdfast.attempt (job_id, lease, claimed_at, started_at, finished_at, attempt, queue_id, worker_id, outcome, moved_to,
         priority, failures, final, error_class, error_message, error_fingerprint)
       select l.head, 1, holdfast.now(), holdfast.now(), holdfast.now(), 1, l.queue_id, 1, 'failed', 'errored', 0, 1, false, 'Error',
         'the shop answered 403', 'fingerprint-403' from lane l)
     insert into holdfast.held (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed, state, since, target)
     select m.id, l.id, m.id, m.queue_id, (m.id = l.head)::int, 0, 0, (m.id = l.head)::int, 0, false,
       case when m.id = l.head then 'errored' else 'waiting' end::holdfast.held_state, holdfast.now(), m.target
     from made m join lane l on l.target = m.target;
     select holdfast.make_partitions()`,
    PATIENTLY,
  )
}

/** Every minute, quarter and hour that is stored, of every kind; two kinds fail. */
async function fillCounts(store, queues) {
  await store.database.query(
    `insert into holdfast.stat (tenant, minutes, queue_id, at, kind, enqueued, started, succeeded, failed, canceled, attempts, attempts_failed,
       attempts_lost, wait_times, run_times)
     select 'default', w.minutes, q.id, date_bin(interval '1 minute' * w.minutes, holdfast.now(), '2000-01-01') - interval '1 minute' * w.minutes * n,
       q.kind, 9, 9, 9, 1, 0, 9, case when q.kind in ('kind-7', 'kind-17') then 5 else 0 end, 0, array_fill(1, array[30]), array_fill(1, array[30])
     from holdfast.stat_widths() w cross join generate_series(0, 191) n cross join (
       select ($1::int[])[1 + k % ${QUEUES}] as id, 'kind-' || k as kind from generate_series(0, ${KINDS - 1}) k
       union all select 0, '') q`,
    [queues],
    PATIENTLY,
  )
  await store.database.script(
    `insert into holdfast.counted_kind (tenant, kind, first_seen_at, last_seen_at)
       select 'default', 'kind-' || k, holdfast.now() - interval '30 days', holdfast.now() from generate_series(0, ${KINDS - 1}) k;
     insert into holdfast.kind_version (tenant, kind, version, first_seen_at, last_seen_at, attempts, failed)
       select 'default', 'kind-' || k, '1.' || v || '.0', holdfast.now() - interval '3 days' * (10 - v),
         holdfast.now() - interval '3 days' * (9 - v), 1000, 20 from generate_series(0, ${KINDS - 1}) k cross join generate_series(0, 9) v;
     insert into holdfast.queue_minute (queue_id, minute, enqueued, started, succeeded, failed, canceled, ended_after_failures,
         succeeded_after_failures, attempts_failed, attempts_lost, wait_ms, waits, run_ms, runs)
       select q.id, date_trunc('minute', holdfast.now()) - interval '1 minute' * n, 9, 9, 9, 1, 0, 1, 1, 1, 0, 900, 9, 900, 9
       from holdfast.queue q cross join generate_series(0, 4320) n;
     insert into holdfast.error_group (tenant, fingerprint, error_class, message, first_seen_at, last_seen_at, attempts, kinds, queue_ids, job_ids)
       select 'default', 'fingerprint-' || g, 'Error', 'no such order in shop ' || g, holdfast.now() - interval '30 days',
         holdfast.now() - interval '1 minute' * g, 100, array['kind-' || g % ${KINDS}], array(select q.id from holdfast.queue q limit 3), array[g + 50]
       from generate_series(0, 996) g;
     insert into holdfast.error_count (tenant, minutes, fingerprint, kind, at, attempts)
       select 'default', w.minutes, 'fingerprint-' || g, 'kind-' || g % ${KINDS},
         date_bin(interval '1 minute' * w.minutes, holdfast.now(), '2000-01-01') - interval '1 minute' * w.minutes * n, 1
       from (values (1), (60)) w (minutes) cross join generate_series(0, 996) g cross join generate_series(0, 47) n;
     insert into holdfast.chore (name, last_run_at) values ('roll_up', holdfast.now()) on conflict (name) do nothing`,
    PATIENTLY,
  )
}

/** Events, firings, alerts and the audit log. */
async function fillRecords(store, jobs) {
  await store.database.script(
    `insert into holdfast.event (xid, at, tenant, type, job_id, actor)
       select '100', holdfast.now() - interval '1 s' * n, 'default', 'retried', ${jobs} - n, 'ops' from generate_series(1, 200000) n;
     insert into holdfast.audit (at, tenant, actor, operation, method, path, status, request_id)
       select holdfast.now() - interval '1 s' * (200000 - n), 'default', 'ops', 'retryJob', 'POST', '/api/v1/jobs/' || n || '/retry', 200, 'r' || n
       from generate_series(1, 200000) n;
     insert into holdfast.firing (tenant, schedule_id, slot, last_slot, slots, fired_at, outcome, job_id)
       select 'default', s.id, holdfast.now() - interval '1 hour' * n, holdfast.now() - interval '1 hour' * n, 1,
         holdfast.now() - interval '1 hour' * n, 'created', n from holdfast.schedule s cross join generate_series(1, 1000) n;
     insert into holdfast.alert (tenant, rule, subject, state, value, threshold, since, fired_at, seen_at)
       select 'default', 'depth', q.name, 'firing', 20000, 1000, holdfast.now(), holdfast.now(), holdfast.now() from holdfast.queue q;
     insert into holdfast.alert_event (alert_id, at, tenant, rule, subject, type, value, threshold)
       select a.id, holdfast.now() - interval '1 minute' * n, 'default', a.rule, a.subject, case n % 2 when 0 then 'firing' else 'cleared' end, 1, 1
       from holdfast.alert a cross join generate_series(1, 2000) n`,
    PATIENTLY,
  )
}
