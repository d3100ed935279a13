-- Runs a job again at an operator's word. One that failed or was canceled starts over with a clean record of failures; its
-- attempts stay. One that waits for its retry or its time goes now. In a strict queue an end is an end: a new job is made,
-- linked by retry_of, and its id is the answer. Asked again, the answer is the same job; once that one has failed or was canceled too, it
-- is the one that is retried.
create or replace function holdfast.retry(p_job bigint, p_actor text default null, p_reason text default null, out job_id bigint, out state holdfast.state)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_lifted record := holdfast.lift(p_job);
  v_live holdfast.live;
  v_job holdfast.job;
  v_last record;
  v_again bigint;
begin
  job_id := p_job;
  if v_lifted.state in ('retrying', 'scheduled') then
    perform holdfast.note('retried', p_job, (v_lifted.live).queue_id, p_actor, p_reason, jsonb_build_object('from', v_lifted.state));
    state := holdfast.go_on(v_lifted.live);
    return;
  elsif v_lifted.state is not null then
    perform holdfast.refuse_state(p_job, 'be_retried', v_lifted.state);
  end if;

  select j.* into v_job from holdfast.job j where j.id = p_job;
  if exists (select from holdfast.queue q where q.id = v_job.queue_id and q.strict)
    and exists (select from holdfast.attempt a where a.job_id = p_job and a.final and a.moved_to in ('failed', 'canceled')) then
    -- One at a time: who comes second sees, in a later statement, what the first has made.
    perform from holdfast.attempt a where a.job_id = p_job and a.final for update;
    v_again := (select max(j.id) from holdfast.job j where j.retry_of = p_job);
    if v_again is not null then
      job_id := v_again;
      state := holdfast.state_of(v_again);
      if state in ('failed', 'canceled') then
        select r.job_id, r.state into job_id, state from holdfast.retry(v_again, p_actor, p_reason) r;
      end if;
      return;
    end if;
    select n.id, n.state into job_id, state from holdfast.make_again(v_job, p_actor) n;
    perform holdfast.note('retried', p_job, v_job.queue_id, p_actor, p_reason, jsonb_build_object('as', job_id));
    return;
  end if;

  update holdfast.attempt a set final = false where a.job_id = p_job and a.final and a.moved_to in ('failed', 'canceled')
    returning a.attempt, a.priority, a.moved_to into v_last;
  if not found then
    perform holdfast.refuse_state(p_job, 'be_retried');
  end if;
  if v_job.key is not null then
    insert into holdfast.dedup as d (queue_id, key, job_id) values (v_job.queue_id, v_job.key, p_job) on conflict (queue_id, key) do nothing;
    if not found then
      perform holdfast.refuse('key_taken', format('Another live job has the key of job %s.', p_job), jsonb_build_object('job_id', p_job, 'key', v_job.key));
    end if;
  end if;
  v_live := (p_job, null, null, v_job.queue_id, v_last.attempt, 0, v_last.priority, 0, 0, v_job.key is not null);
  perform holdfast.note('retried', p_job, v_job.queue_id, p_actor, p_reason, jsonb_build_object('from', v_last.moved_to));
  state := holdfast.go_on(v_live);
end $$;
