-- Refuses to go on for somebody who sees no tenant, or, with p_all, not every tenant. Row-level security would hide the rows and
-- the work would seem done: a chore that does nothing and says nothing is found too late.
create or replace function holdfast.check_sight(p_all boolean) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenants text[] := holdfast.my_tenants();
begin
  if v_tenants = '{}' then
    perform holdfast.refuse('tenant_denied', format('No tenant is granted to %s, or none of that name: there is nothing it can see.', session_user));
  elsif p_all and v_tenants <> '{*}' then
    perform holdfast.refuse('tenant_denied', format('This concerns every tenant, and %s sees only some of them.', session_user));
  end if;
end $$;
