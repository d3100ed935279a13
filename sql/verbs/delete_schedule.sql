-- Takes a schedule away, with the history of its firings. The jobs it has made stay.
create or replace function holdfast.delete_schedule(p_schedule bigint, p_actor text default null, p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old holdfast.schedule := holdfast.own_schedule(p_schedule);
begin
  delete from holdfast.schedule s where s.id = p_schedule;
  delete from holdfast.firing f where f.schedule_id = p_schedule;
  perform holdfast.note_schedule('schedule_deleted', v_old.tenant, v_old.name, p_actor, p_reason, jsonb_build_object('expression', v_old.expression));
end $$;
