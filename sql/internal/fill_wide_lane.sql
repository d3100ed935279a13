-- For a target that may run several jobs at once: takes the ended ones out of its slots and lets as many of those in line go as
-- there is room, in order. The lane is locked by the caller. Slot 0 is `head`, slot i is more[i]; a job in slot i carries lane
-- id + i, so that the unique index on running(lane) guards each slot.
-- The limit may have been changed meanwhile: more go at once, or none until enough have ended. The next in line may be in somebody's
-- hands (being canceled, say): nobody passes it, and the lane is noted in lane_todo, with no job, to be looked at again.
create or replace function holdfast.fill_wide_lane(p_lane bigint, p_ended bigint[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_were bigint[];
  v_slots bigint[];
  v_room int;
  v_next bigint;
  v_let_go int := 0;
begin
  select s.were, array(select case when h = any (p_ended) then 0 else h end from unnest(s.were) with ordinality u (h, i) order by i)
        || array_fill(0::bigint, array[greatest(0, q.max_running_per_target - cardinality(s.were))]), q.max_running_per_target
    into v_were, v_slots, v_room
    from holdfast.lane l join holdfast.queue q on q.id = l.queue_id cross join lateral (select l.head || l.more as were) s where l.id = p_lane;
  v_room := v_room - cardinality(array_remove(v_slots, 0));
  for i in 1..cardinality(v_slots) loop
    exit when v_room <= 0;
    continue when v_slots[i] <> 0;
    select h.job_id into v_next from holdfast.held h where h.lane = p_lane and h.state = 'waiting' order by h.ord limit 1;
    exit when not found;
    perform from holdfast.held h where h.job_id = v_next and h.state = 'waiting' for update skip locked;
    if not found then
      insert into holdfast.lane_todo (lane, ended) values (p_lane, 0);
      exit;
    end if;
    with gone as (
      delete from holdfast.held h where h.job_id = v_next returning h.*),
    called as (
      insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
      select g.job_id, q.id, holdfast.now(), q.external_trigger
      from gone g join holdfast.queue q on q.id = g.queue_id and q.external_trigger is not null)
    insert into holdfast.ready (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed, level, since)
      select g.job_id, p_lane + i - 1, g.ord, g.queue_id, g.attempt, g.interruptions, g.priority, g.failures, g.losses, g.keyed,
        case q.order_by when 'fifo' then 0 else 100 - g.priority end, g.since
      from gone g join holdfast.queue q on q.id = g.queue_id;
    v_slots[i] := v_next;
    v_room := v_room - 1;
    v_let_go := v_let_go + 1;
  end loop;
  if 0 = all (v_slots) and not exists (select from holdfast.held h where h.lane = p_lane and h.state = 'waiting') then
    delete from holdfast.lane l where l.id = p_lane;
  elsif v_slots <> v_were then
    update holdfast.lane l set head = v_slots[1], more = v_slots[2:] where l.id = p_lane;
  end if;
  return v_let_go;
end $$;
