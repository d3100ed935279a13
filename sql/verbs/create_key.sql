-- Makes a key of the server known, by its hash: the key itself never comes here. Refused while another of that name lives, and where it would
-- open nothing because its end has passed. The first one closes every server of this database for good (closed_since).
create or replace function holdfast.create_key(
  p_tenant text, p_name text, p_hash bytea, p_hint text, p_scopes text[], p_expires_at timestamptz default null, p_rate_limit int default null,
  p_actor text default null, p_reason text default null
) returns bigint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_id bigint;
begin
  perform holdfast.check_tenant(p_tenant);
  perform holdfast.refuse('invalid_input', 'A key that has expired already opens nothing.', '{"path": "/expires_at", "problem": "must be ahead"}')
    where p_expires_at <= holdfast.now();
  -- one after the other, so that of two of a name made at once one is refused
  perform holdfast.take_turn('keys');
  perform holdfast.refuse('key_name_taken', format('There is a key named %s already.', p_name), jsonb_build_object('name', p_name))
    where exists (select from holdfast.api_keys k where k.tenant = p_tenant and k.name = p_name and k.state = 'live');
  insert into holdfast.api_key (tenant, name, hash, hint, scopes, rate_limit, created_at, created_by, expires_at)
    values (p_tenant, p_name, p_hash, p_hint, p_scopes, p_rate_limit, holdfast.now(), p_actor, p_expires_at)
    returning id into v_id;
  insert into holdfast.closed (since) values (holdfast.now()) on conflict (only_one) do nothing;
  insert into holdfast.event (at, tenant, type, actor, reason, data)
    values (holdfast.now(), p_tenant, 'key_created', p_actor, p_reason, jsonb_build_object('key', v_id, 'name', p_name, 'scopes', p_scopes));
  return v_id;
end $$;
