-- Makes the next job of each target claimable, after the head of its lane ended.
--
-- p_ended[i] is the head that ended in p_lanes[i]; if the lane has another head by now, another transaction
-- has settled it. Lanes are locked with skip locked, so a finish never waits here; a busy lane is recorded in
-- lane_todo and settled by the next claim or upkeep. The lock is one statement and the read after it another:
-- read in the same statement, a job placed just before the lock was won would be invisible, its lane deleted,
-- and the job orphaned.
--
-- The next job in line may be locked by another transaction (to cancel it, say). Whether it stays is not
-- known yet, so no job behind it may pass and its lane may not be deleted: that lane, too, is recorded and
-- settled later. Lists are matched by set operations, which hash: a thousand against a thousand by `= any
-- (list)` is a million comparisons.
create or replace function holdfast.settle_lanes(p_lanes bigint[], p_ended bigint[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_locked bigint[];
  v_heads bigint[];
  v_vacant bigint[];
  v_empty bigint[];
  v_busy bigint[];
  v_wide bigint[];
  v_promoted int := 0;
begin
  select array_agg(k.id), array_agg(k.head), array_agg(k.id) filter (where k.wide) into v_locked, v_heads,
    v_wide
    from (select l.id, l.head, l.more is not null or q.max_running_per_target > 1 as wide
          from holdfast.lane l join holdfast.queue q on q.id = any (array[l.queue_id])
            where l.id = any (array(select p.lane & -1024 from unnest(p_lanes) p (lane)))
          order by l.id for update of l skip locked) k;

  insert into holdfast.lane_todo (lane, ended)
    select t.lane, t.ended from unnest(p_lanes, p_ended) t (lane, ended)
    join holdfast.lane l on l.id = any (array[t.lane & -1024])
    where coalesce(cardinality(v_locked), 0) < cardinality(p_lanes) and l.id <> all (coalesce(v_locked, '{}'))
      and t.ended in (0, case t.lane & 1023 when 0 then l.head else l.more[t.lane & 1023] end);

  if v_wide is not null then
    select sum(holdfast.fill_wide_lane(w.lane, array(select t.ended from unnest(p_lanes, p_ended) t (lane,
      ended) where t.lane & -1024 = w.lane)))
      into v_promoted from unnest(v_wide) w (lane);
  end if;

  select array_agg(k.id) into v_vacant
    from (select x.id, x.head from unnest(v_locked, v_heads) x (id, head)
          intersect select t.lane, t.ended from unnest(p_lanes, p_ended) t (lane, ended)) k
    where v_wide is null or k.id <> all (v_wide);
  if v_vacant is null then
    return v_promoted;
  end if;

  with next as materialized (
    select v.lane, n.job_id from unnest(v_vacant) v (lane) cross join lateral (
      select h.job_id from holdfast.held h where h.lane = v.lane and h.state = 'waiting'
      order by h.ord limit 1) n),
  free as materialized (
    select h.job_id from next n join holdfast.held h on h.job_id = any (array[n.job_id])
      and h.state = 'waiting' for update of h skip locked),
  deleted as (
    delete from holdfast.held h using free f where h.job_id = any (array[f.job_id]) returning h.*),
  ready_row as (
    insert into holdfast.ready (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures,
      losses, keyed, level, since)
    select g.job_id, g.lane, g.ord, g.queue_id, g.attempt, g.interruptions, g.priority, g.failures, g.losses,
      g.keyed,
      holdfast.level_of(q.order_by, g.priority), g.since
    from deleted g join holdfast.queue q on q.id = any (array[g.queue_id])
    returning job_id, lane, queue_id),
  outbox_row as (
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select c.job_id, c.queue_id, holdfast.now(), q.external_trigger
    from ready_row c join holdfast.queue q on q.id = any (array[c.queue_id])
      and q.external_trigger is not null),
  new_head as (
    update holdfast.lane l set head = c.job_id from ready_row c where l.id = any (array[c.lane])
      returning l.id)
  select array(select v.lane from unnest(v_vacant) v (lane) except select n.lane from next n),
      array(select n.lane from next n except select h.id from new_head h), v_promoted + (select count(*)
        from new_head)
    into v_empty, v_busy, v_promoted;

  if v_busy <> '{}' then
    insert into holdfast.lane_todo (lane, ended) select l.id, l.head from holdfast.lane l
      where l.id = any (v_busy);
  end if;
  delete from holdfast.lane l where l.id = any (v_empty);
  return v_promoted;
end $$;

-- settle_lanes for a target that may run several jobs at once: clears the slots of ended jobs and makes as
-- many waiting jobs claimable as there are free slots, in order. The caller has locked the lane. Slot 0 is
-- `head`, slot i is more[i]; a job in slot i carries lane id + i, so that the unique index on running(lane)
-- guards each slot.
--
-- The limit may have changed meanwhile: several jobs start at once, or none until enough have ended. The next
-- job in line may be locked by another transaction (to cancel it, say): no job passes it, and the lane is
-- recorded in lane_todo, without a job, to be settled again.
create or replace function holdfast.fill_wide_lane(p_lane bigint, p_ended bigint[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before bigint[];
  v_slots bigint[];
  v_free int;
  v_next bigint;
  v_promoted int := 0;
begin
  select s.were, array(select case when h = any (p_ended) then 0 else h end
    from unnest(s.were) with ordinality u (h, i) order by i)
        || array_fill(0::bigint, array[greatest(0, q.max_running_per_target - cardinality(s.were))]),
          q.max_running_per_target
    into v_before, v_slots, v_free
    from holdfast.lane l join holdfast.queue q on q.id = l.queue_id cross join lateral (select l.head
      || l.more as were) s where l.id = p_lane;
  v_free := v_free - cardinality(array_remove(v_slots, 0));
  for i in 1..cardinality(v_slots) loop
    exit when v_free <= 0;
    continue when v_slots[i] <> 0;
    select h.job_id into v_next from holdfast.held h where h.lane = p_lane and h.state = 'waiting'
      order by h.ord limit 1;
    exit when not found;
    perform from holdfast.held h where h.job_id = v_next and h.state = 'waiting' for update skip locked;
    if not found then
      insert into holdfast.lane_todo (lane, ended) values (p_lane, 0);
      exit;
    end if;
    with deleted as (
      delete from holdfast.held h where h.job_id = v_next returning h.*),
    outbox_row as (
      insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
      select g.job_id, q.id, holdfast.now(), q.external_trigger
      from deleted g join holdfast.queue q on q.id = g.queue_id and q.external_trigger is not null)
    insert into holdfast.ready (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures,
      losses, keyed, level, since)
      select g.job_id, p_lane + i - 1, g.ord, g.queue_id, g.attempt, g.interruptions, g.priority, g.failures,
        g.losses, g.keyed,
        holdfast.level_of(q.order_by, g.priority), g.since
      from deleted g join holdfast.queue q on q.id = g.queue_id;
    v_slots[i] := v_next;
    v_free := v_free - 1;
    v_promoted := v_promoted + 1;
  end loop;
  if 0 = all (v_slots) and not exists (select from holdfast.held h where h.lane = p_lane
    and h.state = 'waiting') then
    delete from holdfast.lane l where l.id = p_lane;
  elsif v_slots <> v_before then
    update holdfast.lane l set head = v_slots[1], more = v_slots[2:] where l.id = p_lane;
  end if;
  return v_promoted;
end $$;
