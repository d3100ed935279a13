-- An evaluation has found that this is wrong: begins the alert, lets it fire when it has lasted long enough, and tells of it when nobody was told
-- because it was silenced then and no longer is. Answers 1 when the state changed.
create or replace function holdfast.alert_holds(
  p_tenant text, p_rule text, p_subject text, p_value numeric, p_threshold numeric, p_data jsonb, p_for_sec int, p_now timestamptz
) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_was holdfast.alert;
  v_is holdfast.alert;
begin
  select * into v_was from holdfast.alert a where a.tenant = p_tenant and a.rule = p_rule and a.subject = p_subject for update;
  if v_was.id is null then
    insert into holdfast.alert (tenant, rule, subject, state, value, threshold, data, since, seen_at)
      values (p_tenant, p_rule, p_subject, case p_for_sec when 0 then 'firing' else 'pending' end, p_value, p_threshold, p_data, p_now, p_now)
      returning * into v_is;
  else
    update holdfast.alert a set value = p_value, threshold = p_threshold, data = p_data, seen_at = p_now, calm_since = null,
        since = case v_was.state when 'cleared' then p_now else v_was.since end,
        state = case
          when v_was.state = 'firing' then 'firing'
          when p_for_sec = 0 or v_was.state = 'pending' and v_was.since <= p_now - interval '1 second' * p_for_sec then 'firing'
          else 'pending' end
      where a.id = v_was.id returning * into v_is;
  end if;
  if v_is.state = 'firing' and v_was.state is distinct from 'firing' then
    update holdfast.alert a set fired_at = p_now, told = false where a.id = v_is.id;
  end if;
  if v_is.state is distinct from v_was.state then
    perform holdfast.note_alert(v_is.id, v_is.state, p_now);
  end if;
  if v_is.silenced_until <= p_now then
    update holdfast.alert a set silenced_until = null, silenced_by = null, silence_reason = null where a.id = v_is.id;
    perform holdfast.note_alert(v_is.id, 'unsilenced', p_now, p_reason => 'its time was over');
  end if;
  if v_is.state = 'firing' and (v_was.state is distinct from 'firing' or not v_was.told) and coalesce(v_is.silenced_until <= p_now, true) then
    perform holdfast.tell_of_alert(v_is.id, 'firing', p_now);
  end if;
  return (v_is.state is distinct from v_was.state)::int;
end $$;
