-- The addresses that are notified of alerts, without the secrets that sign the messages.
create or replace view holdfast.webhooks as
select w.id, w.tenant, w.name, w.url, w.rules, w.enabled, w.created_at, w.created_by
from holdfast.webhook w;
