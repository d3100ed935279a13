-- Notes that jobs have begun: assigned becomes running. Workers send it with a heartbeat, for jobs still running by then;
-- an UPDATE for every job would cost more than a third of a finish, and finish carries the true start anyway.
create or replace function holdfast.start(p_jobs bigint[], p_attempts int[], p_leases bigint[], p_ago_ms int[] default null)
returns table (job_id bigint, attempt int)
language sql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
  update holdfast.running r set started_at = holdfast.now() - interval '1 ms' * coalesce(i.ago_ms, 0)
  from unnest(p_jobs, p_attempts, p_leases, p_ago_ms) i (job_id, attempt, lease, ago_ms)
  where r.job_id = any (array[i.job_id]) and r.attempt = i.attempt and r.lease = i.lease and r.started_at is null
  returning r.job_id, r.attempt
$$;
