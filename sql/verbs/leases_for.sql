-- Those of these leases that are a tenant's: opened for it, or of single jobs in its queues. A server asks before it touches one, because
-- it acts for many tenants and a lease is only a number.
create or replace function holdfast.leases_for(p_tenant text, p_leases bigint[]) returns bigint[]
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
begin
  perform holdfast.check_tenant(p_tenant);
  return array(
    select l.id from holdfast.lease l where l.id = any (p_leases)
      and coalesce(l.for_tenant, (select q.tenant from holdfast.queue q where q.id = any (array[l.queue_id]))) = p_tenant);
end $$;
