-- How many live jobs the queues of these tenants have, by place: of p_queues queues, each count up to p_max.
-- `queued` and `blocked` are counted through an index. The other places have no index by queue, and nothing
-- else needs one: each table is scanned once, and no further than p_examined rows. `capped` names the counts
-- that stopped before their end: there may be more.
create or replace function holdfast.queue_counts(p_tenants text[], p_queues int default 1000,
  p_max int default 1000, p_examined int default 20000)
returns table (queue_id int, tenant text, queue text, queued bigint, running bigint, delayed bigint,
  waiting bigint, blocked bigint, capped text[])
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  with listed as materialized (
    select q.id, q.tenant, q.name from holdfast.queue q where q.tenant = any (p_tenants)
    order by q.tenant, q.name limit p_queues),
  place as materialized (select p.* from holdfast.examined_places(p_examined) p),
  examined as materialized (
    select p.queue_id, coalesce(sum(p.jobs) filter (where p.place = 'running'), 0)::bigint as running,
      coalesce(sum(p.jobs) filter (where p.place = 'delayed'), 0)::bigint as delayed,
      coalesce(sum(p.jobs) filter (where p.state in ('pending', 'waiting')), 0)::bigint as waiting
    from place p group by 1),
  cut as materialized (
    select coalesce(bool_or(p.capped) filter (where p.place = 'running'), false) as running,
      coalesce(bool_or(p.capped) filter (where p.place = 'delayed'), false) as delayed,
      coalesce(bool_or(p.capped) filter (where p.place = 'held'), false) as waiting from place p),
  counted as (
    select q.id, q.tenant, q.name,
      (select count(*) from (select from holdfast.ready r where r.queue_id = q.id limit p_max) x) as queued,
      coalesce(e.running, 0) as running, coalesce(e.delayed, 0) as delayed,
      coalesce(e.waiting, 0) as waiting,
      (select count(*) from (select from holdfast.held h where h.queue_id = q.id
        and h.state in ('paused', 'errored', 'parked') limit p_max) x) as blocked
    from listed q left join examined e on e.queue_id = q.id)
  select c.id, c.tenant, c.name, c.queued, least(c.running, p_max), least(c.delayed, p_max),
    least(c.waiting, p_max), c.blocked,
    array_remove(array[case when c.queued >= p_max then 'queued' end,
      case when t.running or c.running >= p_max then 'running' end,
      case when t.delayed or c.delayed >= p_max then 'delayed' end,
      case when t.waiting or c.waiting >= p_max then 'waiting' end,
      case when c.blocked >= p_max then 'blocked' end], null)
  from counted c cross join cut t
  order by c.tenant, c.name;
end $$;
