-- Ends attempts that succeeded and have nothing more to say: `finish` for the most usual end, on the shortest way. Answers only
-- those that were not accepted, which as a rule are none: a row of an answer costs as much as a lookup.
create or replace function holdfast.finish_succeeded(p_jobs bigint[], p_attempts int[], p_leases bigint[], p_started_ago_ms int[] default null)
returns table (job_id bigint, attempt int)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '2s'
as $$
begin
  if holdfast.is_rising(p_jobs)
    and cardinality((select s.jobs from holdfast.succeed(p_jobs, p_attempts, p_leases, p_started_ago_ms) s)) = cardinality(p_jobs) then
    return;
  end if;
  -- What has just been ended is the same call again to it.
  return query select e.job_id, e.attempt
    from holdfast.end_attempts(p_jobs, p_attempts, p_leases, array_fill('succeeded'::holdfast.outcome, array[cardinality(p_jobs)]),
      p_started_ago_ms, null) e
    where not e.accepted;
end $$;
