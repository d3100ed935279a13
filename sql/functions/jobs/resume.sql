-- Requeues a paused, errored or parked job; it stays the head of its target, ahead of the jobs behind it.
create or replace function holdfast.resume(p_job bigint, p_actor text default null,
  p_reason text default null) returns holdfast.state
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_withdrawn record := holdfast.withdraw(p_job);
  v_live holdfast.live := v_withdrawn.live;
begin
  if v_withdrawn.state is null or v_withdrawn.state not in ('paused', 'errored', 'parked') then
    perform holdfast.refuse_state(p_job, 'be_resumed', v_withdrawn.state);
  end if;
  if v_withdrawn.state = 'errored' then
    v_live.failures := 0;
    v_live.losses := 0;
  end if;
  perform holdfast.add_event('resumed', p_job, v_live.queue_id, p_actor, p_reason,
    jsonb_build_object('from', v_withdrawn.state));
  return holdfast.requeue(v_live);
end $$;

-- Publishes a pending job, which then runs like any other. Returns its new state.
create or replace function holdfast.publish(p_job bigint, p_actor text default null,
  p_reason text default null) returns holdfast.state
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_withdrawn record := holdfast.withdraw(p_job);
  v_run_at timestamptz;
begin
  if v_withdrawn.state is distinct from 'pending' then
    perform holdfast.refuse_state(p_job, 'be_published', v_withdrawn.state);
  end if;
  perform holdfast.add_event('published', p_job, (v_withdrawn.live).queue_id, p_actor, p_reason);
  select j.run_at into v_run_at from holdfast.job j where j.id = p_job;
  if v_run_at > holdfast.now() then
    insert into holdfast.delayed (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed,
      state, due_at)
      select l.job_id, l.queue_id, l.attempt, l.interruptions, l.priority, l.failures, l.losses, l.keyed,
        'scheduled', v_run_at
      from (select (v_withdrawn.live).*) l;
    return 'scheduled';
  end if;
  return holdfast.requeue(v_withdrawn.live);
end $$;

-- Requeues a job that was set aside: claimable at once, or in line behind its target if it is not the head.
create or replace function holdfast.requeue(p_live holdfast.live) returns holdfast.state
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_target text;
begin
  if p_live.lane is null then
    select j.target into v_target from holdfast.job j join holdfast.queue q on q.id = any (array[j.queue_id])
      where j.id = p_live.job_id and q.serialize_targets;
  end if;
  if v_target is null then
    perform holdfast.to_ready(p_live);
    return 'queued';
  end if;
  perform holdfast.place_in_lanes(array[p_live.queue_id], array[v_target], array[p_live]);
  return holdfast.state_of(p_live.job_id);
end $$;

-- Makes a job that was elsewhere claimable, at the place its priority and age give it.
create or replace function holdfast.to_ready(p_live holdfast.live) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into holdfast.ready (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses,
    keyed, level, since)
  select p_live.job_id, p_live.lane, p_live.ord, p_live.queue_id, p_live.attempt, p_live.interruptions,
    p_live.priority, p_live.failures, p_live.losses, p_live.keyed,
    holdfast.level_of(q.order_by, p_live.priority), holdfast.now()
  from holdfast.queue q where q.id = p_live.queue_id;

  insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
  select p_live.job_id, q.id, holdfast.now(), q.external_trigger
  from holdfast.queue q where q.id = p_live.queue_id and q.external_trigger is not null
$$;
