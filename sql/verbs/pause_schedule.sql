-- Lets a schedule fire no more until it is resumed. False: it was paused already. Once this has returned, no firing is under way.
create or replace function holdfast.pause_schedule(p_schedule bigint, p_actor text default null, p_note text default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old holdfast.schedule := holdfast.own_schedule(p_schedule);
begin
  if v_old.paused_at is not null then
    return false;
  end if;
  update holdfast.schedule s set paused_at = holdfast.now(), paused_by = p_actor, pause_note = p_note where s.id = p_schedule;
  perform holdfast.note_schedule('schedule_paused', v_old.tenant, v_old.name, p_actor, p_note);
  return true;
end $$;
