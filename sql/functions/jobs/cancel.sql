-- Cancels a job. One that waits anywhere ends at once, so no claim can come between; one that is running is
-- asked to stop, and its worker learns of it with the next heartbeat. result: canceled, requested,
-- already_ended. In a strict queue a job is never canceled from outside.
--
-- p_if_state: only in this state, else the call is refused with wrong_state, which names the state, and
-- nothing changes. `running` is every job that a worker holds, also one whose start is not recorded. The row
-- is locked when its state is compared, so no move can come between.
create or replace function holdfast.cancel(p_job bigint, p_actor text default null,
  p_reason text default null, p_if_state holdfast.state default null, out result text,
  out state holdfast.state)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_withdrawn record;
  v_queue int;
begin
  select q.id into v_queue from holdfast.job j join holdfast.queue q on q.id = any (array[j.queue_id])
    where j.id = p_job and q.strict;
  if found then
    perform holdfast.refuse('strict_queue', format('Job %s is in a strict queue: only its worker can end it.',
      p_job), jsonb_build_object('job_id', p_job));
  end if;
  for i in 1..20 loop
    v_withdrawn := holdfast.withdraw(p_job);
    if v_withdrawn.state is not null then
      if v_withdrawn.state <> p_if_state then
        perform holdfast.refuse_cancel(p_job, v_withdrawn.state, p_if_state);
      end if;
      perform holdfast.to_ended(v_withdrawn.live, 'canceled', coalesce(p_reason, 'canceled'));
      perform holdfast.add_event('canceled', p_job, (v_withdrawn.live).queue_id, p_actor, p_reason,
        jsonb_build_object('from', v_withdrawn.state));
      result := 'canceled';
      state := 'canceled';
      return;
    end if;

    update holdfast.running r set cancel_requested = true, cancel_reason = coalesce(r.cancel_reason, p_reason)
      where r.job_id = p_job returning r.queue_id, case when r.started_at is null then 'assigned'
        else 'running' end into v_queue, state;
    if found then
      if p_if_state not in ('running', state) then
        perform holdfast.refuse_cancel(p_job, state, p_if_state);
      end if;
      perform holdfast.add_event('cancel_requested', p_job, v_queue, p_actor, p_reason);
      result := 'requested';
      return;
    end if;

    state := holdfast.state_of(p_job);
    if state is null then
      perform holdfast.refuse_state(p_job, 'cancel');
    end if;
    if state in ('succeeded', 'failed', 'canceled') then
      if state <> p_if_state then
        perform holdfast.refuse_cancel(p_job, state, p_if_state);
      end if;
      result := 'already_ended';
      return;
    end if;
  end loop;
  perform holdfast.refuse('conflict', format('Job %s kept moving while we tried to cancel it.', p_job),
    jsonb_build_object('job_id', p_job));
end $$;

-- Refuses a cancel that asks for another state than the job is in.
create or replace function holdfast.refuse_cancel(p_job bigint, p_state holdfast.state,
  p_if_state holdfast.state) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform holdfast.refuse('wrong_state', format('Job %s is %s, not %s: it was not canceled.', p_job, p_state,
    p_if_state), jsonb_build_object('job_id', p_job, 'state', p_state, 'verb', 'cancel'));
end $$;

-- Ends a job that is set aside or waits behind its target, as canceled with reason `skipped`; its target
-- proceeds to the next job.
create or replace function holdfast.skip(p_job bigint, p_actor text default null, p_reason text default null)
  returns holdfast.state
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_withdrawn record := holdfast.withdraw(p_job);
begin
  if v_withdrawn.state is null or v_withdrawn.state not in ('paused', 'errored', 'parked', 'waiting') then
    perform holdfast.refuse_state(p_job, 'be_skipped', v_withdrawn.state);
  end if;
  if v_withdrawn.state = 'waiting' and exists (select from holdfast.queue q
    where q.id = (v_withdrawn.live).queue_id and q.strict) then
    perform holdfast.refuse('strict_queue',
      format('Job %s is in a strict queue and was never tried: it cannot end.', p_job),
      jsonb_build_object('job_id', p_job));
  end if;
  perform holdfast.to_ended(v_withdrawn.live, 'canceled', 'skipped');
  perform holdfast.add_event('skipped', p_job, (v_withdrawn.live).queue_id, p_actor, p_reason,
    jsonb_build_object('from', v_withdrawn.state));
  return 'canceled';
end $$;

-- Ends a job as failed, reason `discarded`, without another run. Only for jobs that have been tried before or
-- are set aside; a worker may call it too.
create or replace function holdfast.discard(p_job bigint, p_actor text default null,
  p_reason text default null) returns holdfast.state
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_withdrawn record := holdfast.withdraw(p_job);
begin
  if v_withdrawn.state is null or not (v_withdrawn.state in ('retrying', 'paused', 'errored', 'parked')
    or v_withdrawn.state = 'queued' and (v_withdrawn.live).attempt > 0) then
    perform holdfast.refuse_state(p_job, 'be_discarded', v_withdrawn.state);
  end if;
  perform holdfast.to_ended(v_withdrawn.live, 'failed', 'discarded');
  perform holdfast.add_event('discarded', p_job, (v_withdrawn.live).queue_id, p_actor, p_reason,
    jsonb_build_object('from', v_withdrawn.state));
  return 'failed';
end $$;

-- Ends a job that no worker holds (canceled, skipped, discarded, replaced): writes its last attempt row,
-- frees its key, and lets its target proceed. The row takes the next attempt number, because numbers are
-- never used twice.
create or replace function holdfast.to_ended(p_live holdfast.live, p_state holdfast.state, p_reason text)
  returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into holdfast.attempt (job_id, attempt, queue_id, finished_at, outcome, moved_to, priority, failures,
    final, reason)
  values (p_live.job_id, p_live.attempt + 1, p_live.queue_id, holdfast.now(),
    case p_state when 'failed' then 'failed' else 'canceled' end::holdfast.outcome, p_state, p_live.priority,
      p_live.failures, true, p_reason);
  if p_state = 'failed' then
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select p_live.job_id, q.id, holdfast.now(), q.external_trigger
    from holdfast.queue q where q.id = p_live.queue_id and q.external_trigger is not null;
  end if;
  if p_live.keyed then
    delete from holdfast.dedup d where d.queue_id = p_live.queue_id and d.job_id = p_live.job_id
      and d.key = (select j.key from holdfast.job j where j.id = p_live.job_id);
  end if;
  if p_live.lane is not null then
    perform holdfast.settle_lanes(array[p_live.lane], array[p_live.job_id]);
  end if;
end $$;
