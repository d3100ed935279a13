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

-- Adds a page of the feed to the minutes of each queue, to the counts of charts, kinds and errors, and to the
-- registry of subjects.
--
-- An event of a batch has the very time of the attempts it ended; of what ended without a worker (canceled,
-- skipped, ...) it is the job's last row without a lease. All jobs of a page are found in one scan of the
-- index, which takes 0.4 us a job where looking them up one by one takes 2; so joins hash, whatever the
-- planner assumes about an array it cannot count. The page is first added up by queue, kind and minute: what
-- comes after costs by those, not by jobs.
create or replace function holdfast.count_events(p_page holdfast.event[], p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_oldest timestamptz := p_now - interval '1 day' * holdfast.setting_number('ROLLUP_DAYS')::int;
  v_by_subject int[] := array(select q.id from holdfast.queue q where q.dedup_by = 'subject');
  v_new bigint[] := array(select j.id from unnest(p_page) e cross join unnest(e.job_ids) j (id)
    where e.type = 'enqueued' order by 1);
  v_ended bigint[] := array(select distinct j.id from unnest(p_page) e
    cross join unnest(coalesce(e.job_ids, array[e.job_id])) j (id)
    where e.type in ('attempt_ended', 'canceled', 'skipped', 'discarded', 'replaced') order by 1);
  v_cells holdfast.stat_cell[];
  v_versions holdfast.version_cell[];
  v_errors holdfast.error_cell[];
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
  version as materialized (
    select v.tenant, v.worker_id, v.version, v.since, lead(v.since, 1, 'infinity') over (
      partition by v.tenant, v.worker_id order by v.since) as until
    from holdfast.worker_version v where v.worker_id = any (array(select distinct a.worker_id from ended a))),
  known as materialized (
    select a.job_id, a.queue_id, coalesce(j.kind, '') as kind, a.attempt, a.claimed_at, a.finished_at,
      a.moved_to, a.failures, a.outcome, a.error_fingerprint, a.error_class, a.error_message,
      coalesce(v.version, '') as version, greatest(j.created_at, j.run_at) as claimable_at,
      greatest(0, extract(epoch from a.finished_at - coalesce(a.started_at,
        a.claimed_at)) * 1000)::bigint as run_ms
    from ended a left join holdfast.job j on j.id = a.job_id and j.id = any (v_ended)
      and j.id between v_ended[1] and v_ended[cardinality(v_ended)]
    left join holdfast.queue q on q.id = a.queue_id
    left join version v on v.worker_id = a.worker_id and v.tenant = q.tenant
      -- the first heartbeat of a process may come after its first claim
      and a.claimed_at >= v.since - interval '10 seconds' and a.claimed_at < v.until - interval '10 seconds'),
  counted as (
    select coalesce(e.queue_id, j.queue_id) as queue_id, coalesce(j.kind, '') as kind,
      case when e.queue_id is null then j.created_at else e.at end as at, 1 as enqueued, 0 as started,
      0 as succeeded, 0 as failed, 0 as canceled, 0 as ended_after_failures,
      0 as succeeded_after_failures, 0 as attempts, 0 as attempts_failed, 0 as attempts_lost,
      null::bigint as wait_ms, null::bigint as run_ms
    from unnest(p_page) e cross join unnest(e.job_ids) n (id)
    left join holdfast.job j on j.id = n.id and j.id = any (v_new)
      and j.id between v_new[1] and v_new[cardinality(v_new)]
    where e.type = 'enqueued'
    union all
    select a.queue_id, a.kind, a.claimed_at, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0,
      case when a.attempt = 1 then coalesce(greatest(0,
        extract(epoch from a.claimed_at - a.claimable_at) * 1000)::bigint, 0) end, null
    from known a where a.claimed_at is not null
    union all
    select a.queue_id, a.kind, a.finished_at, 0, 0, (a.moved_to = 'succeeded')::int,
      (a.moved_to = 'failed')::int, (a.moved_to = 'canceled')::int,
      (a.failures > 0 and a.moved_to in ('succeeded', 'failed', 'canceled'))::int,
        (a.failures > 0 and a.moved_to = 'succeeded')::int, (a.claimed_at is not null)::int,
      (a.outcome = 'failed' and a.claimed_at is not null)::int, (a.outcome = 'lost')::int, null,
      case when a.claimed_at is not null then a.run_ms end
    from known a)
  select
    array(select row(c.queue_id, c.kind, date_bin('1 minute', c.at, '2000-01-01 00:00:00+00'),
        sum(c.enqueued), sum(c.started), sum(c.succeeded), sum(c.failed), sum(c.canceled),
        sum(c.ended_after_failures), sum(c.succeeded_after_failures), sum(c.attempts),
        sum(c.attempts_failed), sum(c.attempts_lost), coalesce(sum(c.wait_ms), 0), count(c.wait_ms),
        coalesce(sum(c.run_ms), 0), count(c.run_ms),
        holdfast.histogram(array_agg(c.wait_ms) filter (where c.wait_ms is not null)),
        holdfast.histogram(array_agg(c.run_ms) filter (where c.run_ms is not null)))::holdfast.stat_cell
      from counted c where c.at >= v_oldest and c.queue_id is not null
      group by c.queue_id, c.kind, date_bin('1 minute', c.at, '2000-01-01 00:00:00+00')),
    array(select row(a.queue_id, a.kind, a.version, min(a.claimed_at), max(a.finished_at), count(*),
        count(*) filter (where a.outcome in ('failed', 'lost')))::holdfast.version_cell
      from known a where a.claimed_at is not null and a.finished_at >= v_oldest
      group by a.queue_id, a.kind, a.version),
    array(select row(a.queue_id, a.kind, a.version, a.error_fingerprint,
        date_bin('1 minute', a.finished_at, '2000-01-01 00:00:00+00'), max(a.finished_at), count(*),
        max(a.job_id), (array_agg(a.job_id order by a.finished_at desc, a.job_id desc))[1:20],
        max(a.error_class), (array_agg(left(a.error_message, 500)
          order by a.finished_at desc, a.job_id desc))[1])::holdfast.error_cell
      from known a where a.error_fingerprint is not null and a.claimed_at is not null
        and a.finished_at >= v_oldest
      group by a.queue_id, a.kind, a.version, a.error_fingerprint,
        date_bin('1 minute', a.finished_at, '2000-01-01 00:00:00+00')),
    (select array_agg(a.job_id order by a.job_id) from known a where a.moved_to = 'succeeded'
      and a.queue_id = any (v_by_subject))
    into v_cells, v_versions, v_errors, v_succeeded;

  insert into holdfast.queue_minute as m
    select c.queue_id, c.minute, sum(c.enqueued), sum(c.started), sum(c.succeeded), sum(c.failed),
      sum(c.canceled), sum(c.ended_after_failures), sum(c.succeeded_after_failures), sum(c.attempts_failed),
      sum(c.attempts_lost), sum(c.wait_ms), sum(c.waits), sum(c.run_ms), sum(c.runs)
    from unnest(v_cells) c group by 1, 2 order by 1, 2
    on conflict (queue_id, minute) do update set enqueued = m.enqueued + excluded.enqueued,
      started = m.started + excluded.started,
      succeeded = m.succeeded + excluded.succeeded, failed = m.failed + excluded.failed,
        canceled = m.canceled + excluded.canceled,
      ended_after_failures = m.ended_after_failures + excluded.ended_after_failures,
      succeeded_after_failures = m.succeeded_after_failures + excluded.succeeded_after_failures,
      attempts_failed = m.attempts_failed + excluded.attempts_failed, attempts_lost = m.attempts_lost
        + excluded.attempts_lost,
      wait_ms = m.wait_ms + excluded.wait_ms, waits = m.waits + excluded.waits,
        run_ms = m.run_ms + excluded.run_ms, runs = m.runs + excluded.runs;
  perform holdfast.count_stats(v_cells, p_now);
  perform holdfast.count_versions(v_versions);
  perform holdfast.count_errors(v_errors, p_now);
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
      j.initial_priority, a.finished_at, j.id, true, p_now
    from unnest(p_jobs) t (id) join holdfast.job j on j.id = any (array[t.id])
    join holdfast.attempt a on a.job_id = any (array[t.id]) and a.moved_to = 'succeeded'
    where j.subject is not null order by j.queue_id, j.subject collate "C", a.finished_at desc
    on conflict (queue_id, name) do update set kind = excluded.kind, input = excluded.input,
      priority = excluded.priority,
      last_success_at = excluded.last_success_at, last_job_id = excluded.last_job_id, enqueued_at = null
      where s.last_success_at is null or s.last_success_at <= excluded.last_success_at;
end $$;

-- Attempts whose lease expired, by queue and minute, as count_minutes has counted them in the last p_window:
-- a counter for metrics.
create or replace function holdfast.lost_attempts(p_window interval default '1 hour')
  returns table (queue_id int, minute timestamptz, lost int)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select x.queue_id, x.minute, x.attempts_lost from holdfast.queue_minute x
    where x.minute > holdfast.now() - p_window and x.attempts_lost > 0
$$;
