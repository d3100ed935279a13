-- open_lease for a worker that speaks to a server: only who acts for this tenant can use the lease there (leases_for).
create or replace function holdfast.open_lease_for(
  p_tenant text, p_worker text, p_lease_ms int, out lease bigint, out expires_at timestamptz
)
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select holdfast.check_tenant(p_tenant);
  select a.lease, a.expires_at from holdfast.add_lease(p_worker, p_lease_ms, p_tenant) a
$$;
