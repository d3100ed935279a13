-- Since when a ready job of a queue by priority should have been raised for its waiting, had anybody looked: it has waited long enough, and
-- the last three times were missed. In the future where all is well; null where there is nothing to raise.
create or replace function holdfast.unraised_since(p_job holdfast.job) returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select greatest(
    coalesce(r.since, p_job.created_at) + interval '1 s' * holdfast.setting_number('AGE_AFTER_SEC')::double precision,
    (select c.last_run_at from holdfast.chore c where c.name = 'age')) + interval '3 s' * holdfast.setting_number('AGE_EVERY_SEC')::double precision
  from holdfast.ready r
  where r.queue_id = p_job.queue_id and r.level = any (holdfast.levels()) and r.job_id = p_job.id
    and r.priority < holdfast.setting_number('AGE_CAP') and holdfast.setting_number('AGE_STEP') > 0
$$;
