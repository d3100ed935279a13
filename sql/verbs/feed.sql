-- What happened since a cursor, each event exactly once, however late its transaction commits, and also after a crash of the server.
--
-- A cursor is a snapshot. The next page is what is visible now and was not then, so an event of a transaction that was still
-- open at the last look comes when it commits, and nobody waits for it. A cursor on a bare sequence would skip it for ever.
-- Pass null to start with what happens from now on, 'all' for everything kept. While a page is full, the cursor also
-- remembers how far it came: server~from|to|xid|id. What the calling transaction has written itself comes after its commit.
--
-- A cursor passes only what is on disk (flush_wal), and names its server and timeline: transaction ids of another one mean nothing here. With a cursor of
-- another server, or one this server has no memory of, the feed starts over from now, and its first event says so: feed_restarted.
create or replace function holdfast.feed(p_cursor text default null, p_limit int default 500, out cursor text, out events jsonb)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_server text := holdfast.server_id();
  v_given text := case p_cursor when 'all' then '1:1:' else p_cursor end;
  v_part text[] := string_to_array(substr(v_given, strpos(v_given, '~') + 1), '|');
  v_now pg_snapshot;
  v_from pg_snapshot;
  v_to pg_snapshot;
  v_count int;
  v_is_foreign boolean := strpos(v_given, '~') > 0 and split_part(v_given, '~', 1) <> v_server;
begin
  perform holdfast.adopt_events();
  v_now := holdfast.snapshot_of_others();
  v_from := coalesce(v_part[1]::pg_snapshot, v_now);
  v_to := coalesce(v_part[2]::pg_snapshot, v_now);
  if not v_is_foreign and not holdfast.is_later(v_now, coalesce(v_part[2]::pg_snapshot, v_from)) then
    if pg_is_in_recovery() or current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
      -- This reader looks at an older state than the one who made the cursor did: there is nothing new for it.
      cursor := p_cursor;
      events := '[]';
      return;
    end if;
    v_is_foreign := true;
  end if;
  if v_is_foreign then
    perform holdfast.flush_wal();
    cursor := v_server || '~' || v_now;
    events := jsonb_build_array(to_jsonb(holdfast.restart_of_feed(split_part(v_given, '~', 1), v_server)));
    return;
  end if;
  select jsonb_agg(to_jsonb(p)), count(*), (array_agg(p.xid::text || '|' || p.id))[count(*)] into events, v_count, cursor
    from holdfast.events_between(v_from, v_to, coalesce(v_part[3]::xid8, pg_snapshot_xmin(v_from)), coalesce(v_part[4]::bigint, 0), p_limit) p;
  events := coalesce(events, '[]');
  cursor := v_server || '~' || case when v_count = p_limit then v_from || '|' || v_to || '|' || cursor else v_to::text end;
  -- A page in the middle stays within what its first page has flushed.
  if v_part[2] is null and (p_cursor is null or v_from::text <> v_to::text) then
    perform holdfast.flush_wal();
  end if;
end $$;
