-- The target of each queue that has been blocked longest: its first job waits for a person. One step for each queue.
create or replace function holdfast.alert_blocked() returns table (tenant text, rule text, subject text, value numeric, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set jit = off
as $$
  select q.tenant, 'blocked_target', q.name, round(extract(epoch from holdfast.now() - b.since), 3),
    jsonb_build_object('queue', q.name, 'target', j.target, 'job_id', b.job_id)
  from holdfast.queue q
  cross join lateral (
    select h.job_id, h.since from holdfast.held h
    where h.queue_id = q.id and h.state in ('paused', 'errored', 'parked') and h.lane is not null order by h.since limit 1) b
  join holdfast.job j on j.id = any (array[b.job_id])
$$;
