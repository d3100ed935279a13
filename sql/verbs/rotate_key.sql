-- Puts a new key in the place of a live one: same tenant, name, scopes and limit. The old one goes on for p_overlap, so that whoever
-- uses it can change over. Refused while an earlier rotation of it is under way: two of a name may live, not three.
create or replace function holdfast.rotate_key(
  p_key bigint, p_hash bytea, p_hint text, p_overlap interval default '24 hours', p_actor text default null, p_reason text default null,
  out id bigint, out old_expires_at timestamptz)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_old holdfast.api_keys;
begin
  perform holdfast.take_turn('keys');
  select * into v_old from holdfast.api_keys k where k.id = p_key and k.state = 'live';
  if not found then
    perform holdfast.refuse('unknown_key', format('There is no live key %s.', p_key), jsonb_build_object('key', p_key));
  end if;
  perform holdfast.refuse('conflict', format('Two keys named %s live already; revoke one of them first.', v_old.name), jsonb_build_object('name', v_old.name))
    where exists (select from holdfast.api_keys k where k.tenant = v_old.tenant and k.name = v_old.name and k.state = 'live' and k.id <> p_key);
  insert into holdfast.api_key (tenant, name, hash, hint, scopes, rate_limit, created_at, created_by, expires_at, replaces)
    values (v_old.tenant, v_old.name, p_hash, p_hint, v_old.scopes, v_old.rate_limit, holdfast.now(), p_actor, v_old.expires_at, p_key)
    returning api_key.id into id;
  update holdfast.api_key k set expires_at = least(k.expires_at, holdfast.now() + p_overlap) where k.id = p_key returning k.expires_at into old_expires_at;
  insert into holdfast.event (at, tenant, type, actor, reason, data)
    values (holdfast.now(), v_old.tenant, 'key_rotated', p_actor, p_reason, jsonb_build_object('key', id, 'name', v_old.name, 'replaces', p_key));
end $$;
