-- Keeps what somebody did to a schedule, or what became of it.
create or replace function holdfast.note_schedule(p_type text, p_tenant text, p_name text, p_actor text, p_reason text, p_data jsonb default '{}') returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into holdfast.event (at, tenant, type, actor, reason, data)
  values (holdfast.now(), p_tenant, p_type, p_actor, p_reason, jsonb_strip_nulls(jsonb_build_object('schedule', p_name)) || p_data)
$$;
