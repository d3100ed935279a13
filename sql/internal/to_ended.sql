-- Ends a job that no worker holds (canceled, skipped, discarded, replaced): its last attempt row, its key freed, and the
-- next job of its target let through. The row takes the next attempt number, because numbers are never used twice.
create or replace function holdfast.to_ended(p_live holdfast.live, p_state holdfast.state, p_reason text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
begin
  insert into holdfast.attempt (job_id, attempt, queue_id, finished_at, outcome, moved_to, priority, failures, final, reason)
  values (p_live.job_id, p_live.attempt + 1, p_live.queue_id, holdfast.now(),
    case p_state when 'failed' then 'failed' else 'canceled' end::holdfast.outcome, p_state, p_live.priority, p_live.failures, true, p_reason);
  if p_state = 'failed' then
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select p_live.job_id, q.id, holdfast.now(), q.external_trigger
    from holdfast.queue q where q.id = p_live.queue_id and q.external_trigger is not null;
  end if;
  if p_live.keyed then
    delete from holdfast.dedup d where d.queue_id = p_live.queue_id and d.job_id = p_live.job_id
      and d.key = (select j.key from holdfast.job j where j.id = p_live.job_id);
  end if;
  if p_live.lane is not null then
    perform holdfast.settle_lanes(array[p_live.lane], array[p_live.job_id]);
  end if;
end $$;
