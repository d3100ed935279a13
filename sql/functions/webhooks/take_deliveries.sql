-- Sending messages to webhooks: a process takes messages that are due, sends them, and settles each.

-- Takes messages that are due, to be sent by the caller: of one alert at one webhook only the first that has
-- not arrived, so that they arrive in order. A caller that does not settle a message within p_lease_ms counts
-- as dead, and the message is taken again; so it may arrive twice, never out of order.
--
-- Each tenant has a share of its own, p_per_tenant less the calls the caller has under way for it (p_busy:
-- tenant to number), so that a tenant whose receivers hang takes no other tenant's share. Of a tenant the
-- longest due go first.
create or replace function holdfast.take_deliveries(
  p_limit int default 100, p_lease_ms int default 60000, p_per_tenant int default 100,
  p_busy jsonb default '{}'
) returns table (
  id bigint, attempt int, webhook_id bigint, webhook_tenant text, url text, secret text, type text,
  event_id bigint, at timestamptz, alert_id bigint, tenant text, rule text, subject text, value numeric,
  threshold numeric, data jsonb)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
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
      select d.tenant from holdfast.webhook_delivery d where d.state = 'waiting' and d.tenant > s.tenant
        order by d.tenant limit 1) n),
  due as (
    select x.id from step s cross join lateral (
      select d.id, d.next_at from holdfast.webhook_delivery d
      where d.tenant = s.tenant and d.state = 'waiting' and d.next_at <= v_now
        and not exists (select from holdfast.webhook_delivery o
          where o.webhook_id = d.webhook_id and o.alert_id = d.alert_id and o.state = 'waiting'
            and o.id < d.id)
        -- a message written while its webhook was removed is left to prune_alerts
        and exists (select from holdfast.webhook w where w.id = d.webhook_id)
      order by d.next_at limit greatest(0, p_per_tenant - coalesce((p_busy ->> s.tenant)::int, 0))
        for update skip locked) x
    order by x.next_at limit p_limit),
  taken as (
    update holdfast.webhook_delivery d set attempts = d.attempts + 1,
      next_at = v_now + interval '1 ms' * p_lease_ms
    from due where d.id = due.id returning d.id, d.attempts, d.webhook_id, d.type, d.event_id)
  select t.id, t.attempts, w.id, w.tenant, w.url, w.secret, t.type, e.id, e.at, e.alert_id, e.tenant, e.rule,
    e.subject, e.value, e.threshold, e.data
  from taken t join holdfast.webhook w on w.id = t.webhook_id join holdfast.alert_event e on e.id = t.event_id
  order by t.id;
end $$;

-- Records the result of sending a message. An arrival counts from any caller; a failure counts only from the
-- one that holds the message now. p_retry_ms is when to try again; null gives up. p_arrived null: the caller
-- aborted the call before a response, so it is unknown whether the message arrived, and it is due again at
-- once without counting this attempt. False: the caller no longer holds the message.
create or replace function holdfast.settle_delivery(
  p_delivery bigint, p_attempt int, p_arrived boolean, p_status int default null, p_error text default null,
  p_retry_ms bigint default null
) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
begin
  if p_arrived is null then
    update holdfast.webhook_delivery d set attempts = d.attempts - 1, next_at = v_now
      where d.id = p_delivery and d.state = 'waiting' and d.attempts = p_attempt;
    return found;
  end if;
  update holdfast.webhook_delivery d set status = p_status, error = case when p_arrived then null
    else left(p_error, 500) end,
      state = case when p_arrived then 'delivered' when p_retry_ms is null then 'failed' else 'waiting' end,
      ended_at = case when p_arrived or p_retry_ms is null then v_now end,
      next_at = case when p_arrived or p_retry_ms is null then d.next_at
        else v_now + interval '1 ms' * p_retry_ms end
    where d.id = p_delivery and d.state = 'waiting' and (p_arrived or d.attempts = p_attempt);
  return found;
end $$;
