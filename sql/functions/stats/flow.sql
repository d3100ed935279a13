-- Where the jobs of a tenant are now, how fast they move, and what navigation shows: one row.
--
-- Every count is bounded: `ready` is counted through its index, up to p_max jobs. The other places have no
-- index by queue, and nothing else needs one, so at most p_max rows of each table are examined, of whichever
-- tenant; where that was not all, the count is capped and there may be more. What ended, and rates per
-- minute, come from the counts of count_minutes: the mean of the five minutes before its last run.
create or replace function holdfast.flow(p_tenant text, p_max int default 10000)
returns table (now timestamptz, counted_to timestamptz, places jsonb, ended jsonb, per_minute jsonb,
  slots int, busy int, oldest_ready_at timestamptz, next_due_at timestamptz, counts jsonb)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
  v_queues int[];
  v_counted timestamptz := holdfast.counted_to();
begin
  perform holdfast.check_tenant(p_tenant);
  v_queues := array(select q.id from holdfast.queue q where q.tenant = p_tenant order by q.id);
  return query
  with ready as materialized (
    select count(*) as jobs from (select from unnest(v_queues) q (id)
      cross join lateral (select from holdfast.ready r where r.queue_id = q.id limit p_max + 1) r
      limit p_max + 1) x),
  place as materialized (select p.* from holdfast.examined_places(p_max) p),
  examined as materialized (
    select coalesce(sum(p.jobs) filter (where p.place = 'delayed'), 0)::bigint as delayed,
      coalesce(sum(p.jobs) filter (where p.place = 'running'), 0)::bigint as running,
      coalesce(sum(p.jobs) filter (where p.state = 'waiting'), 0)::bigint as waiting,
      coalesce(sum(p.jobs) filter (where p.state = 'pending'), 0)::bigint as pending
    from place p where p.queue_id = any (v_queues)),
  cut as materialized (
    select coalesce(bool_or(p.capped) filter (where p.place = 'delayed'), false) as delayed,
      coalesce(bool_or(p.capped) filter (where p.place = 'running'), false) as running,
      coalesce(bool_or(p.capped) filter (where p.place = 'held'), false) as held from place p),
  -- these have an index
  stopped as materialized (
    select count(*) filter (where s.state <> 'parked' and s.lane is null) as paused,
      count(*) filter (where s.lane is not null) as blocked,
      count(*) filter (where s.state = 'parked' and s.lane is null) as parked, count(*) > p_max as capped
    from (select h.state, h.lane from unnest(v_queues) q (id)
      cross join lateral (select h.state, h.lane from holdfast.held h where h.queue_id = q.id
        and h.state in ('paused', 'errored', 'parked') limit p_max + 1) h limit p_max + 1) s),
  day as (
    select coalesce(sum(s.succeeded), 0) as succeeded, coalesce(sum(s.failed), 0) as failed,
      coalesce(sum(s.canceled), 0) as canceled
    from holdfast.stat s where s.tenant = p_tenant and s.minutes = 15 and s.queue_id = 0
      and s.at > v_now - interval '24 hours'),
  recent as (
    select coalesce(sum(s.enqueued), 0) / 5.0 as enqueued, coalesce(sum(s.started), 0) / 5.0 as started,
      coalesce(sum(s.succeeded + s.failed + s.canceled), 0) / 5.0 as ended,
      coalesce(sum(s.succeeded), 0) / 5.0 as succeeded, coalesce(sum(s.failed), 0) / 5.0 as failed,
      coalesce(sum(s.attempts_failed), 0) / 5.0 as attempts_failed
    from holdfast.stat s where s.tenant = p_tenant and s.minutes = 1 and s.queue_id = 0
      and s.at >= date_trunc('minute', v_counted) - interval '5 minutes'
      and s.at < date_trunc('minute', v_counted)),
  worker as (
    select count(*) as workers, coalesce(sum(p.slots), 0)::int as slots, coalesce(sum(p.busy), 0)::int as busy
    from holdfast.presence p where p.tenant = p_tenant and holdfast.is_worker_alive(p.heartbeat_at)),
  late as (select count(*) as schedules, count(*) filter (where case when s.late_ms > 0
      then s.late_ms > 1000 * holdfast.setting_number('SCHEDULER_EVERY_SEC')
        * holdfast.threshold_of(p_tenant, 'schedule_late', s.name) end) as late
    from (select x.late_ms, x.name from holdfast.schedules x where x.tenant = p_tenant limit 10000) s)
  select v_now, v_counted,
    jsonb_build_object(
      'delayed', holdfast.count_of(least(e.delayed, p_max), c.delayed),
      'ready', holdfast.count_of(least(r.jobs, p_max), r.jobs > p_max),
      'running', holdfast.count_of(least(e.running, p_max), c.running),
      'waiting', holdfast.count_of(least(e.waiting, p_max), c.held),
      'pending', holdfast.count_of(least(e.pending, p_max), c.held),
      'blocked', holdfast.count_of(t.blocked, t.capped), 'paused', holdfast.count_of(t.paused, t.capped),
      'parked', holdfast.count_of(t.parked, t.capped)),
    to_jsonb(day), to_jsonb(recent), worker.slots, worker.busy,
    (select min(f.since) from holdfast.ready_fronts(v_queues) f),
    (select x.due_at
      from (select y.due_at, y.queue_id from holdfast.delayed y order by y.due_at limit p_max) x
      -- in the order of the index: it stops at the first
      where x.queue_id = any (v_queues) limit 1),
    jsonb_build_object(
      'jobs', holdfast.count_of(least(r.jobs, p_max) + e.delayed + e.running + e.waiting + e.pending
        + t.paused + t.blocked + t.parked,
        r.jobs > p_max or c.delayed or c.running or c.held or t.capped),
      'queues', cardinality(v_queues),
      'kinds', (select count(*) from holdfast.counted_kind k where k.tenant = p_tenant),
      'blocked_targets', holdfast.count_of(t.blocked, t.capped),
      'schedules', late.schedules, 'late_schedules', late.late, 'workers', worker.workers,
      'firing_alerts', (select count(*) from holdfast.alert x where x.tenant = p_tenant
        and x.state = 'firing'),
      'error_groups', (select count(*) from holdfast.error_group g where g.tenant = p_tenant
        and g.last_seen_at > v_now - interval '24 hours'))
  from ready r, examined e, cut c, stopped t, day, recent, worker, late;
