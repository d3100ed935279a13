-- Evaluates the alert rules: begins, fires and clears alerts, and writes the messages for webhooks.

-- Evaluates every rule, if an evaluation is due and no other process is evaluating; returns how many alerts
-- changed, or null where it did nothing. Any number of nodes may call it: the one that moves the tick
-- evaluates, so each tick is evaluated once and each transition happens once.
--
-- An alert is pending until its condition has lasted long enough, fires from then on, and clears when the
-- condition has been over for long enough. The messages to webhooks are written in the same transaction:
-- either the alert changed and its messages are there, or neither.
create or replace function holdfast.check_alerts() returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_every interval := interval '1 second' * holdfast.setting_number('ALERT_EVERY_SEC')::int;
  v_for int := holdfast.setting_number('ALERT_FOR_SEC');
  v_clear int := holdfast.setting_number('ALERT_CLEAR_SEC');
  v_alerts_max int := holdfast.setting_number('ALERTS_PER_TENANT');
  v_next timestamptz;
  v_changed int := 0;
  v_found record;
begin
  perform holdfast.check_sight(p_all => true);
  select t.next_at into v_next from holdfast.alert_tick t for update skip locked;
  -- a tick too far ahead was set by another clock, or before the setting changed
  if not found or v_next > v_now and v_next <= v_now + v_every then
    return null;
  end if;
  update holdfast.alert_tick set next_at = date_bin(v_every, v_now, 'epoch'::timestamptz) + v_every;

  for v_found in
    select w.tenant, w.rule, w.subject, w.value, w.data, w.threshold, w.for_sec from (
    select f.tenant, f.rule, f.subject, f.value, f.data, x.threshold, x.for_sec,
      -- existing alerts come first, so that a flood of new ones clears none of them
      row_number() over (partition by f.tenant order by
        (select a.id from holdfast.alert a where a.tenant = f.tenant and a.rule = f.rule
          and a.subject = f.subject and a.state <> 'cleared'),
        f.rule, f.subject) as n
    from holdfast.alert_values() f join holdfast.alert_defaults() d on d.rule = f.rule
    left join holdfast.alert_rule o on o.tenant = f.tenant and o.rule = f.rule and o.subject = f.subject
    left join holdfast.alert_rule t on t.tenant = f.tenant and t.rule = f.rule and t.subject = ''
    cross join lateral (select coalesce(o.enabled, t.enabled, true) as enabled,
      coalesce(o.threshold, t.threshold, d.threshold) as threshold,
      coalesce(o.for_sec, t.for_sec, v_for) as for_sec) x
    where x.enabled and f.value > x.threshold) w
    -- as many as a person can read, counted per tenant: a tenant with more takes no other tenant's share
    where w.n <= v_alerts_max
    order by w.tenant, w.n
  loop
    v_changed := v_changed + holdfast.alert_holds(v_found.tenant, v_found.rule, v_found.subject,
      v_found.value, v_found.threshold, v_found.data, v_found.for_sec, v_now);
  end loop;
  for v_found in
    select a.id, coalesce(o.clear_sec, t.clear_sec, v_clear) as clear_sec from holdfast.alert a
    left join holdfast.alert_rule o on o.tenant = a.tenant and o.rule = a.rule and o.subject = a.subject
    left join holdfast.alert_rule t on t.tenant = a.tenant and t.rule = a.rule and t.subject = ''
    where a.state <> 'cleared' and a.seen_at < v_now order by a.id
  loop
    v_changed := v_changed + holdfast.alert_calms(v_found.id, v_found.clear_sec, v_now);
  end loop;
  perform holdfast.prune_alerts(100, v_now);
  return v_changed;
end $$;

-- Updates an alert whose condition an evaluation has found: begins it, fires it when the condition has lasted
-- long enough, and notifies webhooks, also when it fired while it was silenced and no longer is. Returns 1
-- when the state changed.
create or replace function holdfast.alert_holds(
  p_tenant text, p_rule text, p_subject text, p_value numeric, p_threshold numeric, p_data jsonb,
  p_for_sec int, p_now timestamptz
) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before holdfast.alert;
  v_after holdfast.alert;
