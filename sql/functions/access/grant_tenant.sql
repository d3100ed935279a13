-- Which tenants a database role may act for, once roles are installed (sql/roles.sql).

-- Allows a role, and every member of it, to act for a tenant; '*' is every tenant. False: it could already.
create or replace function holdfast.grant_tenant(p_role name, p_tenant text, p_actor text default null,
  p_reason text default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform holdfast.check_sight(p_all => true);
  if to_regclass('holdfast.tenant_grant') is null then
    perform holdfast.refuse('invalid_input',
      'Roles are not installed here, so every role acts for every tenant.', '{"path": "/tenant"}');
  elsif not exists (select from pg_roles r where r.rolname = p_role) then
    perform holdfast.refuse('invalid_input', format('There is no role %s.', p_role), '{"path": "/role"}');
  end if;
  insert into holdfast.tenant_grant (role, tenant)
    values (p_role, p_tenant) on conflict (role, tenant) do nothing;
  if not found then
    return false;
  end if;
  perform holdfast.add_tenant_event('tenant_granted', p_tenant, p_actor, p_reason,
    jsonb_build_object('role', p_role));
  return true;
end $$;

-- Revokes a tenant from a role; its workers lose their leases with the next heartbeat. False: it had not been
-- granted.
create or replace function holdfast.revoke_tenant(p_role name, p_tenant text, p_actor text default null,
  p_reason text default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform holdfast.check_sight(p_all => true);
  if to_regclass('holdfast.tenant_grant') is null then
    perform holdfast.refuse('invalid_input',
      'Roles are not installed here, so every role acts for every tenant.', '{"path": "/tenant"}');
  end if;
  delete from holdfast.tenant_grant g where g.role = p_role and g.tenant = p_tenant;
  if not found then
    return false;
  end if;
  perform holdfast.add_tenant_event('tenant_revoked', p_tenant, p_actor, p_reason,
    jsonb_build_object('role', p_role));
  return true;
end $$;
