-- Those of these jobs that failed for good at least p_for_ms ago, were not made again, and of which no word waits in the outbox to be sent: one that
-- no dead letter tells of will get none by itself.
create or replace function holdfast.unannounced(p_jobs bigint[], p_for_ms bigint default 0) returns bigint[]
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return array(
    select p.id from (select distinct u.id from unnest(p_jobs) u (id)) p join holdfast.attempt a on a.job_id = any (array[p.id]) and a.final
    where a.moved_to = 'failed' and a.finished_at <= holdfast.now() - interval '1 ms' * p_for_ms
      and not exists (select from holdfast.outbox o where o.job_id = p.id and o.sends = 0)
      -- asked once for all of them, because it looks into every range of history
      and p.id <> all (array(select j.retry_of from holdfast.job j where j.retry_of = any (p_jobs)))
    order by p.id);
end $$;
