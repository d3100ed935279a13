-- Pauses and resumes one schedule, or all schedules of a tenant (a maintenance window). Slots that pass
-- meanwhile are skipped.

-- Pauses the schedule p_schedule until it is resumed. Without one it opens a maintenance window: no schedule
-- of p_tenant fires until resume_schedule, or until p_until; an open window is replaced, and keeps its
-- beginning. False: the schedule was paused already. Once this has returned, no firing is under way.
create or replace function holdfast.pause_schedule(p_schedule bigint, p_actor text default null,
  p_note text default null, p_tenant text default null, p_until timestamptz default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_old holdfast.schedule;
begin
  if p_schedule is not null then
    v_old := holdfast.lock_schedule(p_schedule);
    if v_old.paused_at is not null then
      return false;
    end if;
    update holdfast.schedule s set paused_at = holdfast.now(), paused_by = p_actor, pause_note = p_note
      where s.id = p_schedule;
    perform holdfast.add_schedule_event('schedule_paused', v_old.tenant, v_old.name, p_actor, p_note);
    return true;
  end if;

  perform holdfast.check_tenant(p_tenant);
  if p_until <= v_now then
    perform holdfast.refuse('invalid_input', 'The end of the window must be in the future.',
      '{"path": "/until"}');
  end if;
  insert into holdfast.schedule_window as w (tenant, since, until, paused_by, note)
    values (p_tenant, v_now, p_until, p_actor, p_note)
    on conflict (tenant) do update set until = p_until, paused_by = p_actor, note = p_note,
      since = case when w.until <= v_now then v_now else w.since end;
  -- Waits for firings that are under way; later ones see the window.
  perform from holdfast.schedule s where s.tenant = p_tenant order by s.id for update;
  perform holdfast.add_schedule_event('schedules_paused', p_tenant, null, p_actor, p_note,
    jsonb_build_object('until', p_until));
  return true;
end $$;

-- Resumes the schedule p_schedule with its next slot. Without one it ends the maintenance window of p_tenant.
-- False: it was not paused, or no window was open.
create or replace function holdfast.resume_schedule(p_schedule bigint, p_actor text default null,
  p_reason text default null, p_tenant text default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_old holdfast.schedule;
begin
  if p_schedule is not null then
    v_old := holdfast.lock_schedule(p_schedule);
    if v_old.paused_at is null then
      return false;
    end if;
    update holdfast.schedule s
      set paused_at = null, paused_by = null, pause_note = null, quiet_until = holdfast.now()
      where s.id = p_schedule;
    perform holdfast.add_schedule_event('schedule_resumed', v_old.tenant, v_old.name, p_actor, p_reason);
    return true;
  end if;

  perform holdfast.check_tenant(p_tenant);
  delete from holdfast.schedule_window w
    where w.tenant = p_tenant and (w.until is null or w.until > v_now);
  if not found then
    return false;
  end if;
  update holdfast.schedule s set quiet_until = v_now where s.tenant = p_tenant and s.next_slot <= v_now;
  perform holdfast.add_schedule_event('schedules_resumed', p_tenant, null, p_actor, p_reason);
  return true;
end $$;
