-- Puts arrivals in line behind the given targets without waiting for a busy lane: a claim must not stand behind somebody's
-- open transaction. What is busy now is left for the next call.
-- Missing lanes are made first, in sorted order, because that can mean a short wait for another who makes the same lane;
-- lanes that are there are only taken when free. The other way round, two callers could wait for each other.
create or replace function holdfast.place_arrivals(p_queues int[], p_targets text[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_fresh bigint[];
  v_lanes bigint[];
begin
  with fresh as (
    insert into holdfast.lane (queue_id, target, head, more)
    select t.queue_id, t.target, 0, holdfast.extra_slots(t.queue_id) from unnest(p_queues, p_targets) t (queue_id, target)
    where not exists (select from holdfast.lane l where l.queue_id = t.queue_id and l.target = t.target offset 0)
    group by t.queue_id, t.target order by t.queue_id, t.target collate "C"
    on conflict (queue_id, target) do nothing
    returning id)
  select array_agg(id) into v_fresh from fresh;

  select array_agg(k.id) into v_lanes
    from (select l.id from unnest(p_queues, p_targets) t (queue_id, target)
          join holdfast.lane l on l.queue_id = any (array[t.queue_id]) and l.target = t.target for update of l skip locked) k;
  return holdfast.line_up(v_lanes, v_fresh, '{}', '{}');
end $$;
