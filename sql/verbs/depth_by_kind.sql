-- What could be claimed now, by queue and kind: of each queue the first p_most jobs, in the order they will be claimed. Paused queues have
-- none. A job's kind stands in `job`, so each job looked at costs one lookup there.
create or replace function holdfast.depth_by_kind(p_queues int[], p_most int default 1000)
returns table (queue_id int, kind text, jobs int)
language sql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
  select q.id, j.kind, count(*)::int from holdfast.queue q
  cross join lateral (select r.job_id from holdfast.ready r where r.queue_id = q.id order by r.level, r.job_id limit p_most) r
  join holdfast.job j on j.id = any (array[r.job_id])
  where q.id = any (p_queues) and q.paused_at is null
  group by q.id, j.kind
$$;
