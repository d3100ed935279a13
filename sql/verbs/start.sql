-- Notes that jobs have begun: assigned becomes running. Workers send it with a heartbeat, for jobs still running by then;
-- an UPDATE for every job would cost more than a third of a finish, and finish carries the true start anyway.
-- Answers those that are noted as begun, now or by an earlier call. A row that somebody has locked (an open cancel, the transaction of a
-- handler that completes its job in it) is skipped and not answered: send it again with the next heartbeat.
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
  with free as materialized (
    select r.ctid as tid, r.job_id, r.attempt, r.started_at, i.ago_ms
    from unnest(p_jobs, p_attempts, p_leases, p_ago_ms) i (job_id, attempt, lease, ago_ms)
    join holdfast.running r on r.job_id = any (array[i.job_id]) and r.attempt = i.attempt and r.lease = i.lease
    for no key update of r skip locked),
  begun as (
    update holdfast.running r set started_at = holdfast.now() - interval '1 ms' * coalesce(f.ago_ms, 0)
    from free f where r.ctid = f.tid and f.started_at is null returning r.job_id, r.attempt)
  select b.job_id, b.attempt from begun b
  union all
  select f.job_id, f.attempt from free f where f.started_at is not null
$$;
