-- Why a job is where it is, in sentences for people. `blocking` tells what keeps it from being claimed from what is only good
-- to know: a job that can be claimed now has no blocking reason, one that cannot has at least one. Now means by the next claim, which brings in
-- what has fallen due, takes back what a dead worker held and lets targets go on before it gives up; a property test compares the two.
create or replace function holdfast.explain(p_job bigint) returns table (code text, blocking boolean, sentence text, data jsonb)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := holdfast.now();
  v_state holdfast.state;
  v_job holdfast.job;
  v_queue holdfast.queue;
  v_held holdfast.held;
  v_delayed holdfast.delayed;
  v_lost record;
  v_key text;
  v_until timestamptz;
  v_place record;
  -- nothing of its own keeps it; its queue and the limits may
  v_open boolean;
  -- since when upkeep should have come to it
  v_due timestamptz;
begin
  -- The job's row first, by a statement of its own: that waits for a prune before it looks, which state_of would do after.
  select * into v_job from holdfast.job j where j.id = p_job;
  v_state := holdfast.state_of(p_job);
  if v_state is null then
    perform holdfast.refuse_state(p_job, 'be_explained');
  end if;
  select * into v_queue from holdfast.queue q where q.id = v_job.queue_id;
  v_key := coalesce(v_job.target, v_job.key, v_job.subject, '');
  v_open := v_state = 'queued';
  if v_open and v_queue.order_by = 'priority' then
    v_due := holdfast.unraised_since(v_job);
  end if;

  if v_state in ('succeeded', 'failed', 'canceled') then
    return query select 'ended', true,
        format('The job %s at %s%s.', case a.moved_to when 'canceled' then 'was canceled' else a.moved_to::text end, a.finished_at,
          coalesce(' (' || a.reason || ')', '')),
        jsonb_build_object('state', a.moved_to, 'finished_at', a.finished_at, 'reason', a.reason)
      from holdfast.attempt a where a.job_id = p_job and a.final;

  elsif v_state in ('assigned', 'running') then
    select r.*, w.name as worker, least(l.expires_at, l.ended_at) as expires_at, holdfast.lost_becomes(p_job, v_now) as becomes into v_lost
      from holdfast.running r left join holdfast.lease l on l.id = any (array[r.lease]) left join holdfast.worker w on w.id = any (array[r.worker_id])
      where r.job_id = p_job;
    v_open := v_lost.becomes is not distinct from 'queued';
    v_due := case when v_lost.expires_at is null then v_lost.claimed_at when v_lost.becomes is not null then v_lost.expires_at end;
    return query select case when v_lost.expires_at is null or v_lost.becomes is not null then 'lease_over' else v_state::text end, not v_open,
      case when v_lost.expires_at is null then format('Worker %s has it since %s, and its lease is gone: upkeep takes it back.', v_lost.worker, v_lost.claimed_at)
        when v_lost.becomes is not null then format('The lease of worker %s ran out at %s; the next claim takes the job back, which is then %s.',
          v_lost.worker, v_lost.expires_at, v_lost.becomes)
        else format('Worker %s has it since %s; its lease runs until %s%s.', v_lost.worker, v_lost.claimed_at, v_lost.expires_at,
          case when v_lost.cancel_requested then ', and it was asked to stop' else '' end) end,
      jsonb_strip_nulls(jsonb_build_object('worker', v_lost.worker, 'claimed_at', v_lost.claimed_at, 'lease_expires_at', v_lost.expires_at,
        'attempt', v_lost.attempt, 'becomes', v_lost.becomes));

  elsif v_state in ('scheduled', 'retrying') then
    select * into v_delayed from holdfast.delayed d where d.job_id = p_job;
    if v_delayed.due_at > v_now then
      if v_queue.rate_per_key and v_queue.rate_limit is not null and v_state = 'scheduled' and coalesce(v_job.run_at <= v_now, true)
        and exists (select from holdfast.rate b where b.queue_id = v_queue.id and b.key = v_key and b.booked_until >= v_delayed.due_at) then
        v_until := v_delayed.due_at;
      else
        return query select v_state::text, true,
          case v_state when 'retrying' then format('It failed %s and is tried again at %s.',
              case v_delayed.failures when 1 then 'once' else v_delayed.failures || ' times' end, v_delayed.due_at)
            else format('It is not due before %s.', v_delayed.due_at) end,
          jsonb_build_object('due_at', v_delayed.due_at, 'failures', v_delayed.failures);
      end if;
    else
      v_open := true;
      v_due := v_delayed.due_at;
    end if;

  elsif v_state <> 'queued' then
    select * into v_held from holdfast.held h where h.job_id = p_job;
    if v_state <> 'waiting' then
      return query select v_state::text, true,
        format(case v_state
          when 'pending' then 'It was made but not released yet.'
          when 'parked' then 'No worker that asked for it knows its kind, %3$s; it waits since %2$s for one that does, or for a resume.'
          else 'It is %1$s since %2$s%4$s: resume, skip or cancel it.' end,
          v_state, v_held.since, v_job.kind, coalesce(' (' || v_held.reason || ')', '')),
        jsonb_build_object('since', v_held.since, 'reason', v_held.reason);
    else
      v_due := case when v_held.lane is null then v_held.since end;
    end if;
  end if;

  if v_state = 'waiting' or v_open and v_state in ('scheduled', 'retrying') and v_delayed.lane is null and v_queue.serialize_targets
    and v_job.target is not null then
    v_place := holdfast.place_at_target(p_job, v_queue, v_job.target, v_held.lane, v_held.ord, v_now);
    v_open := v_place.before_it < v_place.free;
    if not v_open then
      return query select 'target_held', true,
        case when v_place.free = 0 then format('Its target %s is held by job %s, which is %s.', v_job.target, v_place.holder, s.state)
          else format('Job %s came to its target %s before it.', v_place.first, v_job.target) end,
        jsonb_build_object('target', v_job.target, 'job_id', s.job_id, 'state', s.state)
        from (select x.job_id, coalesce(holdfast.state_of(x.job_id)::text, 'gone') as state
              from (select case when v_place.free = 0 then v_place.holder else v_place.first end as job_id) x) s;
    end if;
  end if;

  if v_queue.paused_at is not null and (v_open or v_state in ('scheduled', 'retrying', 'waiting')) then
    v_open := false;
    return query select 'queue_paused', true,
      format('The queue %s is paused since %s%s%s.', v_queue.name, v_queue.paused_at, coalesce(' by ' || v_queue.paused_by, ''),
        coalesce(' (' || v_queue.pause_reason || ')', '')),
      jsonb_build_object('queue', v_queue.name, 'since', v_queue.paused_at, 'by', v_queue.paused_by, 'reason', v_queue.pause_reason);
  end if;

  if v_open and v_queue.limited then
    return query select l.code, true, l.sentence, l.data from holdfast.limits_reached(v_queue) l;
    v_open := not found;
    if v_queue.rate_per_key and v_queue.rate_limit is not null then
      v_until := holdfast.key_held_back(v_queue, v_key, v_state = 'queued' and not exists (
        select from holdfast.ready r where r.queue_id = v_queue.id and r.level = any (holdfast.levels()) and r.job_id = p_job and r.since is not null),
        v_now);
    end if;
  end if;
  if v_until is not null then
    v_open := false;
    return query select 'rate_reached', true,
      format('Its key %s in the queue %s has started as many jobs as its rate allows; it may start at %s.', v_key, v_queue.name, v_until),
      jsonb_build_object('queue', v_queue.name, 'key', v_key, 'next_at', v_until);
  end if;

  if v_open or v_state = 'queued' then
    return query select n.code, false, n.sentence, n.data from holdfast.not_taken_yet(v_job, v_queue, v_now) n where v_open or n.code = 'behind';
  end if;
  return query select u.code, false, u.sentence, u.data
    from holdfast.upkeep_asleep(case v_state when 'queued' then 'age' else 'bring-in' end, v_due, v_now) u;
end $$;
