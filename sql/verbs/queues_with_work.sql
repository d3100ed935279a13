-- Which of these queues have something to claim, once what has fallen due is brought in: one question for all who wait, of however many queues.
create or replace function holdfast.queues_with_work(p_queues int[]) returns int[]
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
begin
  perform holdfast.bring_in_due(1000);
  return array(select q.id from holdfast.queue q
    cross join lateral (select from holdfast.ready r where r.queue_id = q.id limit 1) r
    where q.id = any (p_queues) and q.paused_at is null);
end $$;
