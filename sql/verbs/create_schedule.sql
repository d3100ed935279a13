-- Makes a schedule. p_fields has the columns of holdfast.schedule that define it, all of them; p_next is its first slot.
-- With p_if_missing one that exists is left as it is and nothing returned.
create or replace function holdfast.create_schedule(p_tenant text, p_name text, p_fields jsonb, p_next timestamptz, p_actor text default null,
  p_reason text default null, p_if_missing boolean default false) returns bigint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_id bigint;
begin
  perform holdfast.check_tenant(p_tenant);
  insert into holdfast.schedule (tenant, name, description, queue, kind, input, subject, priority, key, target, expression, time_zone, enabled, catch_up,
      catch_up_max, overlap, jitter_ms, next_slot, next_run_at, revision, declared, overrides, created_at, updated_at, created_by)
    select p_tenant, p_name, f.description, f.queue, f.kind, coalesce(f.input, 'null'), f.subject, f.priority, f.key, f.target, f.expression, f.time_zone, f.enabled,
      f.catch_up, f.catch_up_max, f.overlap, f.jitter_ms, p_next, p_next, 1, f.declared, coalesce(f.overrides, '{}'), v_now, v_now, p_actor
    from jsonb_populate_record(null::holdfast.schedule, p_fields) f
    on conflict (tenant, name) do nothing
    returning id into v_id;
  if v_id is null then
    if not p_if_missing then
      perform holdfast.refuse('schedule_exists', format('There is a schedule named %s already.', p_name), jsonb_build_object('name', p_name));
    end if;
    return null;
  end if;
  -- Its share of the jitter depends on its number.
  update holdfast.schedule s set next_run_at = holdfast.jittered(s.next_slot, s.id, s.jitter_ms) where s.id = v_id and s.jitter_ms > 0;
  perform holdfast.note_schedule('schedule_created', p_tenant, p_name, p_actor, p_reason, p_fields - 'input' - 'declared' - 'overrides');
  return v_id;
end $$;
