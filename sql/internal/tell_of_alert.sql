-- Writes what is to be sent of the last transition of an alert to each webhook that wants to hear of it. A webhook that takes nothing for long must
-- not grow without end: with a thousand waiting, what comes next is dropped, and is seen to be.
create or replace function holdfast.tell_of_alert(p_alert bigint, p_type text, p_now timestamptz) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  update holdfast.alert a set told = true where a.id = p_alert and p_type = 'firing';

  insert into holdfast.webhook_delivery (webhook_id, tenant, alert_id, event_id, type, state, created_at, next_at, ended_at, error)
  select w.id, w.tenant, a.id, e.id, p_type, case when x.full_up then 'dropped' else 'waiting' end, p_now, p_now,
    case when x.full_up then p_now end, case when x.full_up then 'too many deliveries were waiting' end
  from holdfast.alert a
  cross join lateral (select v.id from holdfast.alert_event v where v.alert_id = a.id order by v.id desc limit 1) e
  join holdfast.webhook w on w.tenant in (a.tenant, '*') and w.enabled and (w.rules is null or a.rule = any (w.rules))
  cross join lateral (select count(*) >= 1000 as full_up from (
    select from holdfast.webhook_delivery d where d.webhook_id = w.id and d.state = 'waiting' limit 1000) d) x
  where a.id = p_alert
$$;
