-- Keeps a transition of an alert for good, with what it was about; what fires or is over is also told to whoever follows the feed.
create or replace function holdfast.note_alert(
  p_alert bigint, p_type text, p_now timestamptz, p_actor text default null, p_reason text default null, p_data jsonb default null
) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into holdfast.alert_event (alert_id, at, tenant, rule, subject, type, value, threshold, actor, reason, data)
  select a.id, p_now, a.tenant, a.rule, a.subject, p_type, a.value, a.threshold, p_actor, p_reason, coalesce(p_data, a.data)
  from holdfast.alert a where a.id = p_alert;

  insert into holdfast.event (at, tenant, type, actor, reason, data)
  select p_now, a.tenant, 'alert_' || p_type, p_actor, p_reason,
    jsonb_build_object('alert', a.id, 'rule', a.rule, 'subject', a.subject, 'value', a.value, 'threshold', a.threshold)
  from holdfast.alert a where a.id = p_alert and p_type in ('firing', 'cleared', 'silenced', 'unsilenced')
$$;