end $$;

-- A count, and whether counting stopped before its end.
create or replace function holdfast.count_of(p_count bigint, p_capped boolean) returns jsonb
language sql immutable
set search_path = pg_catalog, pg_temp
as $$ select jsonb_build_object('count', p_count, 'capped', p_capped) $$;

-- Since when the longest waiting job of each of these queues could have been claimed. It steps from level to
-- level and examines the first five jobs of each: the first was created first, and few come back before it.
-- Of more than 2,000 queues it examines the first levels alone. plpgsql keeps its plan, which opens every
-- range of history.
create or replace function holdfast.ready_fronts(p_queues int[])
returns table (queue_id int, job_id bigint, since timestamptz)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  with recursive step as (
    select q.id as queue_id, (select r.level from holdfast.ready r where r.queue_id = q.id
      order by r.level limit 1) as level from unnest(p_queues) q (id)
    union all
    select s.queue_id, (select r.level from holdfast.ready r where r.queue_id = s.queue_id
      and r.level > s.level order by r.level limit 1) from step s where s.level is not null)
  select distinct on (f.queue_id) f.queue_id, x.job_id, coalesce(x.since, greatest(j.created_at, j.run_at))
  from (select s.queue_id, s.level from step s where s.level is not null
    limit greatest(2000, cardinality(p_queues))) f
  cross join lateral (select r.job_id, r.since from holdfast.ready r where r.queue_id = f.queue_id
    and r.level = f.level order by r.job_id limit 5) x
  join holdfast.job j on j.id = any (array[x.job_id])
  order by f.queue_id, 3, x.job_id;
end $$;
