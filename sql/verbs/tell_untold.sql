-- Writes down, for an external trigger, claimable jobs it was never to be told of: those that waited when the queue got its trigger,
-- and any whose row was lost. Reads all that is claimable in these queues, so call it rarely. At most p_limit at once.
create or replace function holdfast.tell_untold(p_tenant text, p_trigger text, p_limit int default 1000) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_told int;
begin
  perform holdfast.check_tenant(p_tenant);
  insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select r.job_id, q.id, holdfast.now(), p_trigger
    from holdfast.queue q join holdfast.ready r on r.queue_id = any (array[q.id])
    where q.tenant = p_tenant and q.external_trigger = p_trigger
      and not exists (select from holdfast.outbox o where o.job_id = r.job_id)
    limit p_limit;
  get diagnostics v_told = row_count;
  return v_told;
end $$;
