-- API keys of the server, stored by their SHA-256: create, rotate, revoke, expire.

-- Registers an API key by its hash; the key itself never reaches the database. Refused while another key of
-- that name lives, or if it has expired already. The first key closes every server of this database for good
-- (keys_required_since).
create or replace function holdfast.create_key(
  p_tenant text, p_name text, p_hash bytea, p_hint text, p_scopes text[],
  p_expires_at timestamptz default null, p_rate_limit int default null,
  p_actor text default null, p_reason text default null
) returns bigint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_id bigint;
begin
  perform holdfast.check_tenant(p_tenant);
  perform holdfast.refuse('invalid_input', 'The key would have expired already.',
    '{"path": "/expires_at", "problem": "must be in the future"}')
    where p_expires_at <= holdfast.now();
  -- one at a time, so that of two keys of a name created at once one is refused
  perform holdfast.take_turn('keys');
  perform holdfast.refuse('key_name_taken', format('There is a key named %s already.', p_name),
    jsonb_build_object('name', p_name))
    where exists (select from holdfast.api_keys k where k.tenant = p_tenant and k.name = p_name
      and k.state = 'live');
  insert into holdfast.api_key (tenant, name, hash, hint, scopes, rate_limit, created_at,
    created_by, expires_at)
    values (p_tenant, p_name, p_hash, p_hint, p_scopes, p_rate_limit, holdfast.now(), p_actor, p_expires_at)
    returning id into v_id;
  insert into holdfast.closed (since) values (holdfast.now()) on conflict (only_one) do nothing;
  perform holdfast.add_tenant_event('key_created', p_tenant, p_actor, p_reason,
    jsonb_build_object('key', v_id, 'name', p_name, 'scopes', p_scopes));
  return v_id;
end $$;

-- Replaces a live key by a new one with the same tenant, name, scopes and limit. The old key works for
-- p_overlap more, so that its users can change over. Refused while an earlier rotation is under way: two keys
-- of a name may live, not three.
create or replace function holdfast.rotate_key(
  p_key bigint, p_hash bytea, p_hint text, p_overlap interval default '24 hours', p_actor text default null,
  p_reason text default null, out id bigint, out old_expires_at timestamptz)
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
    perform holdfast.refuse('unknown_key', format('There is no live key %s.', p_key),
      jsonb_build_object('key', p_key));
  end if;
  perform holdfast.refuse('conflict', format('Two keys named %s live already; revoke one of them first.',
    v_old.name), jsonb_build_object('name', v_old.name))
    where exists (select from holdfast.api_keys k where k.tenant = v_old.tenant and k.name = v_old.name
      and k.state = 'live' and k.id <> p_key);
  insert into holdfast.api_key (tenant, name, hash, hint, scopes, rate_limit, created_at, created_by,
    expires_at, replaces)
    values (v_old.tenant, v_old.name, p_hash, p_hint, v_old.scopes, v_old.rate_limit, holdfast.now(), p_actor,
      v_old.expires_at, p_key)
    returning api_key.id into id;
  update holdfast.api_key k set expires_at = least(k.expires_at, holdfast.now() + p_overlap)
    where k.id = p_key returning k.expires_at into old_expires_at;
  perform holdfast.add_tenant_event('key_rotated', v_old.tenant, p_actor, p_reason,
    jsonb_build_object('key', id, 'name', v_old.name, 'replaces', p_key));
end $$;

-- Revokes a key at once. False: it was revoked already.
create or replace function holdfast.revoke_key(p_key bigint, p_actor text default null,
  p_reason text default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_key record;
begin
  update holdfast.api_key k set revoked_at = holdfast.now(), revoked_by = p_actor, revoke_reason = p_reason
    where k.id = p_key and k.revoked_at is null returning k.tenant, k.name into v_key;
  if found then
    delete from holdfast.web_session s where coalesce(s.key_id, 0) = p_key;
    perform holdfast.add_tenant_event('key_revoked', v_key.tenant, p_actor, p_reason,
      jsonb_build_object('key', p_key, 'name', v_key.name));
    return true;
  end if;
  perform holdfast.refuse('unknown_key', format('There is no key %s.', p_key),
    jsonb_build_object('key', p_key))
    where not exists (select from holdfast.api_key k where k.id = p_key);
  return false;
end $$;

-- Writes an event for each key that has expired, once, deletes keys that have been dead for as long as the
-- audit log is kept, and sessions of browsers that have ended. A key stops working at its very time, whether
-- or not this runs.
create or replace function holdfast.expire_keys(p_limit int default 1000) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_reported int;
  v_deleted int;
  v_ended int;
begin
  perform holdfast.check_sight(p_all => true);
  with expired as (
    select k.id from holdfast.api_key k where k.expires_at <= v_now and k.expiry_reported_at is null
      and k.revoked_at is null
    order by k.expires_at limit p_limit for update skip locked),
  reported as (
    update holdfast.api_key k set expiry_reported_at = v_now from expired e where k.id = e.id returning k.id,
      k.tenant, k.name, k.expires_at)
  insert into holdfast.event (at, tenant, type, data)
    select v_now, t.tenant, 'key_expired', jsonb_build_object('key', t.id, 'name', t.name, 'expired_at',
      t.expires_at) from reported t order by t.id;
  get diagnostics v_reported = row_count;
  delete from holdfast.api_key k using (
      select x.id from holdfast.api_key x
      where least(x.expires_at,
        x.revoked_at) < v_now - interval '1 day' * holdfast.setting_number('AUDIT_DAYS')::int limit p_limit
        for update skip locked) o
    where k.id = o.id;
  get diagnostics v_deleted = row_count;
  delete from holdfast.web_session s using (
      select x.id from holdfast.web_session x where x.expires_at <= v_now
        limit p_limit for update skip locked) o
    where s.id = o.id;
  get diagnostics v_ended = row_count;
  return v_reported + v_deleted + v_ended;
end $$;

-- When the first key was created here; null: never. From then on every server of this database requires a
-- key, whatever became of that one.
create or replace function holdfast.keys_required_since() returns timestamptz
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$ select c.since from holdfast.closed c $$;
