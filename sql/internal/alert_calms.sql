-- An evaluation has not found it any more. What had not fired passes at once; what fires clears when it has been over for long enough, and those
-- who were told that it fires are told so, silenced or not: nobody should keep looking after what is over. Answers 1 when the state changed.
create or replace function holdfast.alert_calms(p_alert bigint, p_clear_sec int, p_now timestamptz) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_was holdfast.alert;
begin
  select * into v_was from holdfast.alert a where a.id = p_alert for update;
  if v_was.state = 'firing' and coalesce(v_was.calm_since, p_now) > p_now - interval '1 second' * p_clear_sec then
    update holdfast.alert a set calm_since = p_now where a.id = p_alert and a.calm_since is null;
    return 0;
  end if;
  update holdfast.alert a set state = 'cleared', since = p_now, calm_since = null, told = false where a.id = p_alert;
  perform holdfast.note_alert(p_alert, case v_was.state when 'firing' then 'cleared' else 'passed' end, p_now);
  if v_was.told then
    perform holdfast.tell_of_alert(p_alert, 'cleared', p_now);
  end if;
  return 1;
end $$;
