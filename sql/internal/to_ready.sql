-- Puts a job that was elsewhere among the claimable ones, at the place its priority and age give it.
create or replace function holdfast.to_ready(p_live holdfast.live) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into holdfast.ready (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed, level, since)
  select p_live.job_id, p_live.lane, p_live.ord, p_live.queue_id, p_live.attempt, p_live.interruptions, p_live.priority,
    p_live.failures, p_live.losses, p_live.keyed,
    case q.order_by when 'fifo' then 0 else 100 - p_live.priority end, holdfast.now()
  from holdfast.queue q where q.id = p_live.queue_id;

  insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
  select p_live.job_id, q.id, holdfast.now(), q.external_trigger
  from holdfast.queue q where q.id = p_live.queue_id and q.external_trigger is not null
$$;
