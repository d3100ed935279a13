-- The tenants this connection acts for; '{*}' means all of them, also where no roles are installed.
--
-- Derived from session_user, never from current_user: inside a verb that is the owner of the schema. The
-- setting holdfast_tenant.name only chooses among the granted tenants, because every role can set it; a name
-- that was not granted leaves none. After a transaction that used it, the setting reads '' and not null.
create or replace function holdfast.visible_tenants() returns text[]
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_chosen text := nullif(current_setting('holdfast_tenant.name', true), '');
  v_granted text[];
begin
  if to_regclass('holdfast.tenant_grant') is null then
    return '{*}';
  end if;
  -- to_regrole, so that a grant to a dropped role is no error; it uses the cache, where a join reads pages.
  v_granted := array(select distinct g.tenant from holdfast.tenant_grant g
    where pg_has_role(session_user, to_regrole(quote_ident(g.role))::oid, 'member') order by g.tenant);
  if '*' = any (v_granted) or pg_has_role(session_user, current_user, 'member') then
    return array[coalesce(v_chosen, '*')];
  elsif v_chosen is null then
    return v_granted;
  end if;
  return array(select t from unnest(v_granted) t where t = v_chosen);
end $$;

-- The queues of the visible tenants, for the policies of tables whose rows carry a queue: evaluated once a
-- statement, not once a row. Null means every queue.
create or replace function holdfast.visible_queues() returns int[]
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenants text[] := holdfast.visible_tenants();
begin
  if v_tenants = '{*}' then
    return null;
  end if;
  return array(select q.id from holdfast.queue q where q.tenant = any (v_tenants));
end $$;

-- Refuses to act for a tenant that was not granted to the connected role.
create or replace function holdfast.check_tenant(p_tenant text) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if not holdfast.visible_tenants() && array['*', p_tenant] then
    perform holdfast.refuse('tenant_denied', format('You may not act for the tenant %s.', p_tenant),
      jsonb_build_object('tenant', p_tenant));
  end if;
end $$;

-- Refuses a caller that sees no tenant or, with p_all, not every tenant. Row-level security would hide the
-- rows from it and the call would seem to have found nothing: upkeep that silently does nothing is noticed
-- too late.
create or replace function holdfast.check_sight(p_all boolean) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenants text[] := holdfast.visible_tenants();
begin
  if v_tenants = '{}' then
    perform holdfast.refuse('tenant_denied', format('No tenant is granted to %s, or none of the chosen name.',
      session_user));
  elsif p_all and v_tenants <> '{*}' then
    perform holdfast.refuse('tenant_denied',
      format('This call needs access to every tenant, and %s sees only some of them.', session_user));
  end if;
end $$;
