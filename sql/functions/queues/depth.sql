-- How many jobs of these queues could be claimed now, counted up to p_max: enough to decide how many workers
-- to run. Paused queues have none. Jobs that have fallen due and were not promoted yet do not count; upkeep
-- and every claim promote them.
create or replace function holdfast.depth(p_queues int[], p_max int default 1000) returns int
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select count(*)::int from (
    select from holdfast.queue q
    cross join lateral (select from holdfast.ready r where r.queue_id = q.id limit p_max) r
    where q.id = any (p_queues) and q.paused_at is null
    limit p_max) c
$$;

-- The same by queue and kind: the first p_max jobs of each queue, in the order they will be claimed. The kind
-- is a column of `job`, so each job costs one lookup there.
create or replace function holdfast.depth_by_kind(p_queues int[], p_max int default 1000)
returns table (queue_id int, kind text, jobs int)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select q.id, j.kind, count(*)::int from holdfast.queue q
  cross join lateral (select r.job_id from holdfast.ready r where r.queue_id = q.id order by r.level, r.job_id
    limit p_max) r
  join holdfast.job j on j.id = any (array[r.job_id])
  where q.id = any (p_queues) and q.paused_at is null
  group by q.id, j.kind
$$;
