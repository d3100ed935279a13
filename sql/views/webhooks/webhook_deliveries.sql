-- Messages about alerts to webhooks, sent or waiting.
create or replace view holdfast.webhook_deliveries as
select d.id, d.webhook_id, d.tenant, d.alert_id, d.event_id, d.type, d.state, d.attempts, d.created_at,
  d.next_at, d.ended_at, d.status, d.error
from holdfast.webhook_delivery d;
