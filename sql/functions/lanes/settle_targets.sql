-- Upkeep for targets: puts arrivals of callers' transactions in line, and settles lanes that settle_lanes had
-- to leave. At most p_limit targets of each. Arrivals come first, as the only step that may wait for a lane
-- (see place_arrivals).
create or replace function holdfast.settle_targets(p_limit int default 1000) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
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
    (select h.queue_id, h.target from holdfast.held h where h.state = 'waiting' and h.lane is null
      order by h.queue_id, h.target limit 1)
    union all
    select n.queue_id, n.target from arrivals a cross join lateral (
      select h.queue_id, h.target from holdfast.held h
      where h.state = 'waiting' and h.lane is null and (h.queue_id, h.target) > (a.queue_id, a.target)
      order by h.queue_id, h.target limit 1) n)
  select array_agg(s.queue_id), array_agg(s.target) into v_queues, v_targets
    from (select a.queue_id, a.target from arrivals a limit p_limit) s;
  if v_queues is not null then
    v_moved := holdfast.place_arrivals(v_queues, v_targets);
  end if;

  with todo as materialized (
    select t.ctid as tid from holdfast.lane_todo t limit p_limit for update skip locked),
  deleted as (
    delete from holdfast.lane_todo t using todo where t.ctid = todo.tid returning t.lane, t.ended)
  select array_agg(g.lane), array_agg(g.ended) into v_lanes, v_ended from deleted g;
  if v_lanes is not null then
    v_moved := v_moved + holdfast.settle_lanes(v_lanes, v_ended);
  end if;
  return v_moved;
end $$;

-- Puts arrivals in line behind the given targets without waiting for a busy lane: a claim must not wait for
-- another caller's open transaction. What is busy now is left for the next call. Missing lanes are created
-- first, in sorted order, because that can mean a short wait for another process that creates the same lane;
-- existing lanes are locked only if they are free. The other way round, two callers could wait for each
-- other.
create or replace function holdfast.place_arrivals(p_queues int[], p_targets text[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_fresh bigint[];
  v_lanes bigint[];
begin
  with new_lane as (
    insert into holdfast.lane (queue_id, target, head, more)
    select t.queue_id, t.target, 0, holdfast.extra_slots(t.queue_id)
      from unnest(p_queues, p_targets) t (queue_id, target)
    where not exists (select from holdfast.lane l where l.queue_id = t.queue_id
      and l.target = t.target offset 0)
    group by t.queue_id, t.target order by t.queue_id, t.target collate "C"
    on conflict (queue_id, target) do nothing
    returning id)
  select array_agg(id) into v_fresh from new_lane;

  select array_agg(k.id) into v_lanes
    from (select l.id from unnest(p_queues, p_targets) t (queue_id, target)
          join holdfast.lane l on l.queue_id = any (array[t.queue_id]) and l.target = t.target
            for update of l skip locked) k;
  return holdfast.append_to_lanes(v_lanes, v_fresh, '{}', '{}');
end $$;
