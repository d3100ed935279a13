-- Where a webhook is and what its calls are signed with, for whoever is about to call it.
create or replace function holdfast.webhook_target(p_webhook bigint) returns table (url text, secret text)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return query select w.url, w.secret from holdfast.webhook w where w.id = p_webhook;
  if not found then
    perform holdfast.refuse('unknown_webhook', format('There is no webhook %s.', p_webhook), jsonb_build_object('webhook', p_webhook));
  end if;
end $$;
