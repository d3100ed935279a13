-- Records what a caller did to one job: actor, reason, data.
create or replace function holdfast.add_event(p_type text, p_job bigint, p_queue int, p_actor text,
  p_reason text, p_data jsonb default null) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into holdfast.event (at, tenant, type, job_id, queue_id, actor, reason, data)
  select holdfast.now(), q.tenant, p_type, p_job, p_queue, p_actor, p_reason, p_data from holdfast.queue q
    where q.id = p_queue
$$;
