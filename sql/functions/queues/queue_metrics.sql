-- Metrics of queues over time windows that end now: one row for each queue and window, of one queue, of one
-- tenant or of all that the caller sees.
--
-- Now: depth (claimable jobs) and priorities (how many of them at which priority), each level counted up to
-- p_max, and since when the job that has waited longest could have been claimed (ready_fronts). Both step
-- from one level that has jobs to the next: to look for jobs in each of all levels costs three pages a level
-- and queue. In the window, by whole minutes as count_minutes has counted them: jobs enqueued, started and
-- ended; failed_rate, failed among those that succeeded or failed; retry_success_rate, succeeded among those
-- that ended after a failure; average_wait_ms, from when a job could be claimed to its first start. A rate
-- without jobs is null. Running jobs that started in the window count as started, and the first thousand of
-- them in the wait. Each minute is read once, whatever the windows: it counts for the narrowest that has it,
-- and for all that are wider.
create or replace function holdfast.queue_metrics(
  p_tenant text default null, p_windows interval[] default '{00:15:00,01:00:00,24:00:00}',
  p_max int default 10000, p_queue text default null
) returns table (
  tenant text, queue text, queue_id int, window_sec int, depth bigint, priorities jsonb, enqueued bigint,
  started bigint, succeeded bigint, failed bigint, canceled bigint, ended_after_failures bigint,
  succeeded_after_failures bigint, attempts_failed bigint, attempts_lost bigint, waits bigint,
  failed_rate double precision, retry_success_rate double precision, average_wait_ms double precision,
  average_run_ms double precision, oldest_ready_at timestamptz)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
  -- The first moment of each window, the widest first.
  v_bounds timestamptz[] := array(select v_now - w + interval '1 microsecond' from unnest(p_windows) w
    order by 1);
begin
  if p_tenant is not null then
    perform holdfast.check_tenant(p_tenant);
  end if;
  return query
  with chosen as materialized (
    select q.id, q.tenant, q.name, q.order_by = 'priority' as by_priority from holdfast.queue q
    where (p_tenant is null or q.tenant = p_tenant) and (p_queue is null or q.name = p_queue)),
  ready_count as materialized (
    select m.id, coalesce(sum(p.jobs), 0)::bigint as depth,
      coalesce(jsonb_object_agg(p.priority, p.jobs order by p.priority) filter (where p.jobs > 0),
      '{}') as priorities
    from chosen m left join lateral (
      with recursive step as (
        (select x.level from holdfast.ready x where x.queue_id = m.id order by x.level limit 1)
        union all
        select (select x.level from holdfast.ready x where x.queue_id = m.id and x.level > s.level
          order by x.level limit 1) from step s where s.level is not null)
      -- in a queue by priority the level says it, and the index is all that is read
      select 100 - s.level as priority, (select count(*) from (select from holdfast.ready x
        where x.queue_id = m.id and x.level = s.level limit p_max) c) as jobs
      from step s where m.by_priority and s.level is not null
      union all
      select r.priority, count(*) from step s
      cross join lateral (select x.priority from holdfast.ready x where x.queue_id = m.id
        and x.level = s.level limit p_max) r
      where not m.by_priority
      group by r.priority) p on true
    group by m.id),
  oldest as materialized (
    select f.queue_id, f.since from holdfast.ready_fronts(array(select m.id from chosen m)) f),
  running_job as materialized (
    select x.queue_id, x.claimed_at, x.job_id, x.attempt from holdfast.running x
    where x.claimed_at >= v_bounds[1] limit p_max),
  -- of the first thousand: each is a lookup
  waited as materialized (
    select r.queue_id, r.claimed_at, greatest(0,
      extract(epoch from r.claimed_at - greatest(j.created_at, j.run_at)) * 1000)::bigint as wait_ms
    from (select x.* from running_job x where x.attempt = 1
      and x.queue_id in (select m.id from chosen m) limit 1000) r
    join holdfast.job j on j.id = any (array[r.job_id])),
  part as materialized (
    select m.id, width_bucket(x.minute, v_bounds) as bucket, sum(x.enqueued) as enqueued,
      sum(x.started) as started, sum(x.succeeded) as succeeded, sum(x.failed) as failed,
      sum(x.canceled) as canceled, sum(x.ended_after_failures) as ended_after_failures,
      sum(x.succeeded_after_failures) as succeeded_after_failures, sum(x.attempts_failed) as attempts_failed,
      sum(x.attempts_lost) as attempts_lost, sum(x.wait_ms)::bigint as wait_ms, sum(x.waits) as waits,
      sum(x.run_ms)::bigint as run_ms, sum(x.runs) as runs
    -- a condition on the minute alone would invite the planner to read the minutes of all queues
    from chosen m join holdfast.queue_minute x on (x.queue_id, x.minute) >= (m.id, v_bounds[1])
      and (x.queue_id, x.minute) <= (m.id, 'infinity'::timestamptz)
    group by 1, 2
    union all
    select r.queue_id, width_bucket(r.claimed_at, v_bounds), 0, count(*), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    from running_job r group by 1, 2
    union all
    select v.queue_id, width_bucket(v.claimed_at, v_bounds), 0, 0, 0, 0, 0, 0, 0, 0, 0,
      sum(v.wait_ms)::bigint, count(*), 0, 0
    from waited v group by 1, 2),
  summed as (
    select m.id, w.n, w.span, coalesce(sum(p.enqueued), 0)::bigint as enqueued,
      coalesce(sum(p.started), 0)::bigint as started, coalesce(sum(p.succeeded), 0)::bigint as succeeded,
      coalesce(sum(p.failed), 0)::bigint as failed, coalesce(sum(p.canceled), 0)::bigint as canceled,
      coalesce(sum(p.ended_after_failures), 0)::bigint as ended_after_failures,
      coalesce(sum(p.succeeded_after_failures), 0)::bigint as succeeded_after_failures,
      coalesce(sum(p.attempts_failed), 0)::bigint as attempts_failed,
      coalesce(sum(p.attempts_lost), 0)::bigint as attempts_lost,
      coalesce(sum(p.wait_ms), 0)::bigint as wait_ms, coalesce(sum(p.waits), 0)::bigint as waits,
      coalesce(sum(p.run_ms), 0)::bigint as run_ms, coalesce(sum(p.runs), 0)::bigint as runs
    from chosen m cross join unnest(p_windows) with ordinality w (span, n)
    left join part p on p.id = m.id
      and p.bucket >= width_bucket(v_now - w.span + interval '1 microsecond', v_bounds)
    group by m.id, w.n, w.span)
  select m.tenant, m.name, m.id, extract(epoch from c.span)::int, t.depth, t.priorities, c.enqueued,
    c.started, c.succeeded, c.failed, c.canceled, c.ended_after_failures, c.succeeded_after_failures,
    c.attempts_failed, c.attempts_lost, c.waits,
    c.failed / nullif(c.succeeded + c.failed, 0)::double precision,
    c.succeeded_after_failures / nullif(c.ended_after_failures, 0)::double precision,
    c.wait_ms / nullif(c.waits, 0)::double precision, c.run_ms / nullif(c.runs, 0)::double precision, o.since
  from chosen m join ready_count t on t.id = m.id join summed c on c.id = m.id
    left join oldest o on o.queue_id = m.id
  order by m.tenant, m.name, c.n;
end $$;
