-- Hands out deliveries that are due, to be sent by whoever asks: of one alert at one webhook only the first that has not arrived, so that they
-- arrive in order. Who says nothing within p_lease_ms has died, and somebody else tries again; so a delivery may arrive twice, never out of order.
create or replace function holdfast.take_deliveries(p_limit int default 20, p_lease_ms int default 60000) returns table (
  id bigint, attempt int, webhook_id bigint, url text, secret text, type text, event_id bigint, at timestamptz, alert_id bigint, tenant text, rule text,
  subject text, value numeric, threshold numeric, data jsonb)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := holdfast.now();
begin
  perform holdfast.check_sight(p_all => true);
  return query
  with due as (
    select d.id from holdfast.webhook_delivery d
    where d.state = 'waiting' and d.next_at <= v_now
      and not exists (select from holdfast.webhook_delivery o
        where o.webhook_id = d.webhook_id and o.alert_id = d.alert_id and o.state = 'waiting' and o.id < d.id)
      -- one that was written while its webhook was removed is left to forget_alerts
      and exists (select from holdfast.webhook w where w.id = d.webhook_id)
    order by d.next_at limit p_limit for update skip locked),
  taken as (
    update holdfast.webhook_delivery d set attempts = d.attempts + 1, next_at = v_now + interval '1 ms' * p_lease_ms
    from due where d.id = due.id returning d.id, d.attempts, d.webhook_id, d.type, d.event_id)
  select t.id, t.attempts, w.id, w.url, w.secret, t.type, e.id, e.at, e.alert_id, e.tenant, e.rule, e.subject, e.value, e.threshold, e.data
  from taken t join holdfast.webhook w on w.id = t.webhook_id join holdfast.alert_event e on e.id = t.event_id
  order by t.id;
end $$;
