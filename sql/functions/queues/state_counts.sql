-- How many jobs of a tenant, or of one of its queues, are in each state, each count up to p_max. `queued` and
-- jobs that were set aside are counted through an index. Of the other places, and of the ended jobs from the
-- newest on, at most p_examined rows are examined, of whichever queue. `capped` names the counts that stopped
-- before their end: there may be more.
create or replace function holdfast.state_counts(p_tenant text, p_queue text default null,
  p_max int default 1000, p_examined int default 10000, out counts jsonb, out capped text[])
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_queues int[] := array(select q.id from holdfast.queue q where q.tenant = p_tenant
    and (p_queue is null or q.name = p_queue) order by q.id);
begin
  with place as materialized (
    select 'delayed' as place, d.queue_id, d.state::text as state, count(*) as jobs
    from (select x.queue_id, x.state from holdfast.delayed x limit p_examined + 1) d group by 2, 3
    union all
    select 'running', r.queue_id, case when r.started_at is null then 'assigned' else 'running' end, count(*)
    from (select x.queue_id, x.started_at from holdfast.running x limit p_examined + 1) r group by 2, 3
    union all
    select 'held', h.queue_id, h.state::text, count(*)
    from (select x.queue_id, x.state from holdfast.held x limit p_examined + 1) h group by 2, 3
    union all
    select 'aside', a.queue_id, a.state::text, count(*) from (
      select h.queue_id, h.state from unnest(v_queues) q (id)
      cross join lateral (select x.queue_id, x.state from holdfast.held x where x.queue_id = q.id
        and x.state in ('paused', 'errored', 'parked') limit p_examined + 1) h
      limit p_examined + 1) a group by 2, 3
    union all
    select 'unsuccessful', a.queue_id, a.moved_to::text, count(*) from (
      select x.queue_id, x.moved_to from holdfast.attempt x where x.final and x.moved_to <> 'succeeded'
      order by x.finished_at desc, x.job_id desc limit p_examined + 1) a group by 2, 3
    union all
    select 'ended', a.queue_id, case when a.final then a.moved_to::text end, count(*) from (
      select x.queue_id, x.final, x.moved_to from holdfast.attempt x
      order by x.job_id desc limit p_examined + 1) a group by 2, 3),
  ready as materialized (
    select count(*) as jobs from (select from unnest(v_queues) q (id)
      cross join lateral (select from holdfast.ready r where r.queue_id = q.id limit p_max) r limit p_max) x),
  counted as (
    select s.state, coalesce(sum(p.jobs) filter (where p.state = s.state and p.queue_id = any (v_queues)), 0)
        as jobs, coalesce(sum(p.jobs), 0) > p_examined as cut
    from (values ('scheduled', 'delayed'), ('retrying', 'delayed'), ('assigned', 'running'),
      ('running', 'running'), ('pending', 'held'), ('waiting', 'held'), ('paused', 'aside'),
      ('errored', 'aside'), ('parked', 'aside'), ('failed', 'unsuccessful'), ('canceled', 'unsuccessful'),
      ('succeeded', 'ended')) s (state, place)
    left join place p on p.place = s.place group by s.state
    union all
    select 'queued', r.jobs, false from ready r)
  select jsonb_object_agg(c.state, least(c.jobs, p_max)),
    coalesce(array_agg(c.state order by c.state) filter (where c.cut or c.jobs >= p_max), '{}')
    into counts, capped from counted c;
end $$;
