-- Lets the next job of each target go, after the head of its lane ended.
--
-- p_ended[i] is the head that ended in p_lanes[i]; if the lane has another head by now, somebody settled it before us.
-- Lanes are taken skip locked, so a finish never waits for anybody here; a lane that is busy is noted in lane_todo and
-- settled by whoever comes next. The lock is one statement and the look behind it another: read in the same statement, a
-- job placed just before the lock was won would be invisible, its lane deleted, and the job orphaned.
-- The next in line may be in somebody's hands (being canceled, say). Whether it stays is not known yet, so nobody behind it
-- may pass and its lane may not go: that lane, too, is noted and settled later.
-- Lists are matched by set operations, which hash: a thousand against a thousand by `= any (list)` is a million comparisons.
create or replace function holdfast.settle_lanes(p_lanes bigint[], p_ended bigint[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_locked bigint[];
  v_heads bigint[];
  v_vacant bigint[];
  v_empty bigint[];
  v_busy bigint[];
  v_wide bigint[];
  v_let_go int := 0;
begin
  select array_agg(k.id), array_agg(k.head), array_agg(k.id) filter (where k.wide) into v_locked, v_heads, v_wide
    from (select l.id, l.head, l.more is not null or q.max_running_per_target > 1 as wide
          from holdfast.lane l join holdfast.queue q on q.id = any (array[l.queue_id]) where l.id = any (array(select p.lane & -1024 from unnest(p_lanes) p (lane)))
          order by l.id for update of l skip locked) k;

  insert into holdfast.lane_todo (lane, ended)
    select t.lane, t.ended from unnest(p_lanes, p_ended) t (lane, ended)
    join holdfast.lane l on l.id = any (array[t.lane & -1024])
    where coalesce(cardinality(v_locked), 0) < cardinality(p_lanes) and l.id <> all (coalesce(v_locked, '{}'))
      and t.ended in (0, case t.lane & 1023 when 0 then l.head else l.more[t.lane & 1023] end);

  if v_wide is not null then
    select sum(holdfast.fill_wide_lane(w.lane, array(select t.ended from unnest(p_lanes, p_ended) t (lane, ended) where t.lane & -1024 = w.lane)))
      into v_let_go from unnest(v_wide) w (lane);
  end if;

  select array_agg(k.id) into v_vacant
    from (select x.id, x.head from unnest(v_locked, v_heads) x (id, head)
          intersect select t.lane, t.ended from unnest(p_lanes, p_ended) t (lane, ended)) k
    where v_wide is null or k.id <> all (v_wide);
  if v_vacant is null then
    return v_let_go;
  end if;

  with next as materialized (
    select v.lane, n.job_id from unnest(v_vacant) v (lane) cross join lateral (
      select h.job_id from holdfast.held h where h.lane = v.lane and h.state = 'waiting' order by h.ord limit 1) n),
  free as materialized (
    select h.job_id from next n join holdfast.held h on h.job_id = any (array[n.job_id]) and h.state = 'waiting' for update of h skip locked),
  gone as (
    delete from holdfast.held h using free f where h.job_id = any (array[f.job_id]) returning h.*),
  came as (
    insert into holdfast.ready (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed, level, since)
    select g.job_id, g.lane, g.ord, g.queue_id, g.attempt, g.interruptions, g.priority, g.failures, g.losses, g.keyed,
      case q.order_by when 'fifo' then 0 else 100 - g.priority end, g.since
    from gone g join holdfast.queue q on q.id = any (array[g.queue_id])
    returning job_id, lane, queue_id),
  called as (
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select c.job_id, c.queue_id, holdfast.now(), q.external_trigger
    from came c join holdfast.queue q on q.id = any (array[c.queue_id]) and q.external_trigger is not null),
  headed as (
    update holdfast.lane l set head = c.job_id from came c where l.id = any (array[c.lane]) returning l.id)
  select array(select v.lane from unnest(v_vacant) v (lane) except select n.lane from next n),
      array(select n.lane from next n except select h.id from headed h), v_let_go + (select count(*) from headed)
    into v_empty, v_busy, v_let_go;

  if v_busy <> '{}' then
    insert into holdfast.lane_todo (lane, ended) select l.id, l.head from holdfast.lane l where l.id = any (v_busy);
  end if;
  delete from holdfast.lane l where l.id = any (v_empty);
  return v_let_go;
end $$;
