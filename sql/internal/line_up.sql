-- Gives jobs their place behind targets whose lanes the caller has locked: first those that arrived in callers' transactions
-- or fell due, then p_rows[i] for p_targets[i]. The first at a fresh lane becomes claimable, the others wait in order.
-- The order number is drawn after the lock, in a later statement: drawn before, two enqueuers could take the lock in the other
-- order and a job would wait behind nobody for ever. An arrival in somebody's hands (being canceled, say) is not waited for:
-- who holds it may be waiting for this lane. It is placed by whoever comes next.
create or replace function holdfast.line_up(p_lanes bigint[], p_fresh bigint[], p_targets text[], p_rows holdfast.live[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_placed int;
begin
  with here as materialized (
    select h.job_id from holdfast.lane l cross join lateral (
      select h.job_id from holdfast.held h where h.queue_id = l.queue_id and h.target = l.target and h.state = 'waiting' and h.lane is null
      for update skip locked) h
    where l.id = any (p_lanes)),
  arrived as (
    delete from holdfast.held h using here where h.job_id = any (array[here.job_id])
    returning h.job_id, h.queue_id, h.attempt, h.interruptions, h.priority, h.failures, h.losses, h.keyed, h.target, h.since),
  coming as (
    select a.*, 0 as turn from arrived a
    union all
    select r.job_id, r.queue_id, r.attempt, r.interruptions, r.priority, r.failures, r.losses, r.keyed, r.target, null::timestamptz, 1
    from unnest(p_targets, p_rows) r (target, job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed)
    where r.job_id is not null),
  lined as materialized (
    select s.*, nextval('holdfast.lane_ord_seq') as ord
    from (select c.*, l.id as lane, l.id = any (coalesce(p_fresh, '{}')) and row_number() over (partition by c.queue_id, c.target order by c.turn, c.job_id) = 1 as heads
          from coming c join holdfast.lane l on l.queue_id = any (array[c.queue_id]) and l.target = c.target
          order by c.turn, c.job_id) s),
  crowned as (
    update holdfast.lane l set head = s.job_id from lined s where s.heads and l.id = any (array[s.lane])),
  first as (
    insert into holdfast.ready (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed, level, since)
    select s.job_id, s.lane, s.ord, s.queue_id, s.attempt, s.interruptions, s.priority, s.failures, s.losses, s.keyed,
      case q.order_by when 'fifo' then 0 else 100 - s.priority end, coalesce(s.since, holdfast.now())
    from lined s join holdfast.queue q on q.id = any (array[s.queue_id]) where s.heads),
  called as (
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select s.job_id, s.queue_id, holdfast.now(), q.external_trigger
    from lined s join holdfast.queue q on q.id = any (array[s.queue_id]) and q.external_trigger is not null where s.heads),
  rest as (
    insert into holdfast.held (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed, state, since, reason)
    select s.job_id, s.lane, s.ord, s.queue_id, s.attempt, s.interruptions, s.priority, s.failures, s.losses, s.keyed,
      'waiting', coalesce(s.since, holdfast.now()), null
    from lined s where not s.heads)
  select count(*) into v_placed from lined;

  perform holdfast.fill_wide_lane(l.id, '{}') from holdfast.lane l join holdfast.queue q on q.id = any (array[l.queue_id])
    where l.id = any (p_lanes) and (l.more is not null or q.max_running_per_target > 1);

  -- A lane nobody came to (its arrivals were placed by another in the meantime) must not stay behind headless.
  delete from holdfast.lane l where l.id = any (p_fresh) and l.head = 0 and l.more is null;
  return v_placed;
end $$;
