-- The outbox of each queue that has an external trigger, of one tenant and trigger or of all: messages not
-- sent yet, messages sent for jobs that are still there, and since when the oldest unsent one waits. Rows
-- that are being sent count as unsent. Bounded: up to p_queues queues, and of each p_per_queue rows, or an
-- equal share of p_max.
create or replace function holdfast.outbox_counts(p_tenant text default null, p_trigger text default null,
  p_per_queue int default null, p_queues int default 1000, p_max int default 100000)
returns table (queue_id int, unsent int, sent int, oldest_at timestamptz)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  with listed as materialized (
    select q.id from holdfast.queue q
    where q.external_trigger is not null and (p_tenant is null or q.tenant = p_tenant)
      and (p_trigger is null or q.external_trigger = p_trigger)
    order by q.id limit p_queues),
  share as (
    select coalesce(p_per_queue, greatest(1000, p_max / greatest(1, count(*))))::int as jobs from listed)
  select q.id, count(*) filter (where x.sends = 0)::int, count(*) filter (where x.sends > 0)::int,
    min(x.created_at) filter (where x.sends = 0)
  from listed q cross join share s
  left join lateral (
    select o.sends, o.created_at from holdfast.outbox o where o.queue_id = q.id
    order by o.due_at, o.id limit s.jobs) x on true
  group by q.id order by q.id
$$;
