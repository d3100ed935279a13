-- The lease of a worker process, under a number that no other lease has.
create or replace function holdfast.add_lease(
  p_worker text, p_lease_ms int, p_tenant text, out lease bigint, out expires_at timestamptz
)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_worker int := holdfast.worker_id(p_worker);
begin
  while lease is null loop
    insert into holdfast.lease as l (id, worker_id, lease_ms, opened_at, heartbeat_at, expires_at, for_tenant, server_started, opened_xid)
      select holdfast.new_lease_id(), v_worker, p_lease_ms, t, t, t + interval '1 ms' * p_lease_ms, p_tenant, pg_postmaster_start_time(),
        pg_current_xact_id()
      from holdfast.now() t
      on conflict (id) do nothing returning l.id, l.expires_at into lease, expires_at;
  end loop;
end $$;
