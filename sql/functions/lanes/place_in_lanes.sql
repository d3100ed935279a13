-- Puts jobs in line behind their targets, waiting for the lanes: the first job of an idle target becomes
-- claimable, the others wait in order. p_queues[i], p_targets[i] name a lane; p_rows[i] is the job to put
-- there, or null to place only arrivals.
--
-- All lanes are locked in one sorted pass (unsorted: endless deadlocks), without writing a new version of an
-- existing row. Once in a transaction, and before anything else in it locks a lane: a transaction that waits
-- for lanes must not hold any.
create or replace function holdfast.place_in_lanes(p_queues int[], p_targets text[], p_rows holdfast.live[])
  returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_fresh bigint[];
  v_lanes bigint[];
begin
  with new_lane as (
    insert into holdfast.lane (queue_id, target, head, more)
    select t.queue_id, t.target, 0, holdfast.extra_slots(t.queue_id)
      from unnest(p_queues, p_targets) t (queue_id, target)
    group by t.queue_id, t.target order by t.queue_id, t.target collate "C"
    on conflict (queue_id, target) do update set head = 0 where false
    returning id)
  select array_agg(id) into v_fresh from new_lane;

  select array_agg(l.id) into v_lanes
    from (select distinct t.queue_id, t.target from unnest(p_queues, p_targets) t (queue_id, target)) t
    join holdfast.lane l on l.queue_id = any (array[t.queue_id]) and l.target = t.target;

  return holdfast.append_to_lanes(v_lanes, v_fresh, p_targets, p_rows);
end $$;

-- Appends jobs to lanes that the caller has locked: first those that arrived in callers' transactions or fell
-- due, then p_rows[i] for p_targets[i]. The first at a new lane becomes claimable, the others wait in order.
--
-- The order number is drawn after the lock, in a later statement: drawn before, two enqueuers could get the
-- lock in the other order, and a job would wait for ever behind one that is not there. An arrival that
-- another transaction has locked (to cancel it, say) is not waited for, because that transaction may be
-- waiting for this lane; the next call places it.
create or replace function holdfast.append_to_lanes(p_lanes bigint[], p_fresh bigint[], p_targets text[],
  p_rows holdfast.live[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_placed int;
begin
  with arrival as materialized (
    select h.job_id from holdfast.lane l cross join lateral (
      select h.job_id from holdfast.held h where h.queue_id = l.queue_id and h.target = l.target
        and h.state = 'waiting' and h.lane is null
      for update skip locked) h
    where l.id = any (p_lanes)),
  deleted as (
    delete from holdfast.held h using arrival where h.job_id = any (array[arrival.job_id])
    returning h.job_id, h.queue_id, h.attempt, h.interruptions, h.priority, h.failures, h.losses, h.keyed,
      h.target, h.since),
  incoming as (
    select a.*, 0 as turn from deleted a
    union all
    select r.job_id, r.queue_id, r.attempt, r.interruptions, r.priority, r.failures, r.losses, r.keyed,
      r.target, null::timestamptz, 1
    from unnest(p_targets, p_rows) r (target, job_id, lane, ord, queue_id, attempt, interruptions, priority,
      failures, losses, keyed)
    where r.job_id is not null),
  placed as materialized (
    select s.*, nextval('holdfast.lane_ord_seq') as ord
    from (select c.*, l.id as lane, l.id = any (coalesce(p_fresh, '{}'))
      and row_number() over (partition by c.queue_id, c.target order by c.turn, c.job_id) = 1 as heads
          from incoming c join holdfast.lane l on l.queue_id = any (array[c.queue_id]) and l.target = c.target
          order by c.turn, c.job_id) s),
  new_head as (
    update holdfast.lane l set head = s.job_id from placed s where s.heads and l.id = any (array[s.lane])),
  ready_row as (
    insert into holdfast.ready (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures,
      losses, keyed, level, since)
    select s.job_id, s.lane, s.ord, s.queue_id, s.attempt, s.interruptions, s.priority, s.failures, s.losses,
      s.keyed,
      holdfast.level_of(q.order_by, s.priority), coalesce(s.since, holdfast.now())
    from placed s join holdfast.queue q on q.id = any (array[s.queue_id]) where s.heads),
  outbox_row as (
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select s.job_id, s.queue_id, holdfast.now(), q.external_trigger
    from placed s join holdfast.queue q on q.id = any (array[s.queue_id]) and q.external_trigger is not null
      where s.heads),
  held_row as (
    insert into holdfast.held (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures,
      losses, keyed, state, since, reason)
    select s.job_id, s.lane, s.ord, s.queue_id, s.attempt, s.interruptions, s.priority, s.failures, s.losses,
      s.keyed,
      'waiting', coalesce(s.since, holdfast.now()), null
    from placed s where not s.heads)
  select count(*) into v_placed from placed;

  perform holdfast.fill_wide_lane(l.id, '{}') from holdfast.lane l
    join holdfast.queue q on q.id = any (array[l.queue_id])
    where l.id = any (p_lanes) and (l.more is not null or q.max_running_per_target > 1);

  -- A new lane without a job (another call has placed its arrivals meanwhile) must not stay behind headless.
  delete from holdfast.lane l where l.id = any (p_fresh) and l.head = 0 and l.more is null;
  return v_placed;
end $$;

-- The slots of a new lane beside its head: none where a target runs one job at a time.
create or replace function holdfast.extra_slots(p_queue int) returns bigint[]
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case when q.max_running_per_target > 1 then array_fill(0::bigint,
    array[q.max_running_per_target - 1]) end
  from holdfast.queue q where q.id = p_queue
$$;
