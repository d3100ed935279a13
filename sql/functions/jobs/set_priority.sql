-- Sets the priority of a live job; it survives retries. `job.initial_priority` keeps the priority it was
-- enqueued with.
create or replace function holdfast.set_priority(p_job bigint, p_priority int, p_actor text default null,
  p_reason text default null) returns smallint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_priority is null or p_priority not between 0 and 100 then
    perform holdfast.refuse('invalid_input', format('Priority is 0 to 100, not %s.', p_priority),
      '{"path": "/priority"}');
  end if;
  if holdfast.give_priority(p_job, p_priority, null) is null then
    perform holdfast.refuse_state(p_job, 'change_priority');
  end if;
  perform holdfast.add_event('priority_set', p_job, j.queue_id, p_actor, p_reason,
    jsonb_build_object('priority', p_priority))
    from holdfast.job j where j.id = p_job;
  return p_priority;
end $$;

-- Raises the priority of a live job by p_by, up to 100. Two concurrent boosts both count.
create or replace function holdfast.boost(p_job bigint, p_by int, p_actor text default null,
  p_reason text default null) returns smallint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_priority smallint;
begin
  if p_by is null or p_by not between 1 and 100 then
    perform holdfast.refuse('invalid_input', format('A boost is 1 to 100, not %s.', p_by),
      '{"path": "/boost"}');
  end if;
  v_priority := holdfast.give_priority(p_job, null, p_by);
  if v_priority is null then
    perform holdfast.refuse_state(p_job, 'be_boosted');
  end if;
  perform holdfast.add_event('priority_set', p_job, j.queue_id, p_actor, p_reason,
    jsonb_build_object('priority', v_priority))
    from holdfast.job j where j.id = p_job;
  return v_priority;
end $$;

-- Changes the priority of a live job, in whichever place it is, without moving it: to p_to, or by p_by, at
-- most 100. Null: it is not live. In `ready` the row also gets its `since`, because it now stands where a
-- claimer may have passed. The new value is computed from the row being written, not from one read before,
-- which would lose what aging or another operator added in between.
create or replace function holdfast.give_priority(p_job bigint, p_to int, p_by int) returns smallint
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job holdfast.job;
  v_priority smallint;
begin
  select * into v_job from holdfast.job j where j.id = p_job;
  for i in 1..20 loop
    update holdfast.ready r set priority = coalesce(p_to, least(100, r.priority + p_by)),
      since = coalesce(r.since, v_job.created_at),
        level = holdfast.level_of(q.order_by, coalesce(p_to, least(100, r.priority + p_by)))
      from holdfast.queue q
      where q.id = v_job.queue_id and r.queue_id = v_job.queue_id and r.level = any (holdfast.all_levels())
        and r.job_id = p_job
      returning r.priority into v_priority;
    if not found then
      update holdfast.delayed d set priority = coalesce(p_to, least(100, d.priority + p_by))
        where d.job_id = p_job
        returning d.priority into v_priority;
    end if;
    if not found then
      update holdfast.held h set priority = coalesce(p_to, least(100, h.priority + p_by))
        where h.job_id = p_job
        returning h.priority into v_priority;
    end if;
    if not found then
      update holdfast.running r set priority = coalesce(p_to, least(100, r.priority + p_by))
        where r.job_id = p_job
        returning r.priority into v_priority;
    end if;
    exit when found or coalesce(holdfast.state_of(p_job) in ('succeeded', 'failed', 'canceled'), true);
  end loop;
  return v_priority;
end $$;
