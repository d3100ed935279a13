-- Sessions of browsers on the dashboard, stored by the SHA-256 of the token in the cookie.

-- Opens a session for a live key of a tenant that the caller sees, or, with p_key null, for the admin key of
-- the servers: then p_proof is what only a server with that key can compute, and the caller must see every
-- tenant, as the session will. It ends p_idle after its last use, and p_lifetime after now at the latest. A
-- key has at most p_count_max sessions; the one unused for longest is closed.
create or replace function holdfast.open_web_session(
  p_hash bytea, p_key bigint, p_proof bytea, p_idle interval, p_lifetime interval, p_count_max int
) returns timestamptz
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_tenant text := '*';
  v_expires_at timestamptz := least(v_now + p_idle, v_now + p_lifetime);
begin
  if p_key is null then
    perform holdfast.check_sight(p_all => true);
  end if;
  -- one at a time, so that logins at once do not exceed the count
  perform holdfast.take_turn('keys');
  if p_key is not null then
    select k.tenant into v_tenant from holdfast.api_key k
      where k.id = p_key and holdfast.key_state(k.revoked_at, k.expires_at) = 'live';
    if not found then
      perform holdfast.refuse('unknown_key', format('There is no live key %s.', p_key),
        jsonb_build_object('key', p_key));
    end if;
    perform holdfast.check_tenant(v_tenant);
  end if;
  delete from holdfast.web_session s using (
      select x.id from holdfast.web_session x where coalesce(x.key_id, 0) = coalesce(p_key, 0)
      order by x.used_at desc, x.id desc offset p_count_max - 1) o
    where s.id = o.id;
  insert into holdfast.web_session (tenant, hash, key_id, proof, idle, created_at, used_at, ends_at,
      expires_at)
    values (v_tenant, p_hash, p_key, p_proof, p_idle, v_now, v_now, v_now + p_lifetime, v_expires_at);
  return v_expires_at;
end $$;
