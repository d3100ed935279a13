-- Ends a silence. If the alert fires and nobody was told, the next evaluation tells. False: it was not silenced.
create or replace function holdfast.unsilence_alert(p_alert bigint, p_actor text default null, p_reason text default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
begin
  perform holdfast.refuse('unknown_alert', format('There is no alert %s.', p_alert), jsonb_build_object('alert', p_alert))
    where not exists (select from holdfast.alert a where a.id = p_alert);
  update holdfast.alert a set silenced_until = null, silenced_by = null, silence_reason = null where a.id = p_alert and a.silenced_until > v_now;
  if not found then
    return false;
  end if;
  perform holdfast.note_alert(p_alert, 'unsilenced', v_now, p_actor, p_reason);
  return true;
end $$;
