-- What became of each job a producer asked for, in the order asked.
create or replace function holdfast.enqueue_answer(p_rows holdfast.new_job[]) returns table (n int, job_id bigint, status text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select r.n, case r.taken_by when 0 then null else coalesce(r.taken_by, r.id) end,
    case when r.taken_by = 0 then 'busy' when r.taken_by is null then 'created' when q.dedup = 'reject' then 'rejected' else 'existing' end
  from unnest(p_rows) r join holdfast.queue q on q.id = r.queue_id order by r.n
$$;
