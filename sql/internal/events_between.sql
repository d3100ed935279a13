-- Events that are visible in p_to and were not in p_from, in their order, after (p_xid, p_id), at most p_limit: what the feed and whoever counts
-- along read page by page.
--
-- What was not visible then is what was still open then, looked up transaction by transaction, and what began since. To filter
-- everything after the oldest open one would read the same events again and again for as long as that one stays open.
create or replace function holdfast.events_between(p_from pg_snapshot, p_to pg_snapshot, p_xid xid8, p_id bigint, p_limit int) returns setof holdfast.event
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_since xid8 := greatest(p_xid, pg_snapshot_xmax(p_from));
  v_since_id bigint := case when v_since = p_xid then p_id else 0 end;
begin
  return query
    select u.* from (
      select e.* from pg_snapshot_xip(p_from) o (xid) cross join lateral (
        select e.* from holdfast.event e where e.xid = o.xid and e.id > case when o.xid = p_xid then p_id else 0 end
        order by e.xid, e.id limit p_limit) e
      where o.xid >= p_xid and pg_visible_in_snapshot(o.xid, p_to)
      union all (
        select e.* from holdfast.event e
        where (e.xid, e.id) > (v_since, v_since_id) and e.xid < pg_snapshot_xmax(p_to) and pg_visible_in_snapshot(e.xid, p_to)
        order by e.xid, e.id limit p_limit)) u
    order by u.xid, u.id limit p_limit;
end $$;
