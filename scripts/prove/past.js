// A long past, made directly in the tables because living through it would take hours.

/** Filling and checking millions of rows takes longer than any call of the library may. */
export const PATIENTLY = { deadlineMs: 3_600_000 }

/**
 * Every (finished/survivors)th job must stay, for one of five reasons (public.past says which); all others succeeded a month ago:
 * 0 queued in `old` · 1 kept for ever · 2 failed an hour ago · 3 scheduled · 4 pending
 */
export async function fillPast(store, { finished, survivors, width, say }) {
  const start = performance.now()
  await narrowRanges(store, width)
  const queues = {
    done: await store.queues.create('done'),
    ever: await store.queues.create('ever', { policy: { retentionMs: null } }),
    old: await store.queues.create('old'),
  }
  await store.queues.create('live')
  await store.database.query("select setval('holdfast.job_id_seq', $1)", [finished])
  await store.upkeep.makePartitions()
  await store.work.openLease('long-ago', 60_000)
  await store.database.script(
    `create table public.past (id bigint primary key, why int);
     insert into public.past select n * ${Math.floor(finished / survivors)}, n % 5 from generate_series(1, ${survivors}) n`,
  )
  for (let lo = 1; lo <= finished; lo += width) {
    const hi = Math.min(finished, lo + width - 1)
    await fillRange(store, [lo, hi], queues)
    say(`${hi} jobs of the past are there`)
  }
  await placeSurvivors(store)
  await store.database.script('vacuum analyze', PATIENTLY)
  say('the past is filled')
  return Math.round(performance.now() - start)
}

/** Instead of the ranges the migration made, which are empty. */
async function narrowRanges(store, width) {
  await store.database.script(`do $$
    declare v_lo bigint;
    begin
      for v_lo in delete from holdfast.partition returning lo loop
        execute format('drop table holdfast.job_%s, holdfast.attempt_%s', v_lo, v_lo);
      end loop;
    end $$`)
  await store.database.query(
    "insert into holdfast.setting (name, value, updated_at) values ('PARTITION_JOBS', to_jsonb($1::int), now())",
    [width],
  )
}

async function fillRange(store, range, { done, ever, old }) {
  await store.database.query(
    `insert into holdfast.job (id, created_at, queue_id, initial_priority, kind, input)
     select n, holdfast.now() - interval '30 days', case p.why when 0 then $3::int when 1 then $4::int else $5::int end, 0, 'past',
       jsonb_build_object('order', n, 'text', repeat('x', 60))
     from generate_series($1::bigint, $2::bigint) n left join public.past p on p.id = n`,
    [...range, old, ever, done],
    PATIENTLY,
  )
  await store.database.query(
    `insert into holdfast.attempt (job_id, lease, claimed_at, started_at, finished_at, attempt, queue_id, worker_id, outcome, moved_to,
       priority, failures, final)
     select n, 1, e.at, e.at, e.at, 1, case p.why when 1 then $3::int else $4::int end, 1, e.outcome::holdfast.outcome,
       e.outcome::holdfast.state, 0, 0, true
     from generate_series($1::bigint, $2::bigint) n left join public.past p on p.id = n
     cross join lateral (select holdfast.now() - case p.why when 2 then interval '1 hour' else interval '30 days' end as at,
       case p.why when 2 then 'failed' else 'succeeded' end as outcome) e
     where coalesce(p.why, 1) in (1, 2)`,
    [...range, ever, done],
    PATIENTLY,
  )
}

async function placeSurvivors(store) {
  const columns = 'job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed'
  const from = 'select p.id, j.queue_id, 0, 0, 0, 0, 0, false'
  const past = (why) => `from public.past p join holdfast.job j on j.id = p.id where p.why = ${why}`
  await store.database.script(
    `insert into holdfast.ready (${columns}, level) ${from}, 100 ${past(0)};
     insert into holdfast.delayed (${columns}, state, due_at) ${from}, 'scheduled', holdfast.now() + interval '30 days' ${past(3)};
     insert into holdfast.held (${columns}, state, since) ${from}, 'pending', holdfast.now() ${past(4)}`,
    PATIENTLY,
  )
}
