-- What happened since a cursor, each event exactly once, however late its transaction commits.
--
-- A cursor is a snapshot. The next page is what is visible now and was not then, so an event of a transaction that was still
-- open at the last look comes when it commits, and nobody waits for it. A cursor on a bare sequence would skip it for ever.
-- Pass null to start with what happens from now on, 'all' for everything kept. While a page is full, the cursor also
-- remembers how far it came: from|to|xid|id.
create or replace function holdfast.feed(p_cursor text default null, p_limit int default 500, out cursor text, out events jsonb)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_part text[] := string_to_array(case p_cursor when 'all' then '1:1:' else p_cursor end, '|');
  v_from pg_snapshot := coalesce(v_part[1]::pg_snapshot, pg_current_snapshot());
  v_to pg_snapshot := coalesce(v_part[2]::pg_snapshot, pg_current_snapshot());
  v_xid xid8 := coalesce(v_part[3]::xid8, pg_snapshot_xmin(v_from));
  v_id bigint := coalesce(v_part[4]::bigint, 0);
  v_count int;
begin
  select jsonb_agg(to_jsonb(p)), count(*), (array_agg(p.xid::text || '|' || p.id))[count(*)] into events, v_count, cursor
    from holdfast.events_between(v_from, v_to, v_xid, v_id, p_limit) p;
  events := coalesce(events, '[]');
  cursor := case when v_count = p_limit then v_from || '|' || v_to || '|' || cursor else v_to::text end;
end $$;
