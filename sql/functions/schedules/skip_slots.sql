-- Moves a schedule past slots without firing them: `missed`, because no scheduler was running, or `skipped`,
-- because it was paused. p_slot is its next slot, p_last the last of the run, p_slots how many there are if
-- that was counted. Returns an outcome as fire_schedule does.
create or replace function holdfast.skip_slots(p_schedule bigint, p_revision int, p_slot timestamptz,
  p_last timestamptz, p_slots int, p_next timestamptz, p_outcome text, p_note text default null) returns text
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_slot record;
  v_schedule holdfast.schedule;
begin
  if p_outcome not in ('missed', 'skipped') then
    perform holdfast.refuse('invalid_input', 'The outcome must be missed or skipped.',
      '{"path": "/outcome"}');
  end if;
  select a.schedule, a.problem into v_slot from holdfast.at_slot(p_schedule, p_revision, p_slot, p_next) a;
  if v_slot.problem is not null then
    return v_slot.problem;
  end if;
  v_schedule := v_slot.schedule;
  insert into holdfast.firing (tenant, schedule_id, slot, last_slot, slots, fired_at, outcome, note)
    values (v_schedule.tenant, p_schedule, p_slot, p_last, p_slots, holdfast.now(), p_outcome, p_note)
    on conflict (schedule_id, slot) where firing.outcome <> 'manual' do nothing;
  update holdfast.schedule s set next_slot = p_next,
    next_run_at = holdfast.jittered(p_next, s.id, s.jitter_ms), updated_at = holdfast.now()
    where s.id = p_schedule;
  if p_outcome = 'missed' then
    perform holdfast.add_schedule_event('schedule_missed', v_schedule.tenant, v_schedule.name, null, null,
      jsonb_build_object('slot', p_slot, 'last_slot', p_last, 'slots', p_slots));
  end if;
  return p_outcome;
end $$;
