-- Where jobs are that somebody was told about, and whose they are. No row: there is no such job, or none of a tenant of ours.
create or replace function holdfast.states_of(p_jobs bigint[])
returns table (job_id bigint, tenant text, queue text, trigger text, state holdfast.state)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query select j.id, q.tenant, q.name, q.external_trigger, holdfast.state_of(j.id)
    from unnest(p_jobs) p (job_id) join holdfast.job j on j.id = any (array[p.job_id]) join holdfast.queue q on q.id = any (array[j.queue_id]);
end $$;
