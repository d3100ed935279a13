-- Ends a job that is set aside or waits behind its target, as canceled with reason `skipped`, and lets its target go on.
create or replace function holdfast.skip(p_job bigint, p_actor text default null, p_reason text default null) returns holdfast.state
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lifted record := holdfast.lift(p_job);
begin
  if v_lifted.state is null or v_lifted.state not in ('paused', 'errored', 'parked', 'waiting') then
    perform holdfast.refuse_state(p_job, 'be_skipped', v_lifted.state);
  end if;
  if v_lifted.state = 'waiting' and exists (select from holdfast.queue q where q.id = (v_lifted.live).queue_id and q.strict) then
    perform holdfast.refuse('strict_queue', format('Job %s is in a strict queue and was never tried: it cannot end.', p_job), jsonb_build_object('job_id', p_job));
  end if;
  perform holdfast.to_ended(v_lifted.live, 'canceled', 'skipped');
  perform holdfast.note('skipped', p_job, (v_lifted.live).queue_id, p_actor, p_reason, jsonb_build_object('from', v_lifted.state));
  return 'canceled';
end $$;
