-- Suppresses messages about an alert until p_until, or for p_for_ms from now, whether it fires now or later;
-- returns until when. Its state is still updated and recorded.
--
-- With p_end it ends the silence and returns until when it would have lasted; null: the alert was not
-- silenced. If the alert fires and no message was sent, the next evaluation sends it.
create or replace function holdfast.silence_alert(
  p_alert bigint, p_until timestamptz default null, p_for_ms bigint default null, p_actor text default null,
  p_reason text default null, p_end boolean default false
) returns timestamptz
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_until timestamptz := coalesce(p_until, v_now + interval '1 ms' * p_for_ms);
  v_before timestamptz;
begin
  if not p_end and (v_until is null or v_until <= v_now or v_until > v_now + interval '365 days') then
    perform holdfast.refuse('invalid_input', 'A silence must end in the future, within 365 days.',
      '{"path": "/until"}');
  end if;
  select a.silenced_until into v_before from holdfast.alert a where a.id = p_alert for update;
  if not found then
    perform holdfast.refuse('unknown_alert', format('There is no alert %s.', p_alert),
      jsonb_build_object('alert', p_alert));
  end if;

  if not p_end then
    update holdfast.alert a set silenced_until = v_until, silenced_by = p_actor, silence_reason = p_reason
      where a.id = p_alert;
    perform holdfast.add_alert_event(p_alert, 'silenced', v_now, p_actor, p_reason,
      jsonb_build_object('until', v_until));
    return v_until;
  end if;

  if v_before is null or v_before <= v_now then
    return null;
  end if;
  update holdfast.alert a set silenced_until = null, silenced_by = null, silence_reason = null
    where a.id = p_alert;
  perform holdfast.add_alert_event(p_alert, 'unsilenced', v_now, p_actor, p_reason);
  return v_before;
end $$;
