-- Ends a running job for an operator, as succeeded or as failed for good, whatever its worker does. This
-- breaks the fence: the database refuses whatever that worker still sends, and the next heartbeat makes it
-- stop. Returns the new state, which is `errored` where a failure blocks the target. In a strict queue only a
-- worker ends a job.
create or replace function holdfast.force_finish(p_job bigint, p_outcome text, p_actor text default null,
  p_reason text default null)
returns holdfast.state
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_running record;
  v_state holdfast.state;
begin
  if p_outcome is null or p_outcome not in ('succeeded', 'failed') then
    perform holdfast.refuse('invalid_input', 'An operator ends a job as succeeded or failed.',
      '{"path": "/outcome"}');
  end if;
  if exists (select from holdfast.job j join holdfast.queue q on q.id = any (array[j.queue_id])
    where j.id = p_job and q.strict) then
    perform holdfast.refuse('strict_queue', format('Job %s is in a strict queue: only its worker can end it.',
      p_job), jsonb_build_object('job_id', p_job));
  end if;
  -- A requested cancel would otherwise decide the next state.
  update holdfast.running r set cancel_requested = false where r.job_id = p_job
    returning r.attempt, r.lease, r.own_lease, r.queue_id into v_running;
  if not found then
    perform holdfast.refuse_state(p_job, 'be_ended_by_an_operator');
  end if;
  select e.state into v_state from holdfast.end_attempts(array[p_job], array[v_running.attempt],
    array[v_running.lease],
    array[p_outcome::holdfast.outcome], null,
    array[jsonb_build_object('reason', coalesce(p_reason, 'ended by an operator'), 'retryable', false)]) e;
  -- A lease of the job's own is deleted with it, which its worker notices.
  if not v_running.own_lease then
    insert into holdfast.revoked (lease, job_id, attempt) values (v_running.lease, p_job, v_running.attempt);
  end if;
  perform holdfast.add_event('ended', p_job, v_running.queue_id, p_actor, p_reason,
    jsonb_build_object('as', v_state));
  return v_state;
end $$;
