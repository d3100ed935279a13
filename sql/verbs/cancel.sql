-- Cancels a job. One that is waiting anywhere ends at once, so no claim can come between; one that is running is asked to
-- stop, and its worker learns of it with the next heartbeat.
-- result: canceled · requested · already_ended. In a strict queue a job is never canceled from outside.
create or replace function holdfast.cancel(p_job bigint, p_actor text default null, p_reason text default null, out result text, out state holdfast.state)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_lifted record;
  v_queue int;
begin
  select q.id into v_queue from holdfast.job j join holdfast.queue q on q.id = any (array[j.queue_id]) where j.id = p_job and q.strict;
  if found then
    perform holdfast.refuse('strict_queue', format('Job %s is in a strict queue: only its worker can end it.', p_job), jsonb_build_object('job_id', p_job));
  end if;
  for i in 1..20 loop
    v_lifted := holdfast.lift(p_job);
    if v_lifted.state is not null then
      perform holdfast.to_ended(v_lifted.live, 'canceled', coalesce(p_reason, 'canceled'));
      perform holdfast.note('canceled', p_job, (v_lifted.live).queue_id, p_actor, p_reason, jsonb_build_object('from', v_lifted.state));
      result := 'canceled';
      state := 'canceled';
      return;
    end if;

    update holdfast.running r set cancel_requested = true, cancel_reason = coalesce(r.cancel_reason, p_reason)
      where r.job_id = p_job returning r.queue_id, case when r.started_at is null then 'assigned' else 'running' end into v_queue, state;
    if found then
      perform holdfast.note('cancel_requested', p_job, v_queue, p_actor, p_reason);
      result := 'requested';
      return;
    end if;

    state := holdfast.state_of(p_job);
    if state is null then
      perform holdfast.refuse_state(p_job, 'cancel');
    end if;
    if state in ('succeeded', 'failed', 'canceled') then
      result := 'already_ended';
      return;
    end if;
  end loop;
  perform holdfast.refuse('conflict', format('Job %s kept moving while we tried to cancel it.', p_job), jsonb_build_object('job_id', p_job));
end $$;
