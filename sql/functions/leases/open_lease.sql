-- Opens the lease of a worker process: the fencing token that all its claims carry. Heartbeats renew it, a
-- sweep ends it when it has expired. With p_tenant it belongs to that tenant, for a worker that connects
-- through a server: only callers who act for the tenant can use the lease there (leases_for).
create or replace function holdfast.open_lease(
  p_worker text, p_lease_ms int, p_tenant text default null, out lease bigint, out expires_at timestamptz
)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_worker int;
begin
  if p_tenant is null then
    perform holdfast.check_sight(p_all => false);
  else
    perform holdfast.check_tenant(p_tenant);
  end if;
  v_worker := holdfast.worker_id(p_worker);
  while lease is null loop
    insert into holdfast.lease as l (id, worker_id, lease_ms, opened_at, heartbeat_at, expires_at, for_tenant,
      server_started,
        opened_xid)
      select holdfast.new_lease_id(), v_worker, p_lease_ms, t, t, t + interval '1 ms' * p_lease_ms, p_tenant,
        pg_postmaster_start_time(), pg_current_xact_id()
      from holdfast.now() t
      on conflict (id) do nothing returning l.id, l.expires_at into lease, expires_at;
  end loop;
end $$;

-- Which of these leases belong to a tenant: opened for it, or for single jobs of its queues. A server checks
-- this before it touches a lease, because it acts for many tenants and a lease is only a number.
create or replace function holdfast.leases_for(p_tenant text, p_leases bigint[]) returns bigint[]
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform holdfast.check_tenant(p_tenant);
  return array(
    select l.id from holdfast.lease l where l.id = any (p_leases)
      and coalesce(l.for_tenant, (select q.tenant from holdfast.queue q
        where q.id = any (array[l.queue_id]))) = p_tenant);
end $$;

-- Trigger that records the tenants a worker's lease may be used for. A trigger, because only a schema with
-- roles has the column; not for the lease of a single job, which belongs to the tenant of its queue, and
-- would pay for it a thousand times a claim.
create or replace function holdfast.lease_tenants() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  new.tenants := holdfast.visible_tenants();
  return new;
end $$;
