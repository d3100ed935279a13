-- Those of these claims whose row another transaction has locked just now. finish gives up on such a row after two seconds; its caller then
-- asks for them, ends all others, and sends these again later, so that one open transaction keeps only its own job waiting.
create or replace function holdfast.locked_claims(p_jobs bigint[], p_attempts int[], p_leases bigint[]) returns table (job_id bigint, attempt int)
language sql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
  with held as materialized (
    select r.job_id, r.attempt from unnest(p_jobs, p_attempts, p_leases) i (job_id, attempt, lease)
    join holdfast.running r on r.job_id = any (array[i.job_id]) and r.attempt = i.attempt and r.lease = i.lease),
  free as materialized (
    select r.job_id from holdfast.running r where r.job_id = any (array(select h.job_id from held h)) for update skip locked)
  select h.job_id, h.attempt from held h where h.job_id <> all (array(select f.job_id from free f))
$$;
