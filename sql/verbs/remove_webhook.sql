-- Nobody at this address is told any more; what waited for it goes, and so does what was kept of earlier deliveries.
create or replace function holdfast.remove_webhook(p_webhook bigint, p_actor text default null, p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_webhook record;
begin
  delete from holdfast.webhook w where w.id = p_webhook returning w.tenant, w.name into v_webhook;
  if not found then
    perform holdfast.refuse('unknown_webhook', format('There is no webhook %s.', p_webhook), jsonb_build_object('webhook', p_webhook));
  end if;
  delete from holdfast.webhook_delivery d where d.webhook_id = p_webhook;
  insert into holdfast.event (at, tenant, type, actor, reason, data)
    values (holdfast.now(), v_webhook.tenant, 'webhook_removed', p_actor, p_reason, jsonb_build_object('webhook', p_webhook, 'name', v_webhook.name));
end $$;
