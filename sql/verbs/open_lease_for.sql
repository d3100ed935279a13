-- open_lease for a worker that speaks to a server: only who acts for this tenant can use the lease there (leases_for).
create or replace function holdfast.open_lease_for(
  p_tenant text, p_worker text, p_lease_ms int, out lease bigint, out expires_at timestamptz
)
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select holdfast.check_tenant(p_tenant);
  insert into holdfast.lease (id, worker_id, lease_ms, opened_at, heartbeat_at, expires_at, for_tenant)
  select nextval('holdfast.lease_id_seq'), holdfast.worker_id(p_worker), p_lease_ms, t, t, t + interval '1 ms' * p_lease_ms, p_tenant
  from holdfast.now() t
  returning id, expires_at
$$;
