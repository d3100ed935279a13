-- Raises the priority of a live job by p_by, up to 100.
create or replace function holdfast.boost(p_job bigint, p_by int, p_actor text default null, p_reason text default null) returns smallint
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_priority int;
begin
  if p_by is null or p_by not between 1 and 100 then
    perform holdfast.refuse('invalid_input', format('A boost is 1 to 100, not %s.', p_by), '{"path": "/boost"}');
  end if;
  -- Two boosts at once must both count: the second waits here.
  perform from holdfast.job j where j.id = p_job for no key update;
  v_priority := holdfast.priority_of(p_job);
  if v_priority is null then
    perform holdfast.refuse_state(p_job, 'be_boosted');
  end if;
  return holdfast.set_priority(p_job, least(100, v_priority + p_by), p_actor, p_reason);
end $$;
