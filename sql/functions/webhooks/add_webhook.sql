-- The addresses that are notified of alerts.

-- Adds a webhook. The caller checks whether the address may be called, and so does each call.
create or replace function holdfast.add_webhook(
  p_tenant text, p_name text, p_url text, p_secret text, p_rules text[] default null,
  p_actor text default null, p_reason text default null
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
  select u.rule into v_unknown from unnest(p_rules) u (rule)
    where u.rule not in (select d.rule from holdfast.alert_defaults() d) limit 1;
  if found then
    perform holdfast.refuse('unknown_alert_rule', format('There is no rule %s.', v_unknown),
      jsonb_build_object('rule', v_unknown));
  end if;
  -- each webhook is a row at every alert of the tenant
  perform holdfast.take_turn('webhooks');
  if (select count(*) from holdfast.webhook w where w.tenant = p_tenant) >= 20 then
    perform holdfast.refuse('limit_exceeded', 'A tenant can have 20 webhooks.',
      '{"limit": "webhooksMax", "max": 20}');
  end if;
  insert into holdfast.webhook (tenant, name, url, secret, rules, created_at, created_by)
    values (p_tenant, p_name, p_url, p_secret, nullif(p_rules, '{}'), v_now, p_actor)
    on conflict (tenant, name) do nothing returning id into v_id;
  if v_id is null then
    perform holdfast.refuse('webhook_name_taken', format('There is a webhook named %s already.', p_name),
      jsonb_build_object('name', p_name));
  end if;
  perform holdfast.add_tenant_event('webhook_added', p_tenant, p_actor, p_reason,
    jsonb_build_object('webhook', v_id, 'name', p_name));
  return v_id;
end $$;

-- Enables or disables a webhook; disabling drops the messages that wait for it, which would be out of date
-- later. False: it was so already.
create or replace function holdfast.enable_webhook(p_webhook bigint, p_enabled boolean,
  p_actor text default null, p_reason text default null)
returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_webhook record;
begin
  update holdfast.webhook w set enabled = p_enabled where w.id = p_webhook and w.enabled <> p_enabled
    returning w.tenant, w.name into v_webhook;
  if not found then
    perform holdfast.refuse('unknown_webhook', format('There is no webhook %s.', p_webhook),
      jsonb_build_object('webhook', p_webhook))
      where not exists (select from holdfast.webhook w where w.id = p_webhook);
    return false;
  end if;
  if not p_enabled then
    update holdfast.webhook_delivery d set state = 'dropped', ended_at = v_now,
      error = 'the webhook was disabled'
      where d.webhook_id = p_webhook and d.state = 'waiting';
  end if;
  perform holdfast.add_tenant_event(
    case when p_enabled then 'webhook_enabled' else 'webhook_disabled' end, v_webhook.tenant, p_actor,
    p_reason, jsonb_build_object('webhook', p_webhook, 'name', v_webhook.name));
  return true;
end $$;

-- Removes a webhook with its messages, sent or not.
create or replace function holdfast.remove_webhook(p_webhook bigint, p_actor text default null,
  p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_webhook record;
begin
  delete from holdfast.webhook w where w.id = p_webhook returning w.tenant, w.name into v_webhook;
  if not found then
    perform holdfast.refuse('unknown_webhook', format('There is no webhook %s.', p_webhook),
      jsonb_build_object('webhook', p_webhook));
  end if;
  delete from holdfast.webhook_delivery d where d.webhook_id = p_webhook;
  perform holdfast.add_tenant_event('webhook_removed', v_webhook.tenant, p_actor, p_reason,
    jsonb_build_object('webhook', p_webhook, 'name', v_webhook.name));
end $$;

-- The address of a webhook and the secret that signs its messages.
create or replace function holdfast.webhook_target(p_webhook bigint) returns table (url text, secret text)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return query select w.url, w.secret from holdfast.webhook w where w.id = p_webhook;
  if not found then
    perform holdfast.refuse('unknown_webhook', format('There is no webhook %s.', p_webhook),
      jsonb_build_object('webhook', p_webhook));
  end if;
end $$;
