-- The server and its timeline, which changes when a standby or a backup takes over: from there on transaction ids may be given out a second time.
create or replace function holdfast.server_id() returns text
language sql
set search_path = pg_catalog, pg_temp
as $$
  select holdfast.server_system() || '.' || case
    when pg_is_in_recovery() then (select c.timeline_id::text from pg_control_checkpoint() c)
    else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int::text end
$$;
