-- Gives a job up without another run: it ends as failed, reason `discarded`. Only for jobs that have been tried before or
-- are set aside; a worker may do it too.
create or replace function holdfast.discard(p_job bigint, p_actor text default null, p_reason text default null) returns holdfast.state
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lifted record := holdfast.lift(p_job);
begin
  if v_lifted.state is null or not (v_lifted.state in ('retrying', 'paused', 'errored', 'parked')
    or v_lifted.state = 'queued' and (v_lifted.live).attempt > 0) then
    perform holdfast.refuse_state(p_job, 'be_discarded', v_lifted.state);
  end if;
  perform holdfast.to_ended(v_lifted.live, 'failed', 'discarded');
  perform holdfast.note('discarded', p_job, (v_lifted.live).queue_id, p_actor, p_reason, jsonb_build_object('from', v_lifted.state));
  return 'failed';
end $$;
