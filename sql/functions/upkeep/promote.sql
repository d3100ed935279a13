-- Makes due jobs claimable: at most p_limit of them, the longest due first. Any number of nodes may call it
-- at once.
create or replace function holdfast.promote(p_limit int default 1000) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_moved int;
begin
  perform holdfast.check_sight(p_all => false);
  v_moved := holdfast.promote_due(p_limit);
  if exists (select from holdfast.held h where h.state = 'waiting' and h.lane is null) then
    perform holdfast.settle_targets();
  end if;
  return v_moved;
end $$;

-- Moves at most p_limit due jobs, the longest due first; the caller puts those that arrive at a target in
-- line.
create or replace function holdfast.promote_due(p_limit int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Read once: compared with a moving clock, the index would be read past what is due, to the last delayed
  -- job.
  v_now timestamptz := holdfast.now();
  v_due bigint[];
begin
  select array_agg(p.job_id) into v_due
    from (select d.job_id from holdfast.delayed d where d.due_at <= v_now order by d.due_at limit p_limit
      for update skip locked) p;
  return case when v_due is null then 0 else holdfast.promote_jobs(v_due) end;
end $$;

-- Makes claimable what has fallen due: delayed jobs, jobs of expired leases, arrivals at targets. A cheap
-- read for each comes first, so an idle poll writes nothing; one read for all of them, because nearly always
-- there is none. Returns whether anything moved.
create or replace function holdfast.promote_due_work(p_limit int) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_moved int := 0;
begin
  if not (exists (select from holdfast.delayed d where d.due_at <= v_now)
    or exists (select from holdfast.held h where h.state = 'waiting' and h.lane is null)
      or exists (select from holdfast.lane_todo)
    or exists (select from holdfast.lease l where l.expires_at <= v_now or l.ended_at is not null)) then
    return false;
  end if;
  if exists (select from holdfast.delayed d where d.due_at <= v_now) then
    v_moved := v_moved + holdfast.promote_due(p_limit);
  end if;
  -- Before reclaim, which may lock lanes: arrivals may have to wait for one, and a transaction that waits for
  -- lanes must not hold any.
  if exists (select from holdfast.held h where h.state = 'waiting' and h.lane is null)
    or exists (select from holdfast.lane_todo) then
    v_moved := v_moved + holdfast.settle_targets(p_limit);
  end if;
  if exists (select from holdfast.lease l where l.expires_at <= v_now or l.ended_at is not null) then
    v_moved := v_moved + holdfast.reclaim(p_limit, p_orphans => false);
  end if;
  return v_moved > 0;
end $$;

-- Moves delayed jobs to `ready`; one that is due for its target for the first time arrives there instead, and
-- is put in line by the caller, who may have other lanes to lock.
create or replace function holdfast.promote_jobs(p_jobs bigint[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_moved int;
begin
  if p_jobs = '{}' then
    return 0;
  end if;
  with deleted as (
    delete from holdfast.delayed d using unnest(p_jobs) p (job_id) where d.job_id = any (array[p.job_id])
      returning d.*),
  due as materialized (
    select g.*, q.tenant, q.order_by, q.external_trigger,
      case when g.lane is null and q.serialize_targets then (select j.target from holdfast.job j
        where j.id = g.job_id) end as target
    from deleted g join holdfast.queue q on q.id = any (array[g.queue_id])),
  ready_row as (
    insert into holdfast.ready (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures,
      losses, keyed, level, since)
    select s.job_id, s.lane, s.ord, s.queue_id, s.attempt, s.interruptions, s.priority, s.failures, s.losses,
      s.keyed,
      holdfast.level_of(s.order_by, s.priority), s.due_at
    from due s where s.target is null),
  held_row as (
    insert into holdfast.held (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed,
      state, since, target)
    select s.job_id, s.queue_id, s.attempt, s.interruptions, s.priority, s.failures, s.losses, s.keyed,
      'waiting', s.due_at, s.target
    from due s where s.target is not null),
  outbox_row as (
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select s.job_id, s.queue_id, v_now, s.external_trigger from due s where s.external_trigger is not null
      and s.target is null),
  event_row as (
    insert into holdfast.event (at, tenant, type, job_ids)
    select v_now, s.tenant, 'promoted', array_agg(s.job_id) from due s group by s.tenant)
  select count(*) into v_moved from due s;
  return v_moved;
end $$;
