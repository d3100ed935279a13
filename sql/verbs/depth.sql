-- How many jobs of these queues could be claimed now, counted up to p_most: enough to decide how many should work. Paused queues have
-- none. What has fallen due and was not brought in yet does not count; upkeep and every claim bring it in.
create or replace function holdfast.depth(p_queues int[], p_most int default 1000) returns int
language sql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
  select count(*)::int from (
    select from holdfast.queue q
    cross join lateral (select from holdfast.ready r where r.queue_id = q.id limit p_most) r
    where q.id = any (p_queues) and q.paused_at is null
    limit p_most) c
$$;
