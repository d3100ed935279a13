-- Fires one slot of a schedule, exactly once, whoever else tries: the slot is recorded, the job made and the schedule moved on to p_next in
-- one transaction, and only while p_slot is its next slot and p_revision its definition.
-- outcome: created · deduplicated (a live job has its subject) · skipped · waiting (for a job of an earlier firing, as `overlap` says), or why
-- nothing was done: gone · stale · paused · early · already.
create or replace function holdfast.fire_schedule(p_schedule bigint, p_revision int, p_slot timestamptz, p_next timestamptz,
  out outcome text, out job_id bigint)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_at record;
  v_schedule holdfast.schedule;
  v_firing bigint;
  v_made record;
begin
  select a.schedule, a.problem into v_at from holdfast.at_slot(p_schedule, p_revision, p_slot, p_next) a;
  if v_at.problem is not null then
    outcome := v_at.problem;
    return;
  end if;
  v_schedule := v_at.schedule;
  -- One that waits goes first, whoever of the two is found first: else it would be overtaken at every slot.
  if v_schedule.waiting_slot is not null then
    perform holdfast.fire_waiting(p_schedule);
    select * into v_schedule from holdfast.schedule s where s.id = p_schedule;
  end if;
  insert into holdfast.firing (tenant, schedule_id, slot, last_slot, slots, fired_at, outcome)
    values (v_schedule.tenant, p_schedule, p_slot, p_slot, 1, v_now, 'created')
    on conflict (schedule_id, slot) where firing.outcome <> 'manual' do nothing
    returning id into v_firing;
  if v_firing is null then
    outcome := 'already';
  else
    select f.outcome, f.job_id, f.note into v_made from holdfast.fire_over(v_schedule) f;
    outcome := v_made.outcome;
    job_id := v_made.job_id;
    update holdfast.firing f set outcome = v_made.outcome, job_id = v_made.job_id, note = v_made.note where f.id = v_firing;
  end if;
  update holdfast.schedule s set next_slot = p_next, next_run_at = holdfast.jittered(p_next, s.id, s.jitter_ms),
      last_run_at = case when outcome in ('created', 'deduplicated') then v_now else s.last_run_at end,
      waiting_slot = case when outcome = 'waiting' then p_slot else s.waiting_slot end
    where s.id = p_schedule;
end $$;
