-- Since when this server accepts writes. While it was down no worker could renew a lease, so a lease that
-- expired meanwhile proves nothing about its worker until the worker has had one whole lease to come back.
-- The process that writes WAL starts with the server, again after a crash, and when a replica is promoted; a
-- role that may not see it gets the start of the server. Tests replace this function.
create or replace function holdfast.accepting_writes_since() returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select greatest(pg_postmaster_start_time(), (select max(a.backend_start) from pg_stat_activity a
    where a.backend_type = 'walwriter'))
$$;
