-- Sends a paused, errored or parked job back to work; it stays the head of its target, ahead of those behind it.
create or replace function holdfast.resume(p_job bigint, p_actor text default null, p_reason text default null) returns holdfast.state
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lifted record := holdfast.lift(p_job);
  v_live holdfast.live := v_lifted.live;
begin
  if v_lifted.state is null or v_lifted.state not in ('paused', 'errored', 'parked') then
    perform holdfast.refuse_state(p_job, 'be_resumed', v_lifted.state);
  end if;
  if v_lifted.state = 'errored' then
    v_live.failures := 0;
    v_live.losses := 0;
  end if;
  perform holdfast.note('resumed', p_job, v_live.queue_id, p_actor, p_reason, jsonb_build_object('from', v_lifted.state));
  return holdfast.go_on(v_live);
end $$;
