-- Ends attempts, many at once, each with its own outcome: succeeded, failed, canceled, snoozed, released, parked.
-- A row that another transaction keeps locked fails the call after two seconds (55P03): see locked_claims.
-- accepted = false: the lease was lost, somebody else has the job or has ended it, and nothing of this was written.
create or replace function holdfast.finish(
  p_jobs bigint[], p_attempts int[], p_leases bigint[], p_outcomes text[], p_started_ago_ms int[] default null, p_details jsonb[] default null
) returns table (job_id bigint, attempt int, accepted boolean, state holdfast.state, due_at timestamptz)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '2s'
as $$
begin
  if 'lost' = any (p_outcomes) then
    perform holdfast.refuse('invalid_input', 'A worker cannot say lost: that is what the system says of it.', '{"path": "/outcome"}');
  end if;
  return query select e.job_id, e.attempt, e.accepted, e.state, e.due_at
    from holdfast.end_attempts(p_jobs, p_attempts, p_leases, p_outcomes::holdfast.outcome[], p_started_ago_ms, p_details) e;
end $$;
