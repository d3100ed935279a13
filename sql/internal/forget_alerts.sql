-- Lets go of what alerts left behind longer ago than the setting ALERT_DAYS says: transitions, deliveries, and alerts that have been
-- clear and not silenced since then. At most p_limit of each, the oldest first.
create or replace function holdfast.forget_alerts(p_limit int, p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before timestamptz := p_now - interval '1 day' * holdfast.setting_number('ALERT_DAYS')::int;
begin
  delete from holdfast.webhook_delivery d using (select x.id from holdfast.webhook_delivery x order by x.id limit p_limit) o
    where d.id = o.id and d.created_at < v_before;
  delete from holdfast.alert_event e using (select x.id from holdfast.alert_event x order by x.id limit p_limit) o
    where e.id = o.id and e.at < v_before;
  delete from holdfast.alert a using (
      select x.id from holdfast.alert x where x.state = 'cleared' and x.since < v_before and coalesce(x.silenced_until < p_now, true) limit p_limit) o
    where a.id = o.id;
end $$;
