-- Notes whom a worker's lease is for. A trigger, because only a schema with roles has the column; not for the lease of a single job,
-- which is the tenant's of its queue, and would pay for it a thousand times a claim.
create or replace function holdfast.lease_tenants() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  new.tenants := holdfast.my_tenants();
  return new;
end $$;
