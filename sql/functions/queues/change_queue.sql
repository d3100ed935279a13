-- Changes the preset of a queue, renames and removes queues.
--
-- Each of them locks the table of queues for a moment, so that none meets an enqueue or a claim half way:
-- every verb that places a job has read the table before, and so holds it until its transaction ends. What is
-- still open is waited for, a quarter of a second at most, because all other calls wait behind it.

-- Changes the policy of a queue and, with p_preset, its preset: then the policy is that of the new preset,
-- but for what p_policy names. Refused while the queue has live jobs that another preset may not allow as
-- they are; those that wait for their first attempt stay, in the order of the new preset.
create or replace function holdfast.change_queue(p_queue int, p_preset text default null,
  p_policy jsonb default '{}', p_actor text default null, p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '250ms'
as $$
declare
  v_preset jsonb;
begin
  perform holdfast.check_policy(p_policy);
  if p_preset is null or exists (select from holdfast.queue q where q.id = p_queue
    and q.preset = p_preset) then
    perform holdfast.set_policy(p_queue, p_policy, p_actor, p_reason);
    return;
  end if;
  select to_jsonb(p) - 'preset' into v_preset from holdfast.preset p where p.preset = p_preset;
  if v_preset is null then
    perform holdfast.refuse('unknown_preset', format('There is no preset named %s.', p_preset),
      jsonb_build_object('preset', p_preset));
  end if;
  perform holdfast.refuse_unfit_jobs(p_queue, v_preset || p_policy);
  perform holdfast.lock_queues();
  perform holdfast.refuse_unfit_jobs(p_queue, v_preset || p_policy);
  update holdfast.queue q set preset = p_preset where q.id = p_queue;
  perform holdfast.set_policy(p_queue, v_preset || p_policy, p_actor, p_reason);
  -- With `since`, because such a row may now be where claims have passed.
  update holdfast.ready r set level = holdfast.level_of(q.order_by, r.priority),
      since = coalesce(r.since, j.created_at)
    from holdfast.queue q, holdfast.job j where q.id = p_queue and r.queue_id = p_queue and j.id = r.job_id
      and r.level <> holdfast.level_of(q.order_by, r.priority);
  perform holdfast.add_event('queue_changed', null, p_queue, p_actor, p_reason,
    jsonb_build_object('preset', p_preset, 'policy', p_policy));
end $$;

-- Renames a queue, with its jobs and their history, the schedules that enqueue into it and the kinds declared
-- for it. Programs know a queue by its name: what they enqueue or claim under the old name from now on is
-- another queue.
create or replace function holdfast.rename_queue(p_queue int, p_name text, p_actor text default null,
  p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '250ms'
as $$
declare
  v_queue holdfast.queue;
begin
  perform holdfast.lock_queues();
  select * into v_queue from holdfast.queue q where q.id = p_queue;
  if not found then
    perform holdfast.refuse('unknown_queue', format('There is no queue with id %s.', p_queue),
      jsonb_build_object('queue_id', p_queue));
  end if;
  if p_name = v_queue.name then
    return;
  end if;
  if exists (select from holdfast.queue q where q.tenant = v_queue.tenant and q.name = p_name) then
    perform holdfast.refuse('queue_exists', format('There is a queue %s already.', p_name),
      jsonb_build_object('queue', p_name));
  end if;
  update holdfast.queue q set name = p_name, updated_at = holdfast.now() where q.id = p_queue;
  update holdfast.schedule s set queue = p_name, revision = s.revision + 1, updated_at = holdfast.now()
    where s.tenant = v_queue.tenant and s.queue = v_queue.name;
  update holdfast.kind k set queue = p_name where k.tenant = v_queue.tenant and k.queue = v_queue.name;
  perform holdfast.add_event('queue_renamed', null, p_queue, p_actor, p_reason,
    jsonb_build_object('from', v_queue.name, 'to', p_name));
end $$;

-- Removes a queue without live jobs. Its ended jobs can no longer be read, and upkeep deletes them. Refused
-- while a schedule enqueues into it and, unless p_with_items, while it has items or subjects, which go too.
create or replace function holdfast.remove_queue(p_queue int, p_with_items boolean default false,
  p_actor text default null, p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '250ms'
as $$
declare
  v_queue holdfast.queue;
  v_schedule text;
begin
  -- What may take long comes before the lock.
  perform holdfast.refuse_live_jobs(p_queue);
  if p_with_items then
    delete from holdfast.item i where i.queue_id = p_queue;
    delete from holdfast.subject s where s.queue_id = p_queue;
  end if;
  delete from holdfast.queue_minute m where m.queue_id = p_queue;
  delete from holdfast.stat s using holdfast.queue q where q.id = p_queue and s.tenant = q.tenant
    and s.minutes in (1, 15, 60) and s.queue_id = p_queue;
  delete from holdfast.rate r where r.queue_id = p_queue;

  perform holdfast.lock_queues();
  perform holdfast.refuse_live_jobs(p_queue);
  select * into v_queue from holdfast.queue q where q.id = p_queue;
  select s.name into v_schedule from holdfast.schedule s where s.tenant = v_queue.tenant
    and s.queue = v_queue.name order by s.name limit 1;
  if v_schedule is not null then
    perform holdfast.refuse('queue_in_use', format('The schedule %s enqueues into the queue %s.', v_schedule,
      v_queue.name), jsonb_build_object('queue', v_queue.name, 'schedule', v_schedule));
  end if;
  if exists (select from holdfast.item i where i.queue_id = p_queue)
    or exists (select from holdfast.subject s where s.queue_id = p_queue) then
    perform holdfast.refuse('queue_in_use',
      format('The queue %s has items or subjects. Export them, and remove the queue with them.',
        v_queue.name), jsonb_build_object('queue', v_queue.name));
  end if;
  delete from holdfast.outbox o where o.queue_id = p_queue;
  perform holdfast.add_event('queue_removed', null, p_queue, p_actor, p_reason,
    jsonb_build_object('queue', v_queue.name, 'preset', v_queue.preset));
  delete from holdfast.queue q where q.id = p_queue;
end $$;

-- Keeps every other transaction from the table of queues until this one ends.
create or replace function holdfast.lock_queues() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  lock table holdfast.queue in access exclusive mode;
exception when lock_not_available then
  perform holdfast.refuse('conflict',
    'A transaction that has read the queues has not ended for a while, so nothing was changed.');
end $$;

-- Refuses unless the queue exists and no job of it is alive. A job that another transaction is just
-- enqueueing is not seen: see lock_queues.
create or replace function holdfast.refuse_live_jobs(p_queue int) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_name text := (select q.name from holdfast.queue q where q.id = p_queue);
  v_jobs text;
begin
  if v_name is null then
    perform holdfast.refuse('unknown_queue', format('There is no queue with id %s.', p_queue),
      jsonb_build_object('queue_id', p_queue));
  end if;
  select string_agg(case when c.jobs < 1000 then '' else 'at least ' end || c.jobs || ' ' || c.state, ', ')
    into v_jobs
    from (
      select 'queued' as state, count(*) as jobs
        from (select from holdfast.ready r where r.queue_id = p_queue limit 1000) x
      union all
      select 'delayed', count(*) from (select from holdfast.delayed d where d.queue_id = p_queue limit 1000) x
      union all
      select 'held', count(*) from (select from holdfast.held h where h.queue_id = p_queue limit 1000) x
      union all
      select 'running', count(*)
        from (select from holdfast.running r where r.queue_id = p_queue limit 1000) x) c
    where c.jobs > 0;
  if v_jobs is not null then
    perform holdfast.refuse('queue_in_use', format('The queue %s has jobs that have not ended: %s.', v_name,
      v_jobs), jsonb_build_object('queue', v_name, 'jobs', v_jobs));
  end if;
end $$;

-- Refuses unless every live job of the queue, of 1,000 at most, waits for its first attempt and is treated
-- by p_policy as it was by the policy it was enqueued under: with a target by the same serialize_targets,
-- with a subject by the same dedup_by.
create or replace function holdfast.refuse_unfit_jobs(p_queue int, p_policy jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max constant int := 1000;
  v_queue holdfast.queue;
  v_jobs record;
  v_by text;
begin
  select * into v_queue from holdfast.queue q where q.id = p_queue;
  select count(*) as n, coalesce(bool_or(x.attempt > 0), false) as begun,
      coalesce(bool_or(j.target is not null), false) as target,
      coalesce(bool_or(j.subject is not null), false) as subject
    into v_jobs
    from (
      (select r.job_id, r.attempt from holdfast.ready r where r.queue_id = p_queue limit c_max + 1)
      union all
      (select d.job_id, d.attempt from holdfast.delayed d where d.queue_id = p_queue limit c_max + 1)) x
      join holdfast.job j on j.id = x.job_id;
  if v_queue.id is null or v_jobs.n > c_max or v_jobs.begun
    or exists (select from holdfast.held h where h.queue_id = p_queue)
    or exists (select from holdfast.running r where r.queue_id = p_queue) then
    perform holdfast.refuse_live_jobs(p_queue);
  end if;
  v_by := case
    when v_jobs.target and (p_policy ->> 'serialize_targets')::boolean and not v_queue.serialize_targets
      then 'target'
    when v_jobs.subject and p_policy ->> 'dedup_by' <> v_queue.dedup_by::text then 'subject' end;
  if v_by is not null then
    perform holdfast.refuse('queue_in_use',
      format('The queue %s has jobs with a %s that have not ended, and the new preset orders or deduplicates '
        'jobs by it.', v_queue.name, v_by), jsonb_build_object('queue', v_queue.name));
  end if;
end $$;

-- The ids of queues by name, for a worker: only of those that exist.
create or replace function holdfast.queue_ids(p_tenant text, p_queues text[])
returns table (name text, queue_id int)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select q.name, q.id from holdfast.queue q where q.tenant = p_tenant and q.name = any (p_queues)
$$;
