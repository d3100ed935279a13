-- Counts what happened since its last call, from the feed into the minutes of each queue and the registry of
-- subjects; at most p_limit events (a batch of jobs is one event). Returns how many. Exactly once, also
-- between concurrent callers: one at a time, and the position in the feed moves in the same transaction, so a
-- crash takes back both or neither. The position is a snapshot, so what commits late is counted when it does,
-- in the minute in which it happened; what the calling transaction itself has written is counted after its
-- commit. A call that finds nothing writes nothing.
create or replace function holdfast.count_minutes(p_limit int default 200) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_part text[];
  v_from pg_snapshot;
  v_to pg_snapshot;
  v_page holdfast.event[];
  v_last holdfast.event;
begin
  perform holdfast.check_sight(p_all => true);
  perform holdfast.adopt_events();
  -- The turn is a write, so it is taken only if there is something to count.
  select string_to_array(c.cursor, '|') into v_part from holdfast.chore c where c.name = 'roll_up';
  v_from := coalesce(v_part[1], '1:1:')::pg_snapshot;
  if v_part[2] is null and not exists (select from holdfast.events_between(v_from,
    holdfast.snapshot_of_others(), pg_snapshot_xmin(v_from), 0, 1))
    or not holdfast.take_turn('roll_up', false) then
    return 0;
  end if;
  -- In statements after the lock, so that they see what the caller before us has written.
  select string_to_array(c.cursor, '|') into v_part from holdfast.chore c where c.name = 'roll_up';
  v_from := coalesce(v_part[1], '1:1:')::pg_snapshot;
  v_to := coalesce(v_part[2]::pg_snapshot, holdfast.snapshot_of_others());
  v_page := array(select e from holdfast.events_between(v_from, v_to,
    coalesce(v_part[3]::xid8, pg_snapshot_xmin(v_from)), coalesce(v_part[4]::bigint, 0), p_limit) e);
  if v_page = '{}' and v_part[2] is null then
    return 0;
  end if;
  perform holdfast.count_events(v_page, v_now);
  v_last := v_page[cardinality(v_page)];
  insert into holdfast.chore (name, last_run_at, cursor)
    values ('roll_up', v_now, case when cardinality(v_page) = p_limit then v_from || '|' || v_to || '|'
      || v_last.xid || '|' || v_last.id else v_to::text end)
    on conflict (name) do update set last_run_at = excluded.last_run_at, cursor = excluded.cursor;
  return cardinality(v_page);
end $$;

