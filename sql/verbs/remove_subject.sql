-- Takes a subject out of the registry; jobs of it stay. Its next success brings it back: to keep it from being asked for, disable it.
create or replace function holdfast.remove_subject(p_subject bigint, p_actor text default null, p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_subject holdfast.subject;
begin
  delete from holdfast.subject s where s.id = p_subject returning s.* into v_subject;
  if not found then
    perform holdfast.refuse('unknown_subject', format('There is no subject %s.', p_subject), jsonb_build_object('subject', p_subject));
  end if;
  perform holdfast.note('subject_removed', null, v_subject.queue_id, p_actor, p_reason, jsonb_build_object('subject', v_subject.name));
end $$;
