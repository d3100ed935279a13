-- Metrics of queues over time windows that end now: one row for each queue and window, of one tenant or of
-- all that the caller sees.
--
-- Now: depth (claimable jobs) and priorities (how many of them at which priority), each level counted up to
-- p_max. In the window, by whole minutes as count_minutes has counted them: jobs enqueued, started and ended;
-- failed_rate, failed among those that succeeded or failed; retry_success_rate, succeeded among those that
-- ended after a failure; average_wait_ms, from when a job could be claimed to its first start. A rate without
-- jobs is null. Running jobs that started in the window count as started, and in the wait.
create or replace function holdfast.queue_metrics(
  p_tenant text default null, p_windows interval[] default '{00:15:00,01:00:00,24:00:00}',
  p_max int default 10000
) returns table (
  tenant text, queue text, queue_id int, window_sec int, depth bigint, priorities jsonb, enqueued bigint,
  started bigint, succeeded bigint, failed bigint, canceled bigint, ended_after_failures bigint,
  succeeded_after_failures bigint, attempts_failed bigint, attempts_lost bigint, waits bigint,
  failed_rate double precision, retry_success_rate double precision, average_wait_ms double precision,
  average_run_ms double precision)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
begin
  if p_tenant is not null then
    perform holdfast.check_tenant(p_tenant);
  end if;
  return query
  with chosen as materialized (
    select q.id, q.tenant, q.name from holdfast.queue q where p_tenant is null or q.tenant = p_tenant),
  ready_count as materialized (
    select m.id, coalesce(sum(p.jobs), 0)::bigint as depth,
      coalesce(jsonb_object_agg(p.priority, p.jobs order by p.priority) filter (where p.jobs > 0),
      '{}') as priorities
    from chosen m left join lateral (
      select r.priority, count(*) as jobs from unnest(holdfast.all_levels()) l (level)
      cross join lateral (select x.priority from holdfast.ready x where x.queue_id = m.id
        and x.level = l.level limit p_max) r
      group by r.priority) p on true
    group by m.id),
  running_job as materialized (
    select r.queue_id, r.claimed_at,
      case when r.attempt = 1 then greatest(0,
      extract(epoch from r.claimed_at - greatest(j.created_at, j.run_at)) * 1000)::bigint end as wait_ms
    from (select x.* from holdfast.running x
      where x.claimed_at > v_now - (select max(w) from unnest(p_windows) w) limit p_max) r
    join holdfast.job j on j.id = any (array[r.job_id]))
  select m.tenant, m.name, m.id, extract(epoch from w.span)::int, t.depth, t.priorities, c.enqueued,
    c.started + l.started, c.succeeded, c.failed, c.canceled, c.ended_after_failures,
    c.succeeded_after_failures, c.attempts_failed, c.attempts_lost, c.waits + l.waits,
    c.failed / nullif(c.succeeded + c.failed, 0)::double precision,
    c.succeeded_after_failures / nullif(c.ended_after_failures, 0)::double precision,
    (c.wait_ms + l.wait_ms) / nullif(c.waits + l.waits, 0)::double precision,
    c.run_ms / nullif(c.runs, 0)::double precision
  from chosen m join ready_count t on t.id = m.id
  cross join unnest(p_windows) with ordinality w (span, n)
  cross join lateral (
    select coalesce(sum(x.enqueued), 0)::bigint as enqueued, coalesce(sum(x.started), 0)::bigint as started,
      coalesce(sum(x.succeeded), 0)::bigint as succeeded, coalesce(sum(x.failed), 0)::bigint as failed,
      coalesce(sum(x.canceled), 0)::bigint as canceled,
      coalesce(sum(x.ended_after_failures), 0)::bigint as ended_after_failures,
      coalesce(sum(x.succeeded_after_failures), 0)::bigint as succeeded_after_failures,
      coalesce(sum(x.attempts_failed), 0)::bigint as attempts_failed,
      coalesce(sum(x.attempts_lost), 0)::bigint as attempts_lost,
      coalesce(sum(x.wait_ms), 0)::bigint as wait_ms, coalesce(sum(x.waits), 0)::bigint as waits,
      coalesce(sum(x.run_ms), 0)::bigint as run_ms, coalesce(sum(x.runs), 0)::bigint as runs
    from holdfast.queue_minute x where x.queue_id = m.id and x.minute > v_now - w.span) c
  cross join lateral (
    select count(*) as started, count(v.wait_ms) as waits, coalesce(sum(v.wait_ms), 0)::bigint as wait_ms
    from running_job v where v.queue_id = m.id and v.claimed_at > v_now - w.span) l
  order by m.tenant, m.name, w.n;
end $$;
