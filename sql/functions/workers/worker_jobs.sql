-- The jobs of a tenant that a worker holds, the oldest first, at most p_limit. `running` has no index by
-- worker, and nothing else needs one: at most p_examined rows of it are examined.
create or replace function holdfast.worker_jobs(p_tenant text, p_worker text, p_limit int default 100,
  p_examined int default 10000)
returns table (id bigint, queue text, kind text, attempt int, claimed_at timestamptz, started_at timestamptz,
  cancel_requested boolean)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_worker int := (select w.id from holdfast.worker w where w.name = p_worker);
begin
  return query
  select h.job_id, h.queue, j.kind, h.attempt, h.claimed_at, h.started_at, h.cancel_requested
  from (
    select r.job_id, q.name as queue, r.attempt, r.claimed_at, r.started_at, r.cancel_requested
    from (select x.job_id, x.queue_id, x.worker_id, x.attempt, x.claimed_at, x.started_at, x.cancel_requested
      from holdfast.running x limit p_examined) r
    join holdfast.queue q on q.id = r.queue_id and q.tenant = p_tenant
    where r.worker_id = v_worker order by r.claimed_at, r.job_id limit p_limit) h
  join holdfast.job j on j.id = any (array[h.job_id])
  order by h.claimed_at, h.job_id;
end $$;
