-- Changes the priority of a live job, in whichever place it is, without moving it; it survives retries. `job.priority_asked`
-- keeps what was asked. In `ready` the row also gets its `since`, because it now stands where a claimer may have passed.
create or replace function holdfast.set_priority(p_job bigint, p_priority int, p_actor text default null, p_reason text default null) returns smallint
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_job holdfast.job;
begin
  if p_priority is null or p_priority not between 0 and 100 then
    perform holdfast.refuse('invalid_input', format('Priority is 0 to 100, not %s.', p_priority), '{"path": "/priority"}');
  end if;
  select * into v_job from holdfast.job j where j.id = p_job;
  for i in 1..20 loop
    update holdfast.ready r set priority = p_priority, since = coalesce(r.since, v_job.created_at),
        level = case q.order_by when 'fifo' then 0 else 100 - p_priority end
      from holdfast.queue q
      where q.id = v_job.queue_id and r.queue_id = v_job.queue_id and r.level = any (holdfast.levels()) and r.job_id = p_job;
    if not found then
      update holdfast.delayed d set priority = p_priority where d.job_id = p_job;
    end if;
    if not found then
      update holdfast.held h set priority = p_priority where h.job_id = p_job;
    end if;
    if not found then
      update holdfast.running r set priority = p_priority where r.job_id = p_job;
    end if;
    if found then
      perform holdfast.note('priority_set', p_job, v_job.queue_id, p_actor, p_reason, jsonb_build_object('priority', p_priority));
      return p_priority;
    end if;
    exit when coalesce(holdfast.state_of(p_job) in ('succeeded', 'failed', 'canceled'), true);
  end loop;
  perform holdfast.refuse_state(p_job, 'change_priority');
end $$;
