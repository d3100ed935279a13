-- Changes the priority of a live job; it survives retries. `job.priority_asked` keeps what was asked.
create or replace function holdfast.set_priority(p_job bigint, p_priority int, p_actor text default null, p_reason text default null) returns smallint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_priority is null or p_priority not between 0 and 100 then
    perform holdfast.refuse('invalid_input', format('Priority is 0 to 100, not %s.', p_priority), '{"path": "/priority"}');
  end if;
  if holdfast.give_priority(p_job, p_priority, null) is null then
    perform holdfast.refuse_state(p_job, 'change_priority');
  end if;
  perform holdfast.note('priority_set', p_job, j.queue_id, p_actor, p_reason, jsonb_build_object('priority', p_priority))
    from holdfast.job j where j.id = p_job;
  return p_priority;
end $$;
