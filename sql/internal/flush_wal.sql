-- Returns when everything that has ended so far is on disk; where it is there already, nothing is written.
--
-- A crash forgets what was not flushed: rollbacks, which never wait for the disk, and commits that did not want to. Their transaction ids are given out
-- again. A cursor that had passed them would take the new events for seen, so a cursor passes only what a crash cannot take back.
-- Before Postgres 17 a function cannot flush by itself: there the commit of this transaction does it, and must be waited for.
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
