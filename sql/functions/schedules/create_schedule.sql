-- Creates, changes and removes schedules (cron).

-- Creates a schedule. p_fields has all columns of holdfast.schedule that define it; p_next is its first slot.
-- With p_if_missing a schedule that exists is left as it is and null is returned.
create or replace function holdfast.create_schedule(p_tenant text, p_name text, p_fields jsonb,
  p_next timestamptz, p_actor text default null, p_reason text default null,
  p_if_missing boolean default false) returns bigint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_id bigint;
begin
  perform holdfast.check_tenant(p_tenant);
  insert into holdfast.schedule (tenant, name, description, queue, kind, input, subject, priority, key,
      target, expression, time_zone, enabled, catch_up, catch_up_max, overlap, jitter_ms, next_slot,
      next_run_at, revision, declared, overrides, created_at, updated_at, created_by)
    select p_tenant, p_name, f.description, f.queue, f.kind, coalesce(f.input, 'null'), f.subject, f.priority,
      f.key, f.target, f.expression, f.time_zone, f.enabled, f.catch_up, f.catch_up_max, f.overlap,
      f.jitter_ms, p_next, p_next, 1, f.declared, coalesce(f.overrides, '{}'), v_now, v_now, p_actor
    from jsonb_populate_record(null::holdfast.schedule, p_fields) f
    on conflict (tenant, name) do nothing
    returning id into v_id;
  if v_id is null then
    if not p_if_missing then
      perform holdfast.refuse('schedule_exists', format('There is a schedule named %s already.', p_name),
        jsonb_build_object('name', p_name));
    end if;
    return null;
  end if;
  -- Its share of the jitter depends on its id.
  update holdfast.schedule s set next_run_at = holdfast.jittered(s.next_slot, s.id, s.jitter_ms)
    where s.id = v_id and s.jitter_ms > 0;
  perform holdfast.add_schedule_event('schedule_created', p_tenant, p_name, p_actor, p_reason,
    p_fields - 'input' - 'declared' - 'overrides');
  return v_id;
end $$;

-- Changes the definition of a schedule: the columns that p_fields names, as far as they define it. p_next, if
-- given, is its new next slot. False: its definition has changed since p_revision, from which this change was
-- computed.
create or replace function holdfast.change_schedule(p_schedule bigint, p_revision int, p_fields jsonb,
  p_next timestamptz default null, p_actor text default null, p_reason text default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old holdfast.schedule := holdfast.lock_schedule(p_schedule);
  v_next timestamptz := coalesce(p_next, v_old.next_slot);
begin
  if v_old.revision <> p_revision then
    return false;
  end if;
  begin
    update holdfast.schedule s set name = n.name, description = n.description, queue = n.queue, kind = n.kind,
        input = coalesce(n.input, 'null'), subject = n.subject, priority = n.priority, key = n.key,
        target = n.target, expression = n.expression, time_zone = n.time_zone, enabled = n.enabled,
        catch_up = n.catch_up, catch_up_max = n.catch_up_max, overlap = n.overlap, jitter_ms = n.jitter_ms,
        declared = n.declared, overrides = n.overrides, next_slot = v_next,
        next_run_at = holdfast.jittered(v_next, s.id, n.jitter_ms),
        quiet_until = case when p_next is null then s.quiet_until end, revision = s.revision + 1,
        updated_at = holdfast.now()
      from jsonb_populate_record(v_old, p_fields) n where s.id = p_schedule;
  exception when unique_violation then
    perform holdfast.refuse('schedule_exists',
      format('There is a schedule named %s already.', p_fields ->> 'name'),
      jsonb_build_object('name', p_fields ->> 'name'));
  end;
  perform holdfast.add_schedule_event('schedule_changed', v_old.tenant, v_old.name, p_actor, p_reason,
    p_fields - 'input' - 'declared' - 'overrides');
  return true;
end $$;

-- Removes a schedule with the history of its firings. The jobs it has enqueued stay.
create or replace function holdfast.remove_schedule(p_schedule bigint, p_actor text default null,
  p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old holdfast.schedule := holdfast.lock_schedule(p_schedule);
begin
  delete from holdfast.schedule s where s.id = p_schedule;
  delete from holdfast.firing f where f.schedule_id = p_schedule;
  perform holdfast.add_schedule_event('schedule_removed', v_old.tenant, v_old.name, p_actor, p_reason,
    jsonb_build_object('expression', v_old.expression));
end $$;

-- Locks a schedule until the end of the transaction; refused when there is none that the caller may see.
create or replace function holdfast.lock_schedule(p_schedule bigint) returns holdfast.schedule
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_schedule holdfast.schedule;
begin
  select * into v_schedule from holdfast.schedule s where s.id = p_schedule for update;
  if not found then
    perform holdfast.refuse('unknown_schedule', format('There is no schedule %s.', p_schedule),
      jsonb_build_object('schedule', p_schedule));
  end if;
  return v_schedule;
end $$;

-- Writes an event about a schedule, or about all schedules of a tenant (p_name null).
create or replace function holdfast.add_schedule_event(p_type text, p_tenant text, p_name text, p_actor text,
  p_reason text, p_data jsonb default '{}') returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  select holdfast.add_tenant_event(p_type, p_tenant, p_actor, p_reason,
    jsonb_strip_nulls(jsonb_build_object('schedule', p_name)) || p_data)
$$;
