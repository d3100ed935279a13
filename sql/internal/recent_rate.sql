-- How many jobs of a queue were started in a second, of late: over five minutes, or over as long as the last thousand events and the last
-- thousand jobs among them reach back, so that it costs the same however busy the place is. Null: none was seen.
create or replace function holdfast.recent_rate(p_queue holdfast.queue) returns double precision
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := holdfast.now();
  v_since timestamptz := v_now - interval '5 minutes';
begin
  return (
    with told as materialized (
      select e.at, e.tenant, e.type, e.job_ids from holdfast.event e order by e.xid desc, e.id desc limit 1000),
    claimed as materialized (
      select t.at, i.job_id from told t cross join lateral unnest(t.job_ids) i (job_id)
      where t.type = 'claimed' and t.tenant = p_queue.tenant and t.at > v_since limit 1000),
    reach as (
      select case when (select count(*) from claimed) = 1000 then (select min(c.at) from claimed c)
        when (select count(*) from told) = 1000 then (select greatest(min(t.at), v_since) from told t) else v_since end as since)
    select nullif(count(*), 0) / greatest(0.001, extract(epoch from v_now - (select r.since from reach r)))
    from claimed c join holdfast.job j on j.id = any (array[c.job_id]) where j.queue_id = p_queue.id);
end $$;
