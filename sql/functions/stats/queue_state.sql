-- One queue now: ready jobs by priority, since when the oldest waits, jobs in other places, which of its
-- limits are reached, and the live workers that serve it. Bounded: each priority is counted up to p_max jobs,
-- and of places without an index by queue at most ten times as many rows are examined.
create or replace function holdfast.queue_state(p_queue int, p_max int default 1000)
returns table (priorities jsonb, oldest_ready_at timestamptz, running bigint, running_capped boolean,
  delayed bigint, delayed_capped boolean, waiting bigint, waiting_capped boolean, blocked bigint,
  limits jsonb, workers bigint, slots bigint)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_queue holdfast.queue;
begin
  select * into v_queue from holdfast.queue q where q.id = p_queue;
  if not found then
    perform holdfast.refuse('unknown_queue', format('There is no queue with the id %s.', p_queue),
      jsonb_build_object('queue', p_queue));
  end if;
  return query
  with level as (
    select r.priority, count(*) as jobs from unnest(holdfast.all_levels()) l (level)
    cross join lateral (select x.priority from holdfast.ready x where x.queue_id = p_queue
      and x.level = l.level limit p_max + 1) r group by r.priority),
  running as (
    select count(*) filter (where r.queue_id = p_queue) as jobs, count(*) > 10 * p_max as capped
    from (select x.queue_id from holdfast.running x limit 10 * p_max + 1) r),
  delayed as (
    select count(*) filter (where d.queue_id = p_queue) as jobs, count(*) > 10 * p_max as capped
    from (select x.queue_id from holdfast.delayed x limit 10 * p_max + 1) d),
  held as (
    select count(*) filter (where h.queue_id = p_queue and h.state = 'waiting') as jobs,
      count(*) > 10 * p_max as capped
    from (select x.queue_id, x.state from holdfast.held x limit 10 * p_max + 1) h),
  worker as (
    select count(*) as workers, coalesce(sum(p.slots), 0)::bigint as slots from holdfast.presence p
    where p.tenant = v_queue.tenant and v_queue.name = any (p.queues)
      and holdfast.is_worker_alive(p.heartbeat_at))
  select (select coalesce(jsonb_agg(jsonb_build_object('priority', l.priority, 'count', least(l.jobs, p_max),
      'capped', l.jobs > p_max) order by l.priority desc), '[]') from level l),
    (select f.since from holdfast.ready_fronts(array[p_queue]) f),
    running.jobs, running.capped, delayed.jobs, delayed.capped, held.jobs, held.capped,
    (select count(*) from (select from holdfast.held b where b.queue_id = p_queue
      and b.state in ('paused', 'errored', 'parked') limit p_max) x),
    (select coalesce(jsonb_agg(jsonb_build_object('code', r.code, 'sentence', r.sentence)), '[]')
      from holdfast.limits_reached(v_queue) r),
    worker.workers, worker.slots
  from running, delayed, held, worker;
end $$;
