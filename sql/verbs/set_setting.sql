-- Sets a setting, for everybody and at once; null sets it back to its default. Who, why and what it was before is kept as an event, which
-- only those see who see every tenant.
create or replace function holdfast.set_setting(p_name text, p_value jsonb, p_actor text default null, p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_known holdfast.settings;
begin
  perform holdfast.check_sight(p_all => true);
  -- one after the other, so that each event tells what really was before
  perform holdfast.take_turn('settings');
  select * into v_known from holdfast.settings s where s.name = p_name;
  if not found then
    perform holdfast.refuse('invalid_input', format('There is no setting %s.', p_name), '{"path": "/name"}');
  end if;
  if p_value is null or p_value = 'null' then
    delete from holdfast.setting s where s.name = p_name;
  elsif jsonb_typeof(p_value) = 'number' and p_value::numeric = trunc(p_value::numeric)
    and p_value::numeric between v_known.least and v_known.most then
    insert into holdfast.setting (name, value, updated_at, updated_by) values (p_name, p_value, v_now, p_actor)
      on conflict (name) do update set value = excluded.value, updated_at = v_now, updated_by = p_actor;
  else
    perform holdfast.refuse('invalid_input', format('%s must be a whole number from %s to %s.', p_name, v_known.least, v_known.most),
      '{"path": "/value"}');
  end if;
  if p_name = 'RESET_CRAWLING_AFTER_MIN' then
    perform holdfast.reset_after(interval '1 minute' * holdfast.setting_number(p_name)::int);
  end if;
  insert into holdfast.event (at, tenant, type, actor, reason, data)
    values (v_now, '*', 'setting_set', p_actor, p_reason, jsonb_build_object('name', p_name, 'before', v_known.value,
      'value', coalesce(nullif(p_value, 'null')::numeric, v_known.default_value)));
end $$;
