-- The tenants this connection acts for; '{*}' means all of them, also where no roles are installed.
--
-- Asked of session_user, never of current_user: inside a verb that is the owner of the schema. The setting holdfast_tenant.name
-- only chooses among what was granted, because everybody can set it; a name that was not granted leaves nothing. After a
-- transaction that used it, the setting reads '' and not null.
create or replace function holdfast.my_tenants() returns text[]
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
  -- to_regrole, so that a grant to a role that was dropped is no error; it asks the cache, where a join reads pages.
  v_granted := array(select distinct g.tenant from holdfast.tenant_grant g
    where pg_has_role(session_user, to_regrole(quote_ident(g.role))::oid, 'member') order by g.tenant);
  if '*' = any (v_granted) or pg_has_role(session_user, current_user, 'member') then
    return array[coalesce(v_chosen, '*')];
  elsif v_chosen is null then
    return v_granted;
  end if;
  return array(select t from unnest(v_granted) t where t = v_chosen);
end $$;
