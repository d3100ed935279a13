-- Changes a registered subject: stale_after_ms (null: as the setting STALE_DAYS says) and enabled; what p_changes does not name stays.
create or replace function holdfast.set_subject(p_subject bigint, p_changes jsonb, p_actor text default null, p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_subject holdfast.subject;
begin
  update holdfast.subject s set
      stale_after_ms = case when p_changes ? 'stale_after_ms' then (p_changes ->> 'stale_after_ms')::bigint else s.stale_after_ms end,
      enabled = coalesce((p_changes ->> 'enabled')::boolean, s.enabled)
    where s.id = p_subject returning s.* into v_subject;
  if not found then
    perform holdfast.refuse('unknown_subject', format('There is no subject %s.', p_subject), jsonb_build_object('subject', p_subject));
  end if;
  perform holdfast.note('subject_set', null, v_subject.queue_id, p_actor, p_reason, p_changes || jsonb_build_object('subject', v_subject.name));
end $$;
