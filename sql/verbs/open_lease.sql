-- Opens a worker process's lease: the fencing token all its claims carry. Renewed by heartbeats, swept when it expires.
create or replace function holdfast.open_lease(p_worker text, p_lease_ms int, out lease bigint, out expires_at timestamptz)
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  select holdfast.check_sight(p_all => false);
  insert into holdfast.lease (id, worker_id, lease_ms, opened_at, heartbeat_at, expires_at)
  select nextval('holdfast.lease_id_seq'), holdfast.worker_id(p_worker), p_lease_ms, t, t, t + interval '1 ms' * p_lease_ms
  from holdfast.now() t
  returning id, expires_at
$$;
