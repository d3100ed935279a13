-- Upkeep for targets: places what callers' transactions left for their targets, and finishes what settle_lanes had to leave.
-- At most p_limit targets of each. Arrivals come first, as the only step that may wait for a lane (see place_arrivals).
create or replace function holdfast.settle_targets(p_limit int default 1000) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_queues int[];
  v_targets text[];
  v_lanes bigint[];
  v_ended bigint[];
  v_moved int := 0;
begin
  perform holdfast.check_sight(p_all => false);
  -- Target by target, not job by job: a thousand arrivals at one busy target must not hide the others.
  with recursive arrivals as (
    (select h.queue_id, h.target from holdfast.held h where h.state = 'waiting' and h.lane is null order by h.queue_id, h.target limit 1)
    union all
    select n.queue_id, n.target from arrivals a cross join lateral (
      select h.queue_id, h.target from holdfast.held h
      where h.state = 'waiting' and h.lane is null and (h.queue_id, h.target) > (a.queue_id, a.target)
      order by h.queue_id, h.target limit 1) n)
  select array_agg(s.queue_id), array_agg(s.target) into v_queues, v_targets from (select a.queue_id, a.target from arrivals a limit p_limit) s;
  if v_queues is not null then
    v_moved := holdfast.place_arrivals(v_queues, v_targets);
  end if;

  with todo as materialized (
    select t.ctid as tid from holdfast.lane_todo t limit p_limit for update skip locked),
  gone as (
    delete from holdfast.lane_todo t using todo where t.ctid = todo.tid returning t.lane, t.ended)
  select array_agg(g.lane), array_agg(g.ended) into v_lanes, v_ended from gone g;
  if v_lanes is not null then
    v_moved := v_moved + holdfast.settle_lanes(v_lanes, v_ended);
  end if;
  return v_moved;
end $$;
