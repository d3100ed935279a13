-- Lets a pending job go: made earlier, enqueued now. Answers the state it is in then.
create or replace function holdfast.release(p_job bigint, p_actor text default null, p_reason text default null) returns holdfast.state
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lifted record := holdfast.lift(p_job);
  v_run_at timestamptz;
begin
  if v_lifted.state is distinct from 'pending' then
    perform holdfast.refuse_state(p_job, 'be_released', v_lifted.state);
  end if;
  perform holdfast.note('released', p_job, (v_lifted.live).queue_id, p_actor, p_reason);
  select j.run_at into v_run_at from holdfast.job j where j.id = p_job;
  if v_run_at > holdfast.now() then
    insert into holdfast.delayed (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, state, due_at)
      select l.job_id, l.queue_id, l.attempt, l.interruptions, l.priority, l.failures, l.losses, l.keyed, 'scheduled', v_run_at
      from (select (v_lifted.live).*) l;
    return 'scheduled';
  end if;
  return holdfast.go_on(v_lifted.live);
end $$;
