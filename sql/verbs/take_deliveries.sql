-- Hands out deliveries that are due, to be sent by whoever asks: of one alert at one webhook only the first that has not arrived, so that they
-- arrive in order. Who says nothing within p_lease_ms has died, and somebody else tries again; so a delivery may arrive twice, never out of order.
--
-- Each tenant has a share of its own, p_per_tenant less the calls the caller has under way for it (p_busy: tenant to number), so that a tenant
-- whose receivers hang takes nobody else's place. Of a tenant the longest due go first.
create or replace function holdfast.take_deliveries(
  p_limit int default 100, p_lease_ms int default 60000, p_per_tenant int default 100, p_busy jsonb default '{}'
) returns table (
  id bigint, attempt int, webhook_id bigint, webhook_tenant text, url text, secret text, type text, event_id bigint, at timestamptz, alert_id bigint,
  tenant text, rule text, subject text, value numeric, threshold numeric, data jsonb)
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
  with recursive step as (
    (select d.tenant from holdfast.webhook_delivery d where d.state = 'waiting' order by d.tenant limit 1)
    union all
    select n.tenant from step s cross join lateral (
      select d.tenant from holdfast.webhook_delivery d where d.state = 'waiting' and d.tenant > s.tenant order by d.tenant limit 1) n),
  due as (
    select x.id from step s cross join lateral (
      select d.id, d.next_at from holdfast.webhook_delivery d
      where d.tenant = s.tenant and d.state = 'waiting' and d.next_at <= v_now
        and not exists (select from holdfast.webhook_delivery o
          where o.webhook_id = d.webhook_id and o.alert_id = d.alert_id and o.state = 'waiting' and o.id < d.id)
        -- one that was written while its webhook was removed is left to forget_alerts
        and exists (select from holdfast.webhook w where w.id = d.webhook_id)
      order by d.next_at limit greatest(0, p_per_tenant - coalesce((p_busy ->> s.tenant)::int, 0)) for update skip locked) x
    order by x.next_at limit p_limit),
  taken as (
    update holdfast.webhook_delivery d set attempts = d.attempts + 1, next_at = v_now + interval '1 ms' * p_lease_ms
    from due where d.id = due.id returning d.id, d.attempts, d.webhook_id, d.type, d.event_id)
  select t.id, t.attempts, w.id, w.tenant, w.url, w.secret, t.type, e.id, e.at, e.alert_id, e.tenant, e.rule, e.subject, e.value, e.threshold, e.data
  from taken t join holdfast.webhook w on w.id = t.webhook_id join holdfast.alert_event e on e.id = t.event_id
  order by t.id;
end $$;
