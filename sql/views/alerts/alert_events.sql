-- Transitions of alerts: when each began, fired, was silenced and cleared.
create or replace view holdfast.alert_events as
select e.id, e.alert_id, e.at, e.tenant, e.rule, e.subject, e.type, e.value, e.threshold, e.actor,
  e.reason, e.data
from holdfast.alert_event e;
