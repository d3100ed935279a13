-- Lets a webhook be told again, or no longer; what waits for it is dropped then, since nobody wants last week's alerts. False: it was so already.
create or replace function holdfast.enable_webhook(p_webhook bigint, p_enabled boolean, p_actor text default null, p_reason text default null)
returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_webhook record;
begin
  update holdfast.webhook w set enabled = p_enabled where w.id = p_webhook and w.enabled <> p_enabled returning w.tenant, w.name into v_webhook;
  if not found then
    perform holdfast.refuse('unknown_webhook', format('There is no webhook %s.', p_webhook), jsonb_build_object('webhook', p_webhook))
      where not exists (select from holdfast.webhook w where w.id = p_webhook);
    return false;
  end if;
  if not p_enabled then
    update holdfast.webhook_delivery d set state = 'dropped', ended_at = v_now, error = 'the webhook was switched off'
      where d.webhook_id = p_webhook and d.state = 'waiting';
  end if;
  insert into holdfast.event (at, tenant, type, actor, reason, data)
    values (v_now, v_webhook.tenant, case when p_enabled then 'webhook_enabled' else 'webhook_disabled' end, p_actor, p_reason,
      jsonb_build_object('webhook', p_webhook, 'name', v_webhook.name));
  return true;
end $$;
