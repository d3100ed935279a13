-- Somebody wants to be told of alerts. Whether the address may be called at all is the caller's to check, and is checked again at each call.
create or replace function holdfast.add_webhook(
  p_tenant text, p_name text, p_url text, p_secret text, p_rules text[] default null, p_actor text default null, p_reason text default null
) returns bigint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_unknown text;
  v_id bigint;
begin
  perform holdfast.check_tenant(p_tenant);
  select u.rule into v_unknown from unnest(p_rules) u (rule) where u.rule not in (select d.rule from holdfast.alert_defaults() d) limit 1;
  if found then
    perform holdfast.refuse('unknown_alert_rule', format('There is no rule %s.', v_unknown), jsonb_build_object('rule', v_unknown));
  end if;
  -- each is a row at every alert of the tenant
  perform holdfast.take_turn('webhooks');
  if (select count(*) from holdfast.webhook w where w.tenant = p_tenant) >= 20 then
    perform holdfast.refuse('limit_exceeded', 'A tenant can have 20 webhooks.', '{"limit": "webhooksMax", "most": 20}');
  end if;
  insert into holdfast.webhook (tenant, name, url, secret, rules, created_at, created_by)
    values (p_tenant, p_name, p_url, p_secret, nullif(p_rules, '{}'), v_now, p_actor)
    on conflict (tenant, name) do nothing returning id into v_id;
  if v_id is null then
    perform holdfast.refuse('webhook_name_taken', format('There is a webhook named %s already.', p_name), jsonb_build_object('name', p_name));
  end if;
  insert into holdfast.event (at, tenant, type, actor, reason, data)
    values (v_now, p_tenant, 'webhook_added', p_actor, p_reason, jsonb_build_object('webhook', v_id, 'name', p_name));
  return v_id;
end $$;
