-- Firing a schedule: records a slot, enqueues its job and moves the schedule on to the next slot, in one
-- transaction. Any number of schedulers may try; `next_slot` is the fence that lets one of them do it.

-- Fires one slot of a schedule, exactly once, however many processes try: it takes effect only while p_slot
-- is the next slot of the schedule and p_revision its definition.
-- outcome: created · deduplicated (a live job has its subject) · skipped · waiting (for a job of an earlier
-- firing, as `overlap` defines), or why nothing was done: gone · stale · paused · early · already.
create or replace function holdfast.fire_schedule(p_schedule bigint, p_revision int, p_slot timestamptz,
  p_next timestamptz, out outcome text, out job_id bigint)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_slot record;
  v_schedule holdfast.schedule;
  v_firing bigint;
  v_enqueued record;
begin
  select a.schedule, a.problem into v_slot from holdfast.at_slot(p_schedule, p_revision, p_slot, p_next) a;
  if v_slot.problem is not null then
    outcome := v_slot.problem;
    return;
  end if;
  v_schedule := v_slot.schedule;
  -- A waiting firing goes first, else it would be overtaken at every slot.
  if v_schedule.waiting_slot is not null then
    perform holdfast.fire_waiting(p_schedule);
    select * into v_schedule from holdfast.schedule s where s.id = p_schedule;
  end if;
  insert into holdfast.firing (tenant, schedule_id, slot, last_slot, slots, fired_at, outcome)
    values (v_schedule.tenant, p_schedule, p_slot, p_slot, 1, v_now, 'created')
    on conflict (schedule_id, slot) where firing.outcome <> 'manual' do nothing
    returning id into v_firing;
  if v_firing is null then
    outcome := 'already';
  else
    select f.outcome, f.job_id, f.note into v_enqueued from holdfast.fire_unless_overlapping(v_schedule) f;
    outcome := v_enqueued.outcome;
    job_id := v_enqueued.job_id;
    update holdfast.firing f set outcome = v_enqueued.outcome, job_id = v_enqueued.job_id,
      note = v_enqueued.note where f.id = v_firing;
  end if;
  update holdfast.schedule s set next_slot = p_next,
      next_run_at = holdfast.jittered(p_next, s.id, s.jitter_ms),
      last_run_at = case when outcome in ('created', 'deduplicated') then v_now else s.last_run_at end,
      waiting_slot = case when outcome = 'waiting' then p_slot else s.waiting_slot end, updated_at = v_now
    where s.id = p_schedule;
end $$;

-- Locks a schedule to fire this slot, or returns why that is not possible: gone · stale (another process has
-- fired it, or its definition has changed) · paused · early. The lock is taken first and everything else is
-- read after it, so a committed pause or change is always seen.
create or replace function holdfast.at_slot(p_schedule bigint, p_revision int, p_slot timestamptz,
  p_next timestamptz, out schedule holdfast.schedule, out problem text)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_next <= p_slot then
    perform holdfast.refuse('invalid_input', 'The next slot must come after this one.', '{"path": "/next"}');
  end if;
  select * into schedule from holdfast.schedule s where s.id = p_schedule for update;
  problem := case
    when not found then 'gone'
    when schedule.revision <> p_revision or schedule.next_slot <> p_slot then 'stale'
    when not schedule.enabled or schedule.paused_at is not null
      or holdfast.in_maintenance_window(schedule.tenant) then 'paused'
    when schedule.next_run_at > holdfast.now() then 'early'
  end;
end $$;

-- Applies the overlap policy of a schedule to jobs of earlier firings that are still alive, and enqueues the
-- job where it may.
create or replace function holdfast.fire_unless_overlapping(p_schedule holdfast.schedule, out outcome text,
  out job_id bigint, out note text)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_live bigint[] := case when p_schedule.overlap <> 'allow' then holdfast.live_firings(p_schedule.id) end;
  v_old bigint;
begin
  if v_live is null or v_live = '{}' then
    null;
  elsif p_schedule.overlap = 'skip' then
    outcome := 'skipped';
    note := format('job %s of an earlier firing has not ended', v_live[1]);
    return;
  elsif p_schedule.overlap = 'queue_one' then
    outcome := case when p_schedule.waiting_slot is null then 'waiting' else 'skipped' end;
    note := case outcome when 'waiting' then format('until job %s has ended', v_live[1])
      else 'another firing waits already' end;
    return;
  elsif exists (select from holdfast.queue q where q.tenant = p_schedule.tenant and q.name = p_schedule.queue
    and q.strict) then
    note := format('job %s continues: in a strict queue only its worker ends a job', v_live[1]);
  else
    foreach v_old in array v_live loop
      perform holdfast.cancel(v_old, 'schedule:' || p_schedule.name, 'replaced by the next firing');
    end loop;
    note := format('replaces %s %s', case when cardinality(v_live) > 1 then 'jobs' else 'job' end,
      array_to_string(v_live, ', '));
  end if;
  select m.outcome, m.job_id into outcome, job_id from holdfast.enqueue_scheduled(p_schedule) m;
