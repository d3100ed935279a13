-- Changes the priority of a live job, in whichever place it is, without moving it: to p_to, or by p_by, at most 100. Null: it
-- is not live. In `ready` the row also gets its `since`, because it now stands where a claimer may have passed.
-- The new value is counted from the row being written, not from one read before: what aging or another operator gave in
-- between would be lost.
create or replace function holdfast.give_priority(p_job bigint, p_to int, p_by int) returns smallint
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_job holdfast.job;
  v_priority smallint;
begin
  select * into v_job from holdfast.job j where j.id = p_job;
  for i in 1..20 loop
    update holdfast.ready r set priority = coalesce(p_to, least(100, r.priority + p_by)), since = coalesce(r.since, v_job.created_at),
        level = case q.order_by when 'fifo' then 0 else 100 - coalesce(p_to, least(100, r.priority + p_by)) end
      from holdfast.queue q
      where q.id = v_job.queue_id and r.queue_id = v_job.queue_id and r.level = any (holdfast.levels()) and r.job_id = p_job
      returning r.priority into v_priority;
    if not found then
      update holdfast.delayed d set priority = coalesce(p_to, least(100, d.priority + p_by)) where d.job_id = p_job
        returning d.priority into v_priority;
    end if;
    if not found then
      update holdfast.held h set priority = coalesce(p_to, least(100, h.priority + p_by)) where h.job_id = p_job
        returning h.priority into v_priority;
    end if;
    if not found then
      update holdfast.running r set priority = coalesce(p_to, least(100, r.priority + p_by)) where r.job_id = p_job
        returning r.priority into v_priority;
    end if;
    exit when found or coalesce(holdfast.state_of(p_job) in ('succeeded', 'failed', 'canceled'), true);
  end loop;
  return v_priority;
end $$;
