-- Whose key has this hash; no row when there is none. That it was used is kept to the minute, so that most calls write nothing.
create or replace function holdfast.authenticate(p_hash bytea)
returns table (id bigint, tenant text, name text, scopes text[], rate_limit int, expires_at timestamptz, state text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
begin
  update holdfast.api_key k set last_used_at = v_now
    where k.hash = p_hash and holdfast.key_state(k.revoked_at, k.expires_at) = 'live'
      and (k.last_used_at is null or k.last_used_at <= v_now - interval '1 minute');
  return query select k.id, k.tenant, k.name, k.scopes, k.rate_limit, k.expires_at,
      holdfast.key_state(k.revoked_at, k.expires_at)
    from holdfast.api_key k where k.hash = p_hash;
end $$;
