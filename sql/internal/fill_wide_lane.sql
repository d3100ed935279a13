-- For a target that may run several jobs at once: takes the ended ones out of its slots and lets as many of those in line go as
-- there is room. The lane is locked by the caller. Slot 0 is `head`, slot i is more[i]; a job in slot i carries lane id + i, so
-- that the unique index on running(lane) guards each slot.
create or replace function holdfast.fill_wide_lane(p_lane bigint, p_ended bigint[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_slots bigint[];
  v_width int;
  v_next bigint;
  v_let_go int := 0;
begin
  select array(select case when h = any (p_ended) then 0 else h end from unnest(l.head || l.more) with ordinality s (h, i) order by i),
      q.max_running_per_target
    into v_slots, v_width
    from holdfast.lane l join holdfast.queue q on q.id = l.queue_id where l.id = p_lane;
  -- The limit may have been changed meanwhile: more slots at once, fewer as their jobs end.
  v_slots := v_slots || array_fill(0::bigint, array[greatest(0, v_width - cardinality(v_slots))]);
  for i in 1..least(v_width, cardinality(v_slots)) loop
    continue when v_slots[i] <> 0;
    select h.job_id into v_next from holdfast.held h where h.lane = p_lane and h.state = 'waiting' order by h.ord limit 1;
    exit when not found;
    with gone as (
      delete from holdfast.held h where h.job_id = v_next and h.state = 'waiting' returning h.*)
    insert into holdfast.ready (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed, level, since)
      select g.job_id, p_lane + i - 1, g.ord, g.queue_id, g.attempt, g.interruptions, g.priority, g.failures, g.losses, g.keyed,
        case q.order_by when 'fifo' then 0 else 100 - g.priority end, g.since
      from gone g join holdfast.queue q on q.id = g.queue_id;
    if found then
      v_slots[i] := v_next;
      v_let_go := v_let_go + 1;
    end if;
  end loop;
  if v_slots = array_fill(0::bigint, array[cardinality(v_slots)])
    and not exists (select from holdfast.held h where h.lane = p_lane and h.state = 'waiting') then
    delete from holdfast.lane l where l.id = p_lane;
  else
    update holdfast.lane l set head = v_slots[1], more = v_slots[2:] where l.id = p_lane;
  end if;
  return v_let_go;
end $$;
