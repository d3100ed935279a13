-- Lifts the maintenance window of a tenant; slots that passed in it are skipped. False: there was none.
create or replace function holdfast.resume_schedules(p_tenant text, p_actor text default null, p_reason text default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
begin
  perform holdfast.check_tenant(p_tenant);
  delete from holdfast.schedule_window w where w.tenant = p_tenant and (w.until is null or w.until > v_now);
  if not found then
    return false;
  end if;
  update holdfast.schedule s set quiet_until = v_now where s.tenant = p_tenant and s.next_slot <= v_now;
  perform holdfast.note_schedule('schedules_resumed', p_tenant, null, p_actor, p_reason);
  return true;
end $$;
