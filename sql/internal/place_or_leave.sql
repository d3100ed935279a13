-- place_in_lanes, but with p_wait_ms a line that another transaction holds for longer is not waited for: the jobs stay arrivals, and the next
-- claim or upkeep puts them in line.
create or replace function holdfast.place_or_leave(p_queues int[], p_targets text[], p_rows holdfast.live[], p_wait_ms int) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_wait_ms is null then
    perform holdfast.place_in_lanes(p_queues, p_targets, p_rows);
    return;
  end if;
  begin
    perform holdfast.place_in_lanes(p_queues, p_targets, p_rows);
  exception when lock_not_available then
    insert into holdfast.held (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, state, since, target)
      select r.job_id, r.queue_id, r.attempt, r.interruptions, r.priority, r.failures, r.losses, r.keyed, 'waiting', holdfast.now(), r.target
      from unnest(p_targets, p_rows) r (target, job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed);
  end;
end $$;
