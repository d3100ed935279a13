-- Gauges of each queue for metrics: whether it is paused, its live jobs by state, since when the job that has
-- waited longest could have been claimed, and since when a job has waited for an operator. Bounded: up to
-- p_queues queues, and about p_max jobs examined in each table. Every queue has an equal share of them in
-- `ready`, `counted_max`, where its count stops. The oldest job is searched among the first twenty of each
-- level: the first in a level was created first, and few come back to it.
create or replace function holdfast.queue_gauges(p_queues int default 1000, p_max int default 100000)
returns table (queue_id int, tenant text, queue text, paused boolean, counts jsonb, counted_max int,
  oldest_ready timestamptz, blocked_since timestamptz)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  with recursive step as (
    (select r.queue_id, r.level from holdfast.ready r order by r.queue_id, r.level limit 1)
    union all
    select n.queue_id, n.level from step s cross join lateral (
      select r.queue_id, r.level from holdfast.ready r where (r.queue_id, r.level) > (s.queue_id, s.level)
        order by r.queue_id, r.level limit 1) n),
  listed as materialized (select q.id, q.tenant, q.name, q.paused_at is not null as paused
    from holdfast.queue q order by q.id limit p_queues),
  share as (select greatest(1000, p_max / greatest(1, count(*)))::int as jobs from listed),
  oldest as (
    select f.queue_id, min(coalesce(x.since, j.created_at)) as since
    from (select s.queue_id, s.level from step s limit 10000) f
    cross join lateral (select r.job_id, r.since from holdfast.ready r where r.queue_id = f.queue_id
      and r.level = f.level order by r.job_id limit 20) x
    join holdfast.job j on j.id = any (array[x.job_id])
    group by f.queue_id),
  counted as (
    -- from the far end of the index, where no dead entries are
    select o.queue_id, 'queued' as state, c.jobs from oldest o cross join share s
    cross join lateral (select count(*) as jobs from (
      select from holdfast.ready r where r.queue_id = o.queue_id
      order by r.level desc, r.job_id desc limit s.jobs) x) c
    union all
    select e.queue_id, e.state, e.jobs from holdfast.count_elsewhere(p_max) e),
  states as (select c.queue_id, jsonb_object_agg(c.state, c.jobs) as counts from counted c
    group by c.queue_id)
  select q.id, q.tenant, q.name, q.paused, coalesce(s.counts, '{}'), share.jobs, o.since,
    (select h.since from holdfast.held h where h.queue_id = q.id
      and h.state in ('paused', 'errored', 'parked') order by h.since limit 1)
  from listed q cross join share left join states s on s.queue_id = q.id
    left join oldest o on o.queue_id = q.id
  order by q.id
$$;

-- Live jobs that are not in `ready`, by queue and state. These tables have no index by queue, and nothing
-- else needs one: so each is scanned once, and no further than p_max rows. A larger table is counted up to
-- that.
create or replace function holdfast.count_elsewhere(p_max int)
returns table (queue_id int, state text, jobs bigint)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select d.queue_id, d.state::text, count(*) from (select x.queue_id, x.state from holdfast.delayed x
    limit p_max) d group by 1, 2
  union all
  select h.queue_id, h.state::text, count(*) from (select x.queue_id, x.state from holdfast.held x
    limit p_max) h group by 1, 2
  union all
  select r.queue_id, r.state, count(*) from (
    select x.queue_id, case when x.started_at is null then 'assigned' else 'running' end as state
      from holdfast.running x limit p_max) r
    group by 1, 2
$$;
