-- Overrides an alert rule for a tenant, for all its subjects ('') or for one. p_options has some of enabled,
-- threshold, for_sec and clear_sec; null removes one. Without overrides the settings apply.
create or replace function holdfast.set_alert_rule(
  p_tenant text, p_rule text, p_subject text, p_options jsonb, p_actor text default null,
  p_reason text default null
) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_row holdfast.alert_rule;
  -- depth is counted up to its threshold
  v_threshold_max numeric := case p_rule when 'depth' then 100000 else 1e9 end;
begin
  perform holdfast.check_tenant(p_tenant);
  if not exists (select from holdfast.alert_defaults() d where d.rule = p_rule) then
    perform holdfast.refuse('unknown_alert_rule', format('There is no rule %s.', p_rule),
      jsonb_build_object('rule', p_rule));
  end if;
  if (p_options ->> 'threshold')::numeric not between 0 and v_threshold_max then
    perform holdfast.refuse('invalid_input', 'The threshold is out of bounds.', '{"path": "/threshold"}');
  end if;
  if (p_options ->> 'for_sec')::numeric not between 0 and 86400
    or (p_options ->> 'clear_sec')::numeric not between 0 and 86400 then
    perform holdfast.refuse('invalid_input', 'Durations are seconds from 0 to 86400.',
      '{"path": "/for_sec"}');
  end if;
  if char_length(p_subject) > 250 then
    perform holdfast.refuse('invalid_input', 'A subject has at most 250 characters.', '{"path": "/subject"}');
  end if;
  perform holdfast.take_turn('alert_rules');
  select * into v_row from holdfast.alert_rule r where r.tenant = p_tenant and r.rule = p_rule
    and r.subject = p_subject for update;
  if not found and (select count(*) from holdfast.alert_rule r where r.tenant = p_tenant) >= 500 then
    perform holdfast.refuse('limit_exceeded', 'A tenant can have 500 rules of its own.',
      '{"limit": "alertRulesMax", "max": 500}');
  end if;
  v_row := jsonb_populate_record(v_row, p_options);
  if coalesce(v_row.enabled::text, v_row.threshold::text, v_row.for_sec::text,
    v_row.clear_sec::text) is null then
    delete from holdfast.alert_rule r where r.tenant = p_tenant and r.rule = p_rule and r.subject = p_subject;
  else
    insert into holdfast.alert_rule (tenant, rule, subject, enabled, threshold, for_sec, clear_sec,
      updated_at, updated_by)
      values (p_tenant, p_rule, p_subject, v_row.enabled, v_row.threshold, v_row.for_sec, v_row.clear_sec,
        v_now, p_actor)
      on conflict (tenant, rule, subject) do update set enabled = excluded.enabled,
        threshold = excluded.threshold, for_sec = excluded.for_sec, clear_sec = excluded.clear_sec,
        updated_at = v_now, updated_by = p_actor;
  end if;
  perform holdfast.add_tenant_event('alert_rule_set', p_tenant, p_actor, p_reason,
    jsonb_build_object('rule', p_rule, 'subject', p_subject) || p_options);
end $$;
