-- Puts jobs in line behind their targets: the first of an idle target becomes claimable, the others wait in order.
--
-- p_queues[i], p_targets[i] name a lane; p_rows[i] is the job to put there, or null to place only those that arrived in a
-- caller's transaction. All lanes are locked in one sorted pass (unsorted: endless deadlocks), without writing a new
-- version of a row that exists. The order number is drawn after the lock, in a later statement: drawn before, two
-- enqueuers could take the lock in the other order and a job would wait behind nobody for ever.
create or replace function holdfast.place_in_lanes(p_queues int[], p_targets text[], p_rows holdfast.live[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_fresh bigint[];
  v_lanes bigint[];
  v_placed int;
begin
  with fresh as (
    insert into holdfast.lane (queue_id, target, head, more)
    select t.queue_id, t.target, 0, case when q.max_running_per_target > 1 then array_fill(0::bigint, array[q.max_running_per_target - 1]) end
    from (select distinct u.queue_id, u.target from unnest(p_queues, p_targets) u (queue_id, target)) t
    join holdfast.queue q on q.id = t.queue_id order by t.queue_id, t.target collate "C"
    on conflict (queue_id, target) do update set head = 0 where false
    returning id)
  select array_agg(id) into v_fresh from fresh;

  select array_agg(l.id) into v_lanes
    from (select distinct t.queue_id, t.target from unnest(p_queues, p_targets) t (queue_id, target)) t
    join holdfast.lane l on l.queue_id = t.queue_id and l.target = t.target;

  with arrived as (
    delete from holdfast.held h using (select l.queue_id, l.target from holdfast.lane l where l.id = any (v_lanes)) l
    where h.state = 'waiting' and h.lane is null and h.queue_id = l.queue_id and h.target = l.target
    returning h.job_id, h.queue_id, h.attempt, h.interruptions, h.priority, h.failures, h.losses, h.keyed, h.target, h.since),
  coming as (
    select a.*, 0 as turn from arrived a
    union all
    select r.job_id, r.queue_id, r.attempt, r.interruptions, r.priority, r.failures, r.losses, r.keyed, r.target, null::timestamptz, 1
    from unnest(p_targets, p_rows) r (target, job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed)
    where r.job_id is not null),
  lined as materialized (
    select s.*, nextval('holdfast.lane_ord_seq') as ord
    from (select c.*, l.id as lane from coming c join holdfast.lane l on l.queue_id = c.queue_id and l.target = c.target
          order by c.turn, c.job_id) s),
  headed as materialized (
    select distinct on (s.lane) s.lane, s.job_id from lined s where s.lane = any (v_fresh) order by s.lane, s.ord),
  crowned as (
    update holdfast.lane l set head = h.job_id from headed h where l.id = h.lane),
  first as (
    insert into holdfast.ready (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed, level, since)
    select s.job_id, s.lane, s.ord, s.queue_id, s.attempt, s.interruptions, s.priority, s.failures, s.losses, s.keyed,
      case q.order_by when 'fifo' then 0 else 100 - s.priority end, coalesce(s.since, holdfast.now())
    from lined s join headed h on h.job_id = s.job_id join holdfast.queue q on q.id = s.queue_id),
  rest as (
    insert into holdfast.held (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed, state, since, reason)
    select s.job_id, s.lane, s.ord, s.queue_id, s.attempt, s.interruptions, s.priority, s.failures, s.losses, s.keyed,
      'waiting', coalesce(s.since, holdfast.now()), null
    from lined s where not exists (select from headed h where h.job_id = s.job_id))
  select count(*) into v_placed from lined;

  perform holdfast.fill_wide_lane(l.id, '{}') from holdfast.lane l where l.id = any (v_lanes) and l.more is not null order by l.id;

  -- A lane nobody came to (its arrivals were placed by another in the meantime) must not stay behind headless.
  delete from holdfast.lane l where l.id = any (v_fresh) and l.head = 0 and l.more is null;
  return v_placed;
end $$;
