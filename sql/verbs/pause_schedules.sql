-- A maintenance window: nothing of the tenant fires until it is lifted, or until p_until. An open window is replaced, and stays open since it was.
create or replace function holdfast.pause_schedules(p_tenant text, p_until timestamptz default null, p_actor text default null, p_note text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
begin
  perform holdfast.check_tenant(p_tenant);
  if p_until <= v_now then
    perform holdfast.refuse('invalid_input', 'The end of the window must be ahead.', '{"path": "/until"}');
  end if;
  insert into holdfast.schedule_window as w (tenant, since, until, paused_by, note) values (p_tenant, v_now, p_until, p_actor, p_note)
    on conflict (tenant) do update set until = p_until, paused_by = p_actor, note = p_note,
      since = case when w.until <= v_now then v_now else w.since end;
  -- Firings that are under way end first: after us none is, and whoever comes later sees the window.
  perform from holdfast.schedule s where s.tenant = p_tenant order by s.id for update;
  perform holdfast.note_schedule('schedules_paused', p_tenant, null, p_actor, p_note, jsonb_build_object('until', p_until));
end $$;
