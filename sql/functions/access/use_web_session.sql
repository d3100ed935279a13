-- Checks the session of a browser.

-- The session that has this hash, with its key; no row when there is none. `state` is that of the session, or
-- of its key once that has ended. Its use is recorded to the minute, so that most calls write nothing.
create or replace function holdfast.use_web_session(p_hash bytea)
returns table (key_id bigint, tenant text, name text, scopes text[], rate_limit int, proof bytea,
  expires_at timestamptz, state text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
  v_key bigint;
begin
  update holdfast.web_session s set used_at = v_now, expires_at = least(v_now + s.idle, s.ends_at)
    where s.hash = p_hash and s.expires_at > v_now and s.used_at <= v_now - interval '1 minute'
    returning s.key_id into v_key;
  update holdfast.api_key k set last_used_at = v_now where k.id = v_key;
  return query select s.key_id, s.tenant, k.name, k.scopes, k.rate_limit, s.proof,
      least(s.expires_at, k.expires_at),
      case when s.expires_at <= v_now then 'expired'
        when s.key_id is not null then holdfast.key_state(k.revoked_at, k.expires_at) else 'live' end
    from holdfast.web_session s left join holdfast.api_key k on k.id = s.key_id where s.hash = p_hash;
end $$;
