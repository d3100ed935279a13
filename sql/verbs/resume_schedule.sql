-- Lets a paused schedule fire again, from its next slot on: those that passed meanwhile are skipped. False: it was not paused.
create or replace function holdfast.resume_schedule(p_schedule bigint, p_actor text default null, p_reason text default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old holdfast.schedule := holdfast.own_schedule(p_schedule);
begin
  if v_old.paused_at is null then
    return false;
  end if;
  update holdfast.schedule s set paused_at = null, paused_by = null, pause_note = null, quiet_until = holdfast.now() where s.id = p_schedule;
  perform holdfast.note_schedule('schedule_resumed', v_old.tenant, v_old.name, p_actor, p_reason);
  return true;
end $$;
