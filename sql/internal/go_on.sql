-- Sends a job that was set aside back to work: claimable at once, or in line behind its target if it is not its head.
create or replace function holdfast.go_on(p_live holdfast.live) returns holdfast.state
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_target text;
begin
  if p_live.lane is null then
    select j.target into v_target from holdfast.job j join holdfast.queue q on q.id = any (array[j.queue_id])
      where j.id = p_live.job_id and q.serialize_targets;
  end if;
  if v_target is null then
    perform holdfast.to_ready(p_live);
    return 'queued';
  end if;
  perform holdfast.place_in_lanes(array[p_live.queue_id], array[v_target], array[p_live]);
  return holdfast.state_of(p_live.job_id);
end $$;
