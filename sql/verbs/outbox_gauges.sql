-- What metrics tell of the outbox, for each queue that has an external trigger: how many jobs it was not told of yet, and since when the first of
-- them waits; and of how many it was told that have not been seen since. Bounded whatever there is: up to p_queues queues, which have an equal
-- share of p_most rows, where the counts of each stop.
create or replace function holdfast.outbox_gauges(p_queues int default 1000, p_most int default 100000)
returns table (queue_id int, unsent int, sent int, oldest_at timestamptz)
language sql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
  with shown as materialized (select q.id from holdfast.queue q where q.external_trigger is not null order by q.id limit p_queues),
  share as (select greatest(1000, p_most / greatest(1, count(*)))::int as jobs from shown)
  select q.id, count(*) filter (where x.sends = 0)::int, count(*) filter (where x.sends > 0)::int, min(x.created_at) filter (where x.sends = 0)
  from shown q cross join share s
  left join lateral (select o.sends, o.created_at from holdfast.outbox o where o.queue_id = q.id order by o.due_at, o.id limit s.jobs) x on true
  group by q.id order by q.id
$$;
