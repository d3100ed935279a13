-- Running jobs whose lease is not there at all, locked for the caller. This is the one look that has to read all of `running`:
-- once, against all leases at once. Looked up lease by lease it would touch three pages for each running job.
create or replace function holdfast.orphans(p_limit int) returns table (job_id bigint, attempt int, lease bigint)
language sql
set search_path = pg_catalog, pg_temp
set enable_hashjoin = on
set enable_nestloop = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
  select r.job_id, r.attempt, r.lease from holdfast.running r
  where not exists (select from holdfast.lease l where l.id = r.lease)
  limit p_limit for update of r skip locked
$$;
