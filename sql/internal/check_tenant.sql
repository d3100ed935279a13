-- Refuses to act for a tenant that was not granted to whoever is connected.
create or replace function holdfast.check_tenant(p_tenant text) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if not holdfast.my_tenants() && array['*', p_tenant] then
    perform holdfast.refuse('tenant_denied', format('You may not act for the tenant %s.', p_tenant), jsonb_build_object('tenant', p_tenant));
  end if;
end $$;
