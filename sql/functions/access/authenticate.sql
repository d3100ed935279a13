-- Checks an API key of the HTTP server.

-- The key that has this hash, with its state; no row when there is none. Its last use is recorded to the
-- minute, so that most calls write nothing.
create or replace function holdfast.authenticate(p_hash bytea)
returns table (id bigint, tenant text, name text, scopes text[], rate_limit int, expires_at timestamptz,
  state text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
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

-- Whether a key is live, expired or revoked. The view `api_keys` calls this as its reader.
create or replace function holdfast.key_state(p_revoked_at timestamptz, p_expires_at timestamptz) returns text
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$ select case when p_revoked_at is not null then 'revoked'
  when p_expires_at <= holdfast.now() then 'expired' else 'live' end $$;
