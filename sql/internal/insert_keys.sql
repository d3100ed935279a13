-- Writes down the keys of these jobs where nobody has them, sorted, so that two batches never deadlock. Waits for rivals that are open.
create or replace function holdfast.insert_keys(p_rows holdfast.new_job[]) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into holdfast.dedup (queue_id, key, job_id)
    select r.queue_id, r.key, min(r.id) from unnest(p_rows) r where r.key is not null and r.taken_by is distinct from 0
    group by r.queue_id, r.key order by r.queue_id, r.key collate "C"
    on conflict (queue_id, key) do nothing
$$;
