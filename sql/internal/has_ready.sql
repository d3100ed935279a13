-- Whether a claimer with this hint would find anything in a queue: asked before a limited queue is locked, so that polling an
-- empty one writes nothing.
create or replace function holdfast.has_ready(p_queue int, p_level smallint, p_job bigint) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
as $$
  select exists (select from holdfast.ready x where x.queue_id = p_queue and (x.level, x.job_id) > (coalesce(p_level, -1), coalesce(p_job, 0)))
    or exists (select from holdfast.ready x where x.queue_id = p_queue and x.level < p_level)
    or exists (select from holdfast.ready x where x.queue_id = p_queue and x.level = p_level and x.job_id <= p_job and x.since is not null)
$$;
