-- Explains why a job is not running, or what it is doing, in sentences for people. `blocking` separates what
-- keeps it from being claimed from hints: a job that the next claim can take has no blocking reason, any
-- other has at least one. The next claim also promotes what has fallen due, takes back what a dead worker
-- held and lets targets go on, so such jobs count as claimable; a property test compares explain with claims.
create or replace function holdfast.explain(p_job bigint)
returns table (code text, blocking boolean, sentence text, data jsonb)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_state holdfast.state;
  v_job holdfast.job;
  v_queue holdfast.queue;
  v_held holdfast.held;
  v_delayed holdfast.delayed;
  v_run record;
  v_key text;
  v_until timestamptz;
  v_place record;
  -- nothing about the job itself blocks it; its queue and limits may
  v_open boolean;
  -- since when upkeep should have handled it
  v_due timestamptz;
begin
  -- The job's row first, by a statement of its own: that waits for a prune before it takes its snapshot.
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
        format('The job %s at %s%s.%s', case a.moved_to when 'canceled' then 'was canceled'
          else a.moved_to::text end, a.finished_at,
          coalesce(' (' || a.reason || ')', ''),
          case when a.outcome = 'lost' then coalesce(' ' || a.error_message, '') else '' end),
        jsonb_strip_nulls(jsonb_build_object('state', a.moved_to, 'finished_at', a.finished_at, 'reason',
          a.reason, 'last_error', case a.outcome when 'lost' then a.error_message end))
      from holdfast.attempt a where a.job_id = p_job and a.final;

  elsif v_state in ('assigned', 'running') then
    select r.*, w.name as worker, least(l.expires_at, l.ended_at) as expires_at,
      holdfast.state_after_loss(p_job, v_now) as becomes into v_run
      from holdfast.running r left join holdfast.lease l on l.id = any (array[r.lease])
        left join holdfast.worker w on w.id = any (array[r.worker_id])
      where r.job_id = p_job;
    v_open := v_run.becomes is not distinct from 'queued';
    v_due := case when v_run.expires_at is null then v_run.claimed_at
      when v_run.becomes is not null then v_run.expires_at end;
    return query select case when v_run.expires_at is null or v_run.becomes is not null then 'lease_over'
      else v_state::text end, not v_open,
      case
        when v_run.expires_at is null then
          format('Worker %s has held it since %s and its lease is gone; upkeep takes it back.',
            v_run.worker, v_run.claimed_at)
        when v_run.becomes is not null then
          format('The lease of worker %s expired at %s; the next claim takes the job back and makes it %s.',
            v_run.worker, v_run.expires_at, v_run.becomes)
        else
          format('Worker %s has held it since %s; its lease lasts until %s%s.%s',
            v_run.worker, v_run.claimed_at, v_run.expires_at,
            case when v_run.cancel_requested then ', and the worker was asked to stop' else '' end,
            case when v_queue.on_lease_lost = 'count' then format(
              ' This is attempt %s of %s; a lost lease counts as one.', v_run.failures + 1,
              coalesce(v_job.max_retries, v_queue.max_retries,
                holdfast.setting_number('MAX_ATTEMPTS_DEFAULT')::int - 1) + 1) else '' end) end,
      jsonb_strip_nulls(jsonb_build_object('worker', v_run.worker, 'claimed_at', v_run.claimed_at,
        'lease_expires_at', v_run.expires_at, 'attempt', v_run.attempt, 'becomes', v_run.becomes));

  elsif v_state in ('scheduled', 'retrying') then
    select * into v_delayed from holdfast.delayed d where d.job_id = p_job;
    if v_delayed.due_at > v_now then
      if v_queue.rate_per_key and v_queue.rate_limit is not null and v_state = 'scheduled'
        and coalesce(v_job.run_at <= v_now, true)
        and exists (select from holdfast.rate b where b.queue_id = v_queue.id and b.key = v_key
          and b.booked_until >= v_delayed.due_at) then
        v_until := v_delayed.due_at;
      else
        return query select v_state::text, true,
          case v_state when 'retrying' then format('It failed %s and will be retried at %s.',
              case v_delayed.failures when 1 then 'once' else v_delayed.failures || ' times' end,
                v_delayed.due_at)
            else format('It is scheduled for %s.', v_delayed.due_at) end,
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
          when 'pending' then 'It is pending: publish it to let it run.'
          when 'parked' then
            'No worker that claimed it handles its kind, %3$s; since %2$s it waits for one that does, or for '
            'a resume.'
          else 'It has been %1$s since %2$s%4$s: resume, skip or cancel it.' end,
          v_state, v_held.since, v_job.kind, coalesce(' (' || v_held.reason || ')', '')),
        jsonb_build_object('since', v_held.since, 'reason', v_held.reason);
    else
      v_due := case when v_held.lane is null then v_held.since end;
    end if;
  end if;

  if v_state = 'waiting' or v_open and v_state in ('scheduled', 'retrying') and v_delayed.lane is null
    and v_queue.serialize_targets
    and v_job.target is not null then
    v_place := holdfast.place_at_target(p_job, v_queue, v_job.target, v_held.lane, v_held.ord, v_now);
    v_open := v_place.before_it < v_place.free;
    if not v_open then
      return query select 'target_held', true,
        case when v_place.free = 0 then format('Its target %s is held by job %s, which is %s.', v_job.target,
          v_place.holder, s.state)
          else format('Job %s is before it at its target %s.', v_place.first, v_job.target) end,
        jsonb_build_object('target', v_job.target, 'job_id', s.job_id, 'state', s.state)
        from (select x.job_id, coalesce(holdfast.state_of(x.job_id)::text, 'gone') as state
              from (select case when v_place.free = 0 then v_place.holder
                else v_place.first end as job_id) x) s;
    end if;
  end if;

  if v_queue.paused_at is not null and (v_open or v_state in ('scheduled', 'retrying', 'waiting')) then
    v_open := false;
    return query select 'queue_paused', true,
      format('The queue %s has been paused since %s%s%s.', v_queue.name, v_queue.paused_at,
        coalesce(' by ' || v_queue.paused_by, ''), coalesce(' (' || v_queue.pause_reason || ')', '')),
      jsonb_build_object('queue', v_queue.name, 'since', v_queue.paused_at, 'by', v_queue.paused_by, 'reason',
        v_queue.pause_reason);
  end if;

  if v_open and v_queue.limited then
    return query select l.code, true, l.sentence, l.data from holdfast.limits_reached(v_queue) l;
    v_open := not found;
    if v_queue.rate_per_key and v_queue.rate_limit is not null then
      v_until := holdfast.key_held_back(v_queue, v_key, v_state = 'queued' and not exists (
        select from holdfast.ready r where r.queue_id = v_queue.id and r.level = any (holdfast.all_levels())
          and r.job_id = p_job and r.since is not null),
        v_now);
    end if;
  end if;
  if v_until is not null then
    v_open := false;
    return query select 'rate_reached', true,
      format('The rate limit of the queue %s is used up for its key %s; it may start at %s.', v_queue.name,
        v_key, v_until),
      jsonb_build_object('queue', v_queue.name, 'key', v_key, 'next_at', v_until);
  end if;

  if v_open or v_state = 'queued' then
    return query select n.code, false, n.sentence, n.data
      from holdfast.explain_claimable(v_job, v_queue, v_now) n where v_open or n.code = 'behind';
  end if;
  return query select u.code, false, u.sentence, u.data
    from holdfast.upkeep_asleep(case v_state when 'queued' then 'age' else 'promote' end, v_due, v_now) u;
