-- Puts jobs in line behind their targets, waiting for the lanes: the first of an idle target becomes claimable, the others
-- wait in order. p_queues[i], p_targets[i] name a lane; p_rows[i] is the job to put there, or null to place only arrivals.
-- All lanes are locked in one sorted pass (unsorted: endless deadlocks), without writing a new version of a row that exists.
-- Once in a transaction, and before anything else in it holds a lane: whoever waits for lanes must not hold any.
create or replace function holdfast.place_in_lanes(p_queues int[], p_targets text[], p_rows holdfast.live[]) returns int
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
    group by t.queue_id, t.target order by t.queue_id, t.target collate "C"
    on conflict (queue_id, target) do update set head = 0 where false
    returning id)
  select array_agg(id) into v_fresh from fresh;

  select array_agg(l.id) into v_lanes
    from (select distinct t.queue_id, t.target from unnest(p_queues, p_targets) t (queue_id, target)) t
    join holdfast.lane l on l.queue_id = any (array[t.queue_id]) and l.target = t.target;

  return holdfast.line_up(v_lanes, v_fresh, p_targets, p_rows);
end $$;
