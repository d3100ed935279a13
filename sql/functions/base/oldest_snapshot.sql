-- The transaction that has kept its snapshot longest. Rows deleted since cannot be vacuumed, so queues get
-- slow. Measured by the server's own clock, like the times it is compared with. A role that may not read the
-- statistics of others sees its own transactions only.
create or replace function holdfast.oldest_snapshot() returns table (age_sec numeric, pid int, who text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select extract(epoch from clock_timestamp() - o.since), o.pid, o.who
  from (
    select a.xact_start as since, a.pid, concat_ws(' ', a.usename, a.application_name) as who
      from pg_stat_activity a
      where a.datname = current_database() and (a.backend_xmin is not null or a.backend_xid is not null)
        and a.pid <> pg_backend_pid()
    union all
    select p.prepared, null, 'prepared transaction ' || p.gid from pg_prepared_xacts p
      where p.database = current_database()) o
  where o.since is not null
  order by o.since limit 1
$$;
