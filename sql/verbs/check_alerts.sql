-- Evaluates every rule, if it is time and nobody else is at it; answers how many alerts changed, or null when it was not for us to do.
-- Any number of nodes may call it: whoever moves the tick evaluates, so each tick is evaluated once and each transition happens once.
--
-- An alert is pending while what it is about has not lasted long enough, fires from then on, and clears when it has been over long enough.
-- Telling people is part of the same transaction: either the alert changed and its deliveries are written, or neither.
create or replace function holdfast.check_alerts() returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_every interval := interval '1 second' * holdfast.setting_number('ALERT_EVERY_SEC')::int;
  v_for int := holdfast.setting_number('ALERT_FOR_SEC');
  v_clear int := holdfast.setting_number('ALERT_CLEAR_SEC');
  v_most int := holdfast.setting_number('ALERTS_PER_TENANT');
  v_next timestamptz;
  v_changed int := 0;
  v_found record;
begin
  perform holdfast.check_sight(p_all => true);
  select t.next_at into v_next from holdfast.alert_tick t for update skip locked;
  -- one that lies further ahead than it could was made by another clock, or before the setting changed
  if not found or v_next > v_now and v_next <= v_now + v_every then
    return null;
  end if;
  update holdfast.alert_tick set next_at = date_bin(v_every, v_now, 'epoch'::timestamptz) + v_every;

  for v_found in
    select w.tenant, w.rule, w.subject, w.value, w.data, w.threshold, w.for_sec from (
    select f.tenant, f.rule, f.subject, f.value, f.data, x.threshold, x.for_sec,
      -- those that stand already come first, so that a flood clears none of them
      row_number() over (partition by f.tenant order by
        (select a.id from holdfast.alert a where a.tenant = f.tenant and a.rule = f.rule and a.subject = f.subject and a.state <> 'cleared'),
        f.rule, f.subject) as n
    from holdfast.alert_values() f join holdfast.alert_defaults() d on d.rule = f.rule
    left join holdfast.alert_rule o on o.tenant = f.tenant and o.rule = f.rule and o.subject = f.subject
    left join holdfast.alert_rule t on t.tenant = f.tenant and t.rule = f.rule and t.subject = ''
    cross join lateral (select coalesce(o.enabled, t.enabled, true) as enabled, coalesce(o.threshold, t.threshold, d.threshold) as threshold,
      coalesce(o.for_sec, t.for_sec, v_for) as for_sec) x
    where x.enabled and f.value > x.threshold) w
    -- as many as anybody could read, of each tenant by itself: one that has more takes nobody else's place
    where w.n <= v_most
    order by w.tenant, w.n
  loop
    v_changed := v_changed + holdfast.alert_holds(v_found.tenant, v_found.rule, v_found.subject, v_found.value, v_found.threshold, v_found.data,
      v_found.for_sec, v_now);
  end loop;
  for v_found in
    select a.id, coalesce(o.clear_sec, t.clear_sec, v_clear) as clear_sec from holdfast.alert a
    left join holdfast.alert_rule o on o.tenant = a.tenant and o.rule = a.rule and o.subject = a.subject
    left join holdfast.alert_rule t on t.tenant = a.tenant and t.rule = a.rule and t.subject = ''
    where a.state <> 'cleared' and a.seen_at < v_now order by a.id
  loop
    v_changed := v_changed + holdfast.alert_calms(v_found.id, v_found.clear_sec, v_now);
  end loop;
  perform holdfast.forget_alerts(100, v_now);
  return v_changed;
end $$;
