-- Alerts with their current state; cleared ones stay for a while.
create or replace view holdfast.alerts as
select a.id, a.tenant, a.rule, a.subject, a.state, a.value, a.threshold, a.data, a.since, a.fired_at,
  a.seen_at, a.silenced_until, a.silenced_by, a.silence_reason
from holdfast.alert a;
