-- The terms of queues that a worker needs before it starts: how long their leases last and how often they
-- expect a heartbeat. Only of queues that exist; a queue that does not exist yet will get the preset
-- `default`.
create or replace function holdfast.work_terms(p_tenant text, p_queues text[])
returns table (name text, renewed_by text, lease_ms int, heartbeat_ms int)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select q.name, q.renewed_by, q.lease_ms, q.heartbeat_ms from holdfast.queue q where q.tenant = p_tenant
    and q.name = any (p_queues)
$$;