begin
  select * into v_before from holdfast.alert a where a.tenant = p_tenant and a.rule = p_rule
    and a.subject = p_subject for update;
  if v_before.id is null then
    insert into holdfast.alert (tenant, rule, subject, state, value, threshold, data, since, seen_at)
      values (p_tenant, p_rule, p_subject, case p_for_sec when 0 then 'firing' else 'pending' end, p_value,
        p_threshold, p_data, p_now, p_now)
      returning * into v_after;
  else
    update holdfast.alert a set value = p_value, threshold = p_threshold, data = p_data, seen_at = p_now,
        calm_since = null, since = case v_before.state when 'cleared' then p_now else v_before.since end,
        state = case
          when v_before.state = 'firing' then 'firing'
          when p_for_sec = 0 or v_before.state = 'pending'
            and v_before.since <= p_now - interval '1 second' * p_for_sec then 'firing'
          else 'pending' end
      where a.id = v_before.id returning * into v_after;
  end if;
  if v_after.state = 'firing' and v_before.state is distinct from 'firing' then
    update holdfast.alert a set fired_at = p_now, notified = false where a.id = v_after.id;
  end if;
  if v_after.state is distinct from v_before.state then
    perform holdfast.add_alert_event(v_after.id, v_after.state, p_now);
  end if;
  if v_after.silenced_until <= p_now then
    update holdfast.alert a set silenced_until = null, silenced_by = null, silence_reason = null
      where a.id = v_after.id;
    perform holdfast.add_alert_event(v_after.id, 'unsilenced', p_now, p_reason => 'the silence expired');
  end if;
  if v_after.state = 'firing' and (v_before.state is distinct from 'firing' or not v_before.notified)
    and coalesce(v_after.silenced_until <= p_now, true) then
    perform holdfast.add_alert_deliveries(v_after.id, 'firing', p_now);
  end if;
  return (v_after.state is distinct from v_before.state)::int;
end $$;

-- Updates an alert whose condition an evaluation has not found any more. A pending one is over at once; a
-- firing one clears when the condition has been over for long enough, and webhooks that were notified of it
-- are notified of that, silenced or not. Returns 1 when the state changed.
create or replace function holdfast.alert_calms(p_alert bigint, p_clear_sec int, p_now timestamptz)
returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before holdfast.alert;
begin
  select * into v_before from holdfast.alert a where a.id = p_alert for update;
  if v_before.state = 'firing'
    and coalesce(v_before.calm_since, p_now) > p_now - interval '1 second' * p_clear_sec then
    update holdfast.alert a set calm_since = p_now where a.id = p_alert and a.calm_since is null;
    return 0;
  end if;
  update holdfast.alert a set state = 'cleared', since = p_now, calm_since = null, notified = false
    where a.id = p_alert;
  perform holdfast.add_alert_event(p_alert, case v_before.state when 'firing' then 'cleared'
    else 'passed' end, p_now);
  if v_before.notified then
    perform holdfast.add_alert_deliveries(p_alert, 'cleared', p_now);
  end if;
  return 1;
end $$;

-- Records a transition of an alert for good, with its values at the time; subscribers of the feed receive all
-- but `pending` and `passed`.
create or replace function holdfast.add_alert_event(
  p_alert bigint, p_type text, p_now timestamptz, p_actor text default null, p_reason text default null,
  p_data jsonb default null
) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into holdfast.alert_event (alert_id, at, tenant, rule, subject, type, value, threshold, actor,
    reason, data)
  select a.id, p_now, a.tenant, a.rule, a.subject, p_type, a.value, a.threshold, p_actor, p_reason,
    coalesce(p_data, a.data)
  from holdfast.alert a where a.id = p_alert;

  insert into holdfast.event (at, tenant, type, actor, reason, data)
  select p_now, a.tenant, 'alert_' || p_type, p_actor, p_reason,
    jsonb_build_object('alert', a.id, 'rule', a.rule, 'subject', a.subject, 'value', a.value, 'threshold',
      a.threshold)
  from holdfast.alert a where a.id = p_alert and p_type in ('firing', 'cleared', 'silenced', 'unsilenced')
$$;

-- Writes a message about the last transition of an alert to each webhook that subscribes to its rule. A
-- webhook that accepts nothing must not fill the table: with a thousand messages waiting, further ones are
-- recorded as dropped.
create or replace function holdfast.add_alert_deliveries(p_alert bigint, p_type text, p_now timestamptz)
returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  update holdfast.alert a set notified = true where a.id = p_alert and p_type = 'firing';

  insert into holdfast.webhook_delivery (webhook_id, tenant, alert_id, event_id, type, state, created_at,
    next_at, ended_at, error)
  select w.id, w.tenant, a.id, e.id, p_type, case when x.is_full then 'dropped' else 'waiting' end,
    p_now, p_now, case when x.is_full then p_now end,
    case when x.is_full then 'too many deliveries were waiting' end
  from holdfast.alert a
  cross join lateral (select v.id from holdfast.alert_event v where v.alert_id = a.id order by v.id desc
    limit 1) e
  join holdfast.webhook w on w.tenant in (a.tenant, '*') and w.enabled
    and (w.rules is null or a.rule = any (w.rules))
  cross join lateral (select count(*) >= 1000 as is_full from (
    select from holdfast.webhook_delivery d where d.webhook_id = w.id and d.state = 'waiting' limit 1000) d) x
  where a.id = p_alert
$$;
