-- The events since a cursor, each exactly once, however late its transaction commits, and also after a crash
-- of the server.
--
-- A cursor is a snapshot. The next page is what is visible now and was not then, so an event of a transaction
-- that was still open at the last page comes when it commits, and no reader waits for it. A cursor on a bare
-- sequence would skip it for ever. Pass null to start with what happens from now on, 'all' for every stored
-- event. While a page is full, the cursor also carries its position: server~from|to|xid|id. What the calling
-- transaction itself has written comes after its commit.
--
-- A cursor passes only what is on disk (flush_wal), and names its server and timeline: transaction ids of
-- another one mean nothing here. With a cursor of another server, or of a history that this server has lost,
-- the feed restarts from now, and its first event is feed_restarted.
create or replace function holdfast.feed(p_cursor text default null, p_limit int default 500, out cursor text,
  out events jsonb)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_server text := holdfast.server_id();
  v_given text := case p_cursor when 'all' then '1:1:' else p_cursor end;
  v_part text[] := string_to_array(substr(v_given, strpos(v_given, '~') + 1), '|');
  v_now pg_snapshot;
  v_from pg_snapshot;
  v_to pg_snapshot;
  v_count int;
  v_foreign boolean := strpos(v_given, '~') > 0 and split_part(v_given, '~', 1) <> v_server;
begin
  perform holdfast.adopt_events();
  v_now := holdfast.snapshot_of_others();
  v_from := coalesce(v_part[1]::pg_snapshot, v_now);
  v_to := coalesce(v_part[2]::pg_snapshot, v_now);
  if not v_foreign and not holdfast.is_later(v_now, coalesce(v_part[2]::pg_snapshot, v_from)) then
    if pg_is_in_recovery() or current_setting('transaction_isolation') in ('repeatable read',
      'serializable') then
      -- This reader sees an older state than the cursor: there is nothing new for it.
      cursor := p_cursor;
      events := '[]';
      return;
    end if;
    v_foreign := true;
  end if;
  if v_foreign then
    perform holdfast.flush_wal();
    cursor := v_server || '~' || v_now;
    events := jsonb_build_array(to_jsonb(holdfast.feed_restart(split_part(v_given, '~', 1), v_server)));
    return;
  end if;
  select jsonb_agg(to_jsonb(p)), count(*), (array_agg(p.xid::text || '|' || p.id))[count(*)] into events,
    v_count, cursor
    from holdfast.events_between(v_from, v_to, coalesce(v_part[3]::xid8, pg_snapshot_xmin(v_from)),
      coalesce(v_part[4]::bigint, 0), p_limit) p;
  events := coalesce(events, '[]');
  cursor := v_server || '~' || case when v_count = p_limit then v_from || '|' || v_to || '|' || cursor
    else v_to::text end;
  -- Later pages stay within what the first page has flushed.
  if v_part[2] is null and (p_cursor is null or v_from::text <> v_to::text) then
    perform holdfast.flush_wal();
  end if;
end $$;

-- The event that reports that a cursor could not be followed. It is made for its reader and not stored; it
-- has no tenant, so every reader gets it.
create or replace function holdfast.feed_restart(p_from text, p_to text) returns holdfast.event
language sql
set search_path = pg_catalog, pg_temp
as $$
  select row('0'::xid8, 0::bigint, holdfast.now(), null::text, null::int, 'feed_restarted', null::bigint,
    null::bigint[], 'system',
    'The cursor is of another server, or of a history this server has lost. '
    'The feed continues from now; earlier events may be missing.',
    jsonb_build_object('from', nullif(p_from, ''), 'to', p_to), null::boolean)::holdfast.event
$$;

-- Whether everything visible in p_earlier is visible in p_later. Of two snapshots of one server's history the
-- later one always is; if it is not, a transaction id was assigned twice.
create or replace function holdfast.is_later(p_later pg_snapshot, p_earlier pg_snapshot) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select pg_snapshot_xmax(p_later) >= pg_snapshot_xmax(p_earlier)
    and not exists (select from pg_snapshot_xip(p_later) o (xid) where pg_visible_in_snapshot(o.xid,
      p_earlier))
$$;

-- Returns when everything that has ended so far is on disk; if it is there already, nothing is written.
--
-- A crash loses what was not flushed: rollbacks, which never wait for the disk, and commits with
-- synchronous_commit off. Their transaction ids are assigned again. A cursor that had passed them would take
-- the new events for seen, so a cursor passes only what a crash cannot take back. Before Postgres 17 a
-- function cannot flush by itself: there the commit of this transaction does it, and must be waited for.
create or replace function holdfast.flush_wal() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if pg_is_in_recovery() or pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() then
    return;
  elsif current_setting('server_version_num')::int >= 170000 then
    perform pg_logical_emit_message(false, 'holdfast', '', true);
  else
    perform set_config('synchronous_commit', 'on', true), pg_logical_emit_message(true, 'holdfast', '');
  end if;
end $$;

-- The server and its timeline, which changes when a standby or a backup takes over: from there on transaction
-- ids may be assigned a second time.
create or replace function holdfast.server_id() returns text
language sql
set search_path = pg_catalog, pg_temp
as $$
  select holdfast.server_system() || '.' || case
    when pg_is_in_recovery() then (select c.timeline_id::text from pg_control_checkpoint() c)
    else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int::text end
$$;

-- Which database server this is: the number that initdb gave it, which its standbys and physical copies
-- share. Transaction ids mean something only there.
create or replace function holdfast.server_system() returns text
language sql
set search_path = pg_catalog, pg_temp
as $$
  select to_hex(c.system_identifier) from pg_control_system() c
$$;
