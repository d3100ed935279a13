-- Upkeep for targets: places what callers' transactions left for their targets, and finishes what settle_lanes had to leave. Bounded.
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
  with todo as materialized (
    select t.ctid as tid from holdfast.lane_todo t limit p_limit for update skip locked),
  gone as (
    delete from holdfast.lane_todo t using todo where t.ctid = todo.tid returning t.lane, t.ended)
  select array_agg(g.lane), array_agg(g.ended) into v_lanes, v_ended from gone g;
  if v_lanes is not null then
    v_moved := holdfast.settle_lanes(v_lanes, v_ended);
  end if;

  select array_agg(a.queue_id), array_agg(a.target) into v_queues, v_targets
    from (select distinct s.queue_id, s.target
          from (select h.queue_id, h.target from holdfast.held h where h.state = 'waiting' and h.lane is null
                order by h.queue_id, h.target, h.job_id limit p_limit) s) a;
  if v_queues is not null then
    v_moved := v_moved + holdfast.place_in_lanes(v_queues, v_targets, '{}');
  end if;
  return v_moved;
end $$;
