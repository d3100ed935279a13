-- Sets a setting for all processes at once; null restores its default. An event records the actor, the reason
-- and the value before; only readers who see every tenant see it.
create or replace function holdfast.set_setting(p_name text, p_value jsonb, p_actor text default null,
  p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_known holdfast.settings;
begin
  perform holdfast.check_sight(p_all => true);
  -- one call at a time, so that each event holds the value that really was before
  perform holdfast.take_turn('settings');
  select * into v_known from holdfast.settings s where s.name = p_name;
  if not found then
    perform holdfast.refuse('invalid_input', format('There is no setting %s.', p_name), '{"path": "/name"}');
  end if;
  if p_value is null or p_value = 'null' then
    delete from holdfast.setting s where s.name = p_name;
  elsif jsonb_typeof(p_value) = 'number' and p_value::numeric = trunc(p_value::numeric)
    and p_value::numeric between v_known.min and v_known.max then
    insert into holdfast.setting (name, value, updated_at, updated_by) values (p_name, p_value, v_now,
      p_actor)
      on conflict (name) do update set value = excluded.value, updated_at = v_now, updated_by = p_actor;
  else
    perform holdfast.refuse('invalid_input', format('%s must be a whole number from %s to %s.', p_name,
      v_known.min, v_known.max),
      '{"path": "/value"}');
  end if;
  if p_name = 'RESET_CRAWLING_AFTER_MIN' then
    perform holdfast.reset_after(interval '1 minute' * holdfast.setting_number(p_name)::int);
  end if;
  perform holdfast.add_tenant_event('setting_set', '*', p_actor, p_reason,
    jsonb_build_object('name', p_name, 'before', v_known.value,
      'value', coalesce(nullif(p_value, 'null')::numeric, v_known.default_value)));
end $$;

-- The value of a setting, or its default. Only of names that the view `settings` has: other views call this
-- with the rights of their reader, and any other value read as a number would show up in the error.
create or replace function holdfast.setting_number(p_name text) returns numeric
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$ select s.value from holdfast.settings s where s.name = p_name $$;
