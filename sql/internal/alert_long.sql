-- What has been going on for long: the attempt of each queue that runs longest, and a transaction somebody left open, which keeps the whole database
-- from cleaning up. It reads `running` once, as every sweep of leases does.
create or replace function holdfast.alert_long() returns table (tenant text, rule text, subject text, value numeric, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
  select q.tenant, 'running_long', q.name, round(extract(epoch from holdfast.now() - r.since), 3), jsonb_build_object('queue', q.name, 'job_id', r.job_id)
  from (select distinct on (x.queue_id) x.queue_id, x.job_id, coalesce(x.started_at, x.claimed_at) as since
        from holdfast.running x order by x.queue_id, coalesce(x.started_at, x.claimed_at)) r
  join holdfast.queue q on q.id = r.queue_id
  union all
  select '*', 'old_snapshot', '', round(s.age_sec, 3), jsonb_build_object('pid', s.pid, 'who', s.who) from holdfast.oldest_snapshot() s
$$;
