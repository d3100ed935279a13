-- Changes the definition of a schedule: the columns p_fields names, where they are those that define it. p_next, if given, is its next
-- slot from now on. False: somebody has changed it since p_revision, so what this change was computed from no longer holds.
create or replace function holdfast.change_schedule(p_schedule bigint, p_revision int, p_fields jsonb, p_next timestamptz default null,
  p_actor text default null, p_reason text default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old holdfast.schedule := holdfast.own_schedule(p_schedule);
  v_next timestamptz := coalesce(p_next, v_old.next_slot);
begin
  if v_old.revision <> p_revision then
    return false;
  end if;
  begin
    update holdfast.schedule s set name = n.name, description = n.description, queue = n.queue, kind = n.kind, input = coalesce(n.input, 'null'),
        subject = n.subject, priority = n.priority, key = n.key, target = n.target, expression = n.expression, time_zone = n.time_zone, enabled = n.enabled,
        catch_up = n.catch_up, catch_up_max = n.catch_up_max, overlap = n.overlap, jitter_ms = n.jitter_ms, declared = n.declared,
        overrides = n.overrides, next_slot = v_next, next_run_at = holdfast.jittered(v_next, s.id, n.jitter_ms),
        quiet_until = case when p_next is null then s.quiet_until end, revision = s.revision + 1, updated_at = holdfast.now()
      from jsonb_populate_record(v_old, p_fields) n where s.id = p_schedule;
  exception when unique_violation then
    perform holdfast.refuse('schedule_exists', format('There is a schedule named %s already.', p_fields ->> 'name'),
      jsonb_build_object('name', p_fields ->> 'name'));
  end;
  perform holdfast.note_schedule('schedule_changed', v_old.tenant, v_old.name, p_actor, p_reason, p_fields - 'input' - 'declared' - 'overrides');
  return true;
end $$;
