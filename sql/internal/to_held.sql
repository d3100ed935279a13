-- Sets a job aside, with the reason people will read.
create or replace function holdfast.to_held(p_live holdfast.live, p_state holdfast.held_state, p_reason text, p_target text default null)
returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into holdfast.held (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed, state, since, reason, target)
  values (p_live.job_id, p_live.lane, p_live.ord, p_live.queue_id, p_live.attempt, p_live.interruptions, p_live.priority,
    p_live.failures, p_live.losses, p_live.keyed, p_state, holdfast.now(), p_reason, p_target)
$$;