end $$;

-- Hints on a job that can be claimed, or that only waits for its turn: how many jobs are before it, and
-- whether a live worker handles it. None of them blocks: the next worker that claims may take the job.
create or replace function holdfast.explain_claimable(p_job holdfast.job, p_queue holdfast.queue,
  p_now timestamptz)
returns table (code text, sentence text, data jsonb)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  -- counts no further: each job costs a page where they are spread over levels
  c_max constant int := 10000;
  v_ready holdfast.ready;
  v_before int;
  v_rate double precision;
  v_ms bigint;
  v_knows text[];
  v_elsewhere text[];
begin
  select * into v_ready from holdfast.ready r where r.queue_id = p_job.queue_id
    and r.level = any (holdfast.all_levels()) and r.job_id = p_job.id;
  if found then
    select count(*) into v_before from (
      select from holdfast.ready r where r.queue_id = p_job.queue_id
        and (r.level, r.job_id) < (v_ready.level, p_job.id) limit c_max + 1) b;
  end if;
  if v_before > 0 then
    v_rate := holdfast.recent_rate(p_queue);
    v_before := least(v_before, c_max + 1);
    v_ms := least(v_before, c_max) / v_rate * 1000;
    return query select 'behind',
      format('%s %s before it in the queue %s%s; %s.',
        case when v_before > c_max then 'More than ' || c_max else v_before::text end,
        case when v_before = 1 then 'job is' else 'jobs are' end, p_queue.name,
        case when p_queue.order_by = 'priority' then format(', of priority %s or more', v_ready.priority)
          when p_queue.order_by = 'fifo' then ', first come first served'
          else ', first come first served with the other queues of this order' end,
        case when v_rate is null then 'how long that takes is unknown, because no job of the queue was '
            'claimed in the last five minutes'
          else format('at the rate of the last five minutes (%s per minute) that takes %s %s',
            round((v_rate * 60)::numeric, 1), case when v_before > c_max then 'more than' else 'about' end,
            case when v_ms < 120000 then format('%s s', ceil(v_ms / 1000.0))
              when v_ms < 7200000 then format('%s min', ceil(v_ms / 60000.0))
              else format('%s h', ceil(v_ms / 3600000.0)) end) end),
      jsonb_build_object('jobs', least(v_before, c_max), 'more', v_before > c_max, 'priority',
        v_ready.priority, 'per_minute', round((v_rate * 60)::numeric, 1), 'estimate_ms', v_ms);
  end if;

  -- live workers that handle the kind: those of this queue, and others with their queues; five are enough to
  -- find one
  select (array_agg(w.name order by w.name) filter (where p_queue.name = any (p.queues)))[1:5],
      (array_agg(w.name || ' (' || array_to_string(p.queues, ', ') || ')' order by w.name)
        filter (where not p_queue.name = any (p.queues)))[1:5]
    into v_knows, v_elsewhere
    from holdfast.presence p join holdfast.worker w on w.id = any (array[p.worker_id])
    where p.tenant = p_queue.tenant and p_job.kind = any (p.kinds)
      and holdfast.is_worker_alive(p.heartbeat_at);
  return query select 'no_worker',
      case when w.here = 0 then format('No live worker claims from the queue %s.', p_queue.name)
        when w.staying = 0 then format('Every live worker of the queue %s is draining.', p_queue.name)
        else format('No live worker of the queue %s handles the kind %s (%s other kinds).',
          p_queue.name, p_job.kind, case when w.staying = 1 then '1 handles' else w.staying || ' handle' end)
          end || coalesce(' These handle it and claim from other queues: '
            || array_to_string(v_elsewhere, ', ') || '.', ''),
      jsonb_strip_nulls(jsonb_build_object('queue', p_queue.name, 'kind', p_job.kind, 'workers', w.here,
        'staying', w.staying, 'elsewhere', v_elsewhere))
    from (
      select count(*) as here, count(*) filter (where p.stays) as staying,
        -- every worker handles our own kinds; written in two pieces, so that the name is not replaced as that
        -- of the schema
        coalesce(bool_or((p_job.kind = any (p.kinds) or starts_with(p_job.kind, 'holdfast' || '.'))
          and p.stays), false) as known
      from (
        select p.kinds, not p.draining and d.requested_at is null as stays from holdfast.presence p
        left join holdfast.drain_request d on d.worker_id = p.worker_id and d.tenant = p.tenant
          and d.host = p.host and d.pid = p.pid
        where p.tenant = p_queue.tenant and p_queue.name = any (p.queues)
          and holdfast.is_worker_alive(p.heartbeat_at)) p) w
    where not w.known;
  if not found and v_knows is not null and not exists (select from holdfast.kind k
    where k.tenant = p_queue.tenant and k.kind = p_job.kind) then
    return query select 'undeclared_kind', format(
        'No program has declared its kind %s; live workers of the queue %s that handle it: %s.', p_job.kind,
        p_queue.name, array_to_string(v_knows, ', ')),
      jsonb_build_object('kind', p_job.kind, 'workers', v_knows);
  end if;
end $$;

-- How many jobs of a queue were claimed per second recently: over five minutes, or over the time that the
-- last thousand events and the last thousand jobs among them cover, so that it costs the same however busy
-- the database is. Null: none was claimed.
create or replace function holdfast.recent_rate(p_queue holdfast.queue) returns double precision
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_since timestamptz := v_now - interval '5 minutes';
begin
  return (
    with recent_event as materialized (
      select e.at, e.tenant, e.type, e.job_ids from holdfast.event e order by e.xid desc, e.id desc
        limit 1000),
    claimed as materialized (
      select t.at, i.job_id from recent_event t cross join lateral unnest(t.job_ids) i (job_id)
      where t.type = 'claimed' and t.tenant = p_queue.tenant and t.at > v_since limit 1000),
    period as (
      select case when (select count(*) from claimed) = 1000 then (select min(c.at) from claimed c)
        when (select count(*) from recent_event) = 1000 then (select greatest(min(t.at), v_since)
          from recent_event t) else v_since end as since)
    select nullif(count(*), 0) / greatest(0.001, extract(epoch from v_now - (select r.since from period r)))
    from claimed c join holdfast.job j on j.id = any (array[c.job_id]) where j.queue_id = p_queue.id);
end $$;