end $$;

-- Enqueues the job of a firing that waited for an earlier one to end.
-- outcome: created · deduplicated, or why nothing was done: gone · stale (none waits) · paused · busy (the
-- job it waits for has not ended).
create or replace function holdfast.fire_waiting(p_schedule bigint, out outcome text, out job_id bigint)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_schedule holdfast.schedule;
  v_enqueued record;
begin
  select * into v_schedule from holdfast.schedule s where s.id = p_schedule for update;
  outcome := case
    when not found then 'gone'
    when v_schedule.waiting_slot is null then 'stale'
    when not v_schedule.enabled or v_schedule.paused_at is not null
      or holdfast.in_maintenance_window(v_schedule.tenant) then 'paused'
    when holdfast.live_firings(p_schedule) <> '{}' then 'busy'
  end;
  if outcome is not null then
    return;
  end if;
  select m.outcome, m.job_id into v_enqueued from holdfast.enqueue_scheduled(v_schedule) m;
  outcome := v_enqueued.outcome;
  job_id := v_enqueued.job_id;
  update holdfast.firing f set outcome = v_enqueued.outcome, job_id = v_enqueued.job_id
    where f.schedule_id = p_schedule and f.slot = v_schedule.waiting_slot and f.outcome = 'waiting';
  update holdfast.schedule s set waiting_slot = null, last_run_at = holdfast.now(),
    updated_at = holdfast.now() where s.id = p_schedule;
end $$;

-- Enqueues the job of a schedule now, by hand, paused or not and whatever else runs; the next slot stays as
-- it is.
-- outcome: created · deduplicated.
create or replace function holdfast.run_schedule(p_schedule bigint, p_actor text default null,
  p_reason text default null, out outcome text, out job_id bigint)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_schedule holdfast.schedule := holdfast.lock_schedule(p_schedule);
  v_enqueued record;
begin
  select m.outcome, m.job_id into v_enqueued from holdfast.enqueue_scheduled(v_schedule) m;
  outcome := v_enqueued.outcome;
  job_id := v_enqueued.job_id;
  insert into holdfast.firing (tenant, schedule_id, slot, last_slot, slots, fired_at, outcome, job_id,
    note, actor)
    values (v_schedule.tenant, p_schedule, v_now, v_now, 1, v_now, 'manual', job_id,
      nullif(concat_ws('; ', p_reason,
        case outcome when 'deduplicated' then 'a live job has its subject' end), ''), p_actor);
  update holdfast.schedule s set last_run_at = v_now, updated_at = v_now where s.id = p_schedule;
  perform holdfast.add_schedule_event('schedule_run', v_schedule.tenant, v_schedule.name, p_actor, p_reason,
    jsonb_build_object('job_id', job_id));
end $$;

-- Enqueues the job of a schedule, unless a live job has its key or its subject already. Its priority is that
-- of the schedule, else of its kind, else 20.
create or replace function holdfast.enqueue_scheduled(p_schedule holdfast.schedule, out outcome text,
  out job_id bigint)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job jsonb := jsonb_build_array(jsonb_build_object(
    'queue', p_schedule.queue, 'kind', p_schedule.kind, 'input', p_schedule.input,
    'priority', coalesce(p_schedule.priority, (select k.priority from holdfast.kind k
      where k.tenant = p_schedule.tenant and k.kind = p_schedule.kind), 20),
    'subject', p_schedule.subject, 'key', coalesce(p_schedule.key, p_schedule.subject),
    'target', p_schedule.target, 'created_by', 'schedule:' || p_schedule.name,
    'labels', jsonb_build_object('schedule', p_schedule.name)));
begin
  -- A kind that no program has declared is no reason to miss a slot: the job waits for a worker that handles
  -- it.
  select case e.status when 'created' then 'created' else 'deduplicated' end, e.job_id into outcome, job_id
    from holdfast.enqueue_many(coalesce(holdfast.with_kinds(v_job, p_schedule.tenant), v_job),
      p_schedule.tenant, p_by_kind => false) e;
end $$;

-- Jobs of the latest firings of a schedule that have not ended.
create or replace function holdfast.live_firings(p_schedule bigint) returns bigint[]
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select distinct f.job_id from (
      select x.job_id from holdfast.firing x where x.schedule_id = p_schedule and x.job_id is not null
        order by x.id desc limit 20) f
    where holdfast.state_of(f.job_id) not in ('succeeded', 'failed', 'canceled') order by f.job_id);
end $$;
