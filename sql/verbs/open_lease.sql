-- Opens a worker process's lease: the fencing token all its claims carry. Renewed by heartbeats, swept when it expires.
create or replace function holdfast.open_lease(p_worker text, p_lease_ms int, out lease bigint, out expires_at timestamptz)
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select holdfast.check_sight(p_all => false);
  select a.lease, a.expires_at from holdfast.add_lease(p_worker, p_lease_ms, null) a
$$;
