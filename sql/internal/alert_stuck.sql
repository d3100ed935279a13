-- What does not move: attempts that run long, by queue; targets that have been blocked long, by queue; and a transaction somebody left open,
-- which keeps the whole database from cleaning up. The first reads `running`, as every sweep of leases does.
create or replace function holdfast.alert_stuck() returns table (tenant text, rule text, subject text, value numeric, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
  select q.tenant, 'running_long', q.name, round(extract(epoch from holdfast.now() - r.since), 3),
      jsonb_build_object('queue', q.name, 'job_id', r.job_id)
    from (select distinct on (x.queue_id) x.queue_id, x.job_id, coalesce(x.started_at, x.claimed_at) as since
          from holdfast.running x order by x.queue_id, coalesce(x.started_at, x.claimed_at)) r
    join holdfast.queue q on q.id = r.queue_id
  union all
  select q.tenant, 'blocked_target', q.name, round(extract(epoch from holdfast.now() - b.since), 3),
      jsonb_build_object('queue', q.name, 'target', j.target, 'job_id', b.job_id)
    from holdfast.queue q
    cross join lateral (
      select h.job_id, h.since from holdfast.held h
      where h.queue_id = q.id and h.state in ('paused', 'errored', 'parked') and h.lane is not null order by h.since limit 1) b
    join holdfast.job j on j.id = any (array[b.job_id])
  union all
  select '*', 'old_snapshot', '', round(s.age_sec, 3), jsonb_build_object('pid', s.pid, 'who', s.who) from holdfast.oldest_snapshot() s
$$;
