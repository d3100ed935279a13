-- Lookups of jobs by id: their states, their retries, their queue.

-- The states of many jobs, with their tenants and queues. No row for a job that does not exist or that the
-- caller may not see.
create or replace function holdfast.states_of(p_jobs bigint[])
returns table (job_id bigint, tenant text, queue text, trigger text, state holdfast.state)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query select j.id, q.tenant, q.name, q.external_trigger, holdfast.state_of(j.id)
    from unnest(p_jobs) p (job_id) join holdfast.job j on j.id = any (array[p.job_id])
      join holdfast.queue q on q.id = any (array[j.queue_id]);
end $$;

-- Which of these jobs were retried as a new job, and the newest of those. In a strict queue a failed job
-- stays failed, and this shows whether it was retried.
create or replace function holdfast.retries_of(p_jobs bigint[])
returns table (job_id bigint, retried_as bigint)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query select j.retry_of, max(j.id) from holdfast.job j where j.retry_of = any (p_jobs)
    group by j.retry_of;
end $$;

-- The queue of a job. A query of the view `jobs` should give both id and queue_id: with the queue known,
-- Postgres 15 to 17 find the job in `ready` by its index instead of scanning it.
create or replace function holdfast.queue_of(p_job bigint) returns int
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$ select j.queue_id from holdfast.job j where j.id = p_job $$;
