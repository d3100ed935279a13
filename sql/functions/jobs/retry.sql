-- Runs a job again for an operator. One that failed or was canceled starts over with no failures; its
-- attempts stay. One that waits for its retry or its time becomes claimable now. In a strict queue an ended
-- job stays ended: a new job is enqueued, linked by retry_of, and its id is returned. A repeated call returns
-- the same job; once that one has failed or was canceled too, it is retried.
create or replace function holdfast.retry(p_job bigint, p_actor text default null, p_reason text default null,
  out job_id bigint, out state holdfast.state)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_withdrawn record := holdfast.withdraw(p_job);
  v_live holdfast.live;
  v_job holdfast.job;
  v_last record;
  v_clone bigint;
  v_strict boolean;
begin
  job_id := p_job;
  if v_withdrawn.state in ('retrying', 'scheduled') then
    perform holdfast.add_event('retried', p_job, (v_withdrawn.live).queue_id, p_actor, p_reason,
      jsonb_build_object('from', v_withdrawn.state));
    state := holdfast.requeue(v_withdrawn.live);
    return;
  elsif v_withdrawn.state is not null then
    perform holdfast.refuse_state(p_job, 'be_retried', v_withdrawn.state);
  end if;

  select j.* into v_job from holdfast.job j where j.id = p_job;
  select q.strict into v_strict from holdfast.queue q where q.id = v_job.queue_id;
  if not found then
    perform holdfast.refuse('unknown_job', format('There is no job %s.', p_job), jsonb_build_object('job_id',
      p_job));
  end if;
  if v_strict and exists (select from holdfast.attempt a
    where a.job_id = p_job and a.final and a.moved_to in ('failed', 'canceled')) then
    -- One call at a time: the second sees, in a later statement, the job that the first enqueued.
    perform from holdfast.attempt a where a.job_id = p_job and a.final for update;
    v_clone := (select max(j.id) from holdfast.job j where j.retry_of = p_job);
    if v_clone is not null then
      job_id := v_clone;
      state := holdfast.state_of(v_clone);
      if state in ('failed', 'canceled') then
        select r.job_id, r.state into job_id, state from holdfast.retry(v_clone, p_actor, p_reason) r;
      end if;
      return;
    end if;
    select n.id, n.state into job_id, state from holdfast.clone_job(v_job, p_actor) n;
    perform holdfast.add_event('retried', p_job, v_job.queue_id, p_actor, p_reason,
      jsonb_build_object('as', job_id));
    return;
  end if;

  update holdfast.attempt a set final = false where a.job_id = p_job and a.final and a.moved_to in ('failed',
    'canceled')
    returning a.attempt, a.priority, a.moved_to into v_last;
  if not found then
    perform holdfast.refuse_state(p_job, 'be_retried');
  end if;
  if v_job.key is not null then
    insert into holdfast.dedup as d (queue_id, key, job_id) values (v_job.queue_id, v_job.key, p_job)
      on conflict (queue_id, key) do nothing;
    if not found then
      perform holdfast.refuse('key_taken', format('Another live job has the key of job %s.', p_job),
        jsonb_build_object('job_id', p_job, 'key', v_job.key));
    end if;
  end if;
  v_live := (p_job, null, null, v_job.queue_id, v_last.attempt, 0, v_last.priority, 0, 0,
    v_job.key is not null);
  perform holdfast.add_event('retried', p_job, v_job.queue_id, p_actor, p_reason,
    jsonb_build_object('from', v_last.moved_to));
  state := holdfast.requeue(v_live);
end $$;

-- Enqueues a new job like an ended one, for strict queues.
create or replace function holdfast.clone_job(p_job holdfast.job, p_actor text, out id bigint,
  out state holdfast.state)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_enqueued record;
begin
  select e.job_id, e.status into v_enqueued
    from holdfast.queue q
    cross join lateral holdfast.enqueue_many(jsonb_build_array(to_jsonb(p_job) - 'id' - 'run_at'
      || jsonb_build_object(
      'queue', q.name, 'priority', p_job.initial_priority, 'retry_of', p_job.id, 'created_by', p_actor)),
        q.tenant, p_by_kind => false) e
    where q.id = p_job.queue_id;
  if v_enqueued.status <> 'created' then
    perform holdfast.refuse('key_taken', format('Another live job has the key of job %s.', p_job.id),
      jsonb_build_object('job_id', p_job.id, 'key', p_job.key));
  end if;
  id := v_enqueued.job_id;
  state := holdfast.state_of(id);
end $$;