-- Adds a page of the feed to the minutes of each queue, and to the registry of subjects.
--
-- An event of a batch has the very time of the attempts it ended; of what ended without a worker (canceled,
-- skipped, ...) it is the job's last row without a lease. All jobs of a page are found in one scan of the
-- index, which takes 0.4 us a job where looking them up one by one takes 2; so joins hash, whatever the
-- planner assumes about an array it cannot count.
create or replace function holdfast.count_events(p_page holdfast.event[], p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_oldest timestamptz := p_now - interval '1 day' * holdfast.setting_number('ROLLUP_DAYS')::int;
  v_by_subject int[] := array(select q.id from holdfast.queue q where q.dedup_by = 'subject');
  v_new bigint[] := array(select j.id from unnest(p_page) e cross join unnest(e.job_ids) j (id)
    where e.type = 'enqueued' and e.queue_id is null order by 1);
  v_ended bigint[] := array(select distinct j.id from unnest(p_page) e
    cross join unnest(coalesce(e.job_ids, array[e.job_id])) j (id)
    where e.type in ('attempt_ended', 'canceled', 'skipped', 'discarded', 'replaced') order by 1);
  v_succeeded bigint[];
begin
  with ended as materialized (
    select a.* from holdfast.attempt a
    join (select distinct j.id, e.at from unnest(p_page) e cross join unnest(e.job_ids) j (id)
      where e.type = 'attempt_ended') b
      on b.id = a.job_id and b.at = a.finished_at and a.lease is not null
    where a.job_id = any (v_ended) and a.job_id between v_ended[1] and v_ended[cardinality(v_ended)]
    union all
    select (a.last).* from unnest(p_page) e join (
      select x.job_id, max(x.attempt) as attempt from holdfast.attempt x
      where x.job_id = any (v_ended) and x.job_id between v_ended[1] and v_ended[cardinality(v_ended)]
        and x.lease is null group by x.job_id) m
      on m.job_id = e.job_id
    cross join lateral (select x as last from holdfast.attempt x where x.job_id = any (array[m.job_id])
      and x.attempt = m.attempt) a
    where e.type in ('canceled', 'skipped', 'discarded', 'replaced')),
  counted as (
    select e.queue_id, e.at, cardinality(e.job_ids) as enqueued, 0 as started, 0 as succeeded, 0 as failed,
      0 as canceled, 0 as ended_after_failures,
      0 as succeeded_after_failures, 0 as attempts_failed, 0 as attempts_lost, 0::bigint as wait_ms,
        0 as waits, 0::bigint as run_ms, 0 as runs
    from unnest(p_page) e where e.type = 'enqueued' and e.queue_id is not null
    union all
    select j.queue_id, j.created_at, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 from holdfast.job j
    where j.id = any (v_new) and j.id between v_new[1] and v_new[cardinality(v_new)]
    union all
    select a.queue_id, a.claimed_at, 0, 1, 0, 0, 0, 0, 0, 0, 0,
      case when a.attempt = 1 then greatest(0, extract(epoch from a.claimed_at - greatest(j.created_at,
        j.run_at)) * 1000)::bigint else 0 end, (a.attempt = 1)::int, 0, 0
    from ended a left join holdfast.job j on j.id = a.job_id and j.id = any (v_ended)
      and j.id between v_ended[1] and v_ended[cardinality(v_ended)]
    where a.claimed_at is not null
    union all
    select a.queue_id, a.finished_at, 0, 0, (a.moved_to = 'succeeded')::int, (a.moved_to = 'failed')::int,
      (a.moved_to = 'canceled')::int,
      (a.failures > 0 and a.moved_to in ('succeeded', 'failed', 'canceled'))::int,
        (a.failures > 0 and a.moved_to = 'succeeded')::int,
      (a.outcome = 'failed' and a.claimed_at is not null)::int, (a.outcome = 'lost')::int, 0, 0,
      coalesce(greatest(0, extract(epoch from a.finished_at - coalesce(a.started_at,
        a.claimed_at)) * 1000)::bigint, 0), (a.claimed_at is not null)::int
    from ended a),
  minute_row as (
    insert into holdfast.queue_minute as m
    select c.queue_id, date_bin('1 minute', c.at, '2000-01-01 00:00:00+00'), sum(c.enqueued), sum(c.started),
      sum(c.succeeded), sum(c.failed),
      sum(c.canceled), sum(c.ended_after_failures), sum(c.succeeded_after_failures), sum(c.attempts_failed),
        sum(c.attempts_lost), sum(c.wait_ms),
      sum(c.waits), sum(c.run_ms), sum(c.runs)
    from counted c where c.at >= v_oldest group by 1, 2 order by 1, 2
    on conflict (queue_id, minute) do update set enqueued = m.enqueued + excluded.enqueued,
      started = m.started + excluded.started,
      succeeded = m.succeeded + excluded.succeeded, failed = m.failed + excluded.failed,
        canceled = m.canceled + excluded.canceled,
      ended_after_failures = m.ended_after_failures + excluded.ended_after_failures,
      succeeded_after_failures = m.succeeded_after_failures + excluded.succeeded_after_failures,
      attempts_failed = m.attempts_failed + excluded.attempts_failed, attempts_lost = m.attempts_lost
        + excluded.attempts_lost,
      wait_ms = m.wait_ms + excluded.wait_ms, waits = m.waits + excluded.waits,
        run_ms = m.run_ms + excluded.run_ms, runs = m.runs + excluded.runs)
  select array_agg(a.job_id order by a.job_id) into v_succeeded from ended a where a.moved_to = 'succeeded'
    and a.queue_id = any (v_by_subject);

  if v_succeeded is not null then
    perform holdfast.keep_subjects(v_succeeded, p_now);
  end if;
end $$;

-- Stores the subjects of these jobs, which have succeeded: when that was, and the job with which they are
-- enqueued again.
create or replace function holdfast.keep_subjects(p_jobs bigint[], p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into holdfast.subject as s (queue_id, name, kind, input, priority, last_success_at, last_job_id,
    enabled, added_at)
    select distinct on (j.queue_id, j.subject collate "C") j.queue_id, j.subject, j.kind, j.input,
      j.priority_asked, a.finished_at, j.id, true, p_now
    from unnest(p_jobs) t (id) join holdfast.job j on j.id = any (array[t.id])
    join holdfast.attempt a on a.job_id = any (array[t.id]) and a.moved_to = 'succeeded'
    where j.subject is not null order by j.queue_id, j.subject collate "C", a.finished_at desc
    on conflict (queue_id, name) do update set kind = excluded.kind, input = excluded.input,
      priority = excluded.priority,
      last_success_at = excluded.last_success_at, last_job_id = excluded.last_job_id, asked_at = null
      where s.last_success_at is null or s.last_success_at <= excluded.last_success_at;
end $$;

-- Attempts whose lease expired, by queue and minute, as count_minutes has counted them in the last p_back: a
-- counter for metrics.
create or replace function holdfast.lost_attempts(p_back interval default '1 hour')
  returns table (queue_id int, minute timestamptz, lost int)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select x.queue_id, x.minute, x.attempts_lost from holdfast.queue_minute x
    where x.minute > holdfast.now() - p_back and x.attempts_lost > 0
$$;
