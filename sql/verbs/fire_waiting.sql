-- Makes the job of a firing that waited for an earlier one to end.
-- outcome: created · deduplicated, or why nothing was done: gone · stale (none waits) · paused · busy (the job it waits for has not ended).
create or replace function holdfast.fire_waiting(p_schedule bigint, out outcome text, out job_id bigint)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_schedule holdfast.schedule;
  v_made record;
begin
  select * into v_schedule from holdfast.schedule s where s.id = p_schedule for update;
  outcome := case
    when not found then 'gone'
    when v_schedule.waiting_slot is null then 'stale'
    when not v_schedule.enabled or v_schedule.paused_at is not null or holdfast.is_quiet(v_schedule.tenant) then 'paused'
    when holdfast.live_firings(p_schedule) <> '{}' then 'busy'
  end;
  if outcome is not null then
    return;
  end if;
  select m.outcome, m.job_id into v_made from holdfast.make_scheduled(v_schedule) m;
  outcome := v_made.outcome;
  job_id := v_made.job_id;
  update holdfast.firing f set outcome = v_made.outcome, job_id = v_made.job_id
    where f.schedule_id = p_schedule and f.slot = v_schedule.waiting_slot and f.outcome = 'waiting';
  update holdfast.schedule s set waiting_slot = null, last_run_at = holdfast.now() where s.id = p_schedule;
end $$;
