-- Since when this server takes writes. While it was away nobody could renew a lease, so a lease that ran out meanwhile proves nothing of
-- its worker until it has had a whole lease to come back. The process that writes WAL starts with the server, anew after a crash, and
-- when a replica takes over; who may not see it has the start of the server. Tests replace this function.
create or replace function holdfast.up_since() returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select greatest(pg_postmaster_start_time(), (select max(a.backend_start) from pg_stat_activity a where a.backend_type = 'walwriter'))
$$;
