-- Ends a key at once. False: it was revoked already.
create or replace function holdfast.revoke_key(p_key bigint, p_actor text default null, p_reason text default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_key record;
begin
  update holdfast.api_key k set revoked_at = holdfast.now(), revoked_by = p_actor, revoke_reason = p_reason
    where k.id = p_key and k.revoked_at is null returning k.tenant, k.name into v_key;
  if found then
    insert into holdfast.event (at, tenant, type, actor, reason, data)
      values (holdfast.now(), v_key.tenant, 'key_revoked', p_actor, p_reason, jsonb_build_object('key', p_key, 'name', v_key.name));
    return true;
  end if;
  perform holdfast.refuse('unknown_key', format('There is no key %s.', p_key), jsonb_build_object('key', p_key))
    where not exists (select from holdfast.api_key k where k.id = p_key);
  return false;
end $$;
