-- Raises the priority of a live job by p_by, up to 100. Two boosts at once both count.
create or replace function holdfast.boost(p_job bigint, p_by int, p_actor text default null, p_reason text default null) returns smallint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_priority smallint;
begin
  if p_by is null or p_by not between 1 and 100 then
    perform holdfast.refuse('invalid_input', format('A boost is 1 to 100, not %s.', p_by), '{"path": "/boost"}');
  end if;
  v_priority := holdfast.give_priority(p_job, null, p_by);
  if v_priority is null then
    perform holdfast.refuse_state(p_job, 'be_boosted');
  end if;
  perform holdfast.note('priority_set', p_job, j.queue_id, p_actor, p_reason, jsonb_build_object('priority', v_priority))
    from holdfast.job j where j.id = p_job;
  return v_priority;
end $$;
