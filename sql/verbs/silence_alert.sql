-- Tells nobody of this alert until p_until, or for p_for_ms from now, whether it fires now or later; answers until when. What it is and how it
-- changes is kept as ever.
create or replace function holdfast.silence_alert(
  p_alert bigint, p_until timestamptz, p_for_ms bigint, p_actor text default null, p_reason text default null
) returns timestamptz
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_until timestamptz := coalesce(p_until, v_now + interval '1 ms' * p_for_ms);
begin
  if v_until is null or v_until <= v_now or v_until > v_now + interval '365 days' then
    perform holdfast.refuse('invalid_input', 'A silence must end in the future, within 365 days.', '{"path": "/until"}');
  end if;
  update holdfast.alert a set silenced_until = v_until, silenced_by = p_actor, silence_reason = p_reason where a.id = p_alert;
  if not found then
    perform holdfast.refuse('unknown_alert', format('There is no alert %s.', p_alert), jsonb_build_object('alert', p_alert));
  end if;
  perform holdfast.note_alert(p_alert, 'silenced', v_now, p_actor, p_reason, jsonb_build_object('until', v_until));
  return v_until;
end $$;
