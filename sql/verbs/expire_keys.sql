-- Tells whoever follows along that a key of the server has expired, once each, and lets go of keys that opened nothing for as long as calls are
-- audited. A key stops opening anything at its very time, whether or not this runs.
create or replace function holdfast.expire_keys(p_limit int default 1000) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_told int;
  v_gone int;
begin
  perform holdfast.check_sight(p_all => true);
  with ended as (
    select k.id from holdfast.api_key k where k.expires_at <= v_now and k.expiry_told_at is null and k.revoked_at is null
    order by k.expires_at limit p_limit for update skip locked),
  told as (
    update holdfast.api_key k set expiry_told_at = v_now from ended e where k.id = e.id returning k.id, k.tenant, k.name, k.expires_at)
  insert into holdfast.event (at, tenant, type, data)
    select v_now, t.tenant, 'key_expired', jsonb_build_object('key', t.id, 'name', t.name, 'expired_at', t.expires_at) from told t order by t.id;
  get diagnostics v_told = row_count;
  delete from holdfast.api_key k using (
      select x.id from holdfast.api_key x
      where least(x.expires_at, x.revoked_at) < v_now - interval '1 day' * holdfast.setting_number('AUDIT_DAYS')::int limit p_limit for update skip locked) o
    where k.id = o.id;
  get diagnostics v_gone = row_count;
  return v_told + v_gone;
end $$;
