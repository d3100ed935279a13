-- The effective priority of a live job; null when it has ended or never was.
create or replace function holdfast.priority_of(p_job bigint) returns smallint
language sql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
  select coalesce(
    (select r.priority from holdfast.running r where r.job_id = j.id),
    (select d.priority from holdfast.delayed d where d.job_id = j.id),
    (select h.priority from holdfast.held h where h.job_id = j.id),
    (select r.priority from holdfast.ready r where r.queue_id = j.queue_id and r.level = any (holdfast.levels()) and r.job_id = j.id))
  from holdfast.job j where j.id = p_job
$$;
