-- Whether a key of the server still opens anything. The view `api_keys` calls this as whoever reads it.
create or replace function holdfast.key_state(p_revoked_at timestamptz, p_expires_at timestamptz) returns text
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$ select case when p_revoked_at is not null then 'revoked' when p_expires_at <= holdfast.now() then 'expired' else 'live' end $$;
