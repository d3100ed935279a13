-- What the alert rules measure. Each alert_… function measures for a few rules and returns one row for each
-- subject it has a value for, whether or not that value is too high; check_alerts compares them with the
-- thresholds.

-- The values of all rules now.
create or replace function holdfast.alert_values()
returns table (tenant text, rule text, subject text, value numeric, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select b.tenant, b.rule, b.subject, b.value, b.data from holdfast.alert_backlog() b
  union all
  select l.tenant, l.rule, l.subject, l.value, l.data from holdfast.alert_long() l
  union all
  select t.tenant, t.rule, t.subject, t.value, t.data from holdfast.alert_blocked() t
  union all
  select r.tenant, r.rule, r.subject, r.value, r.data from holdfast.alert_rates() r
  union all
  select e.tenant, e.rule, e.subject, e.value, e.data from holdfast.alert_late() e
$$;

-- The backlog of each queue: its depth (counted to just above the threshold), how long the oldest job has
-- waited, and kinds that no live worker of the queue handles. It steps from one (queue, level) with jobs to
-- the next and reads the first twenty of each, so a million jobs cost as much as a thousand; a kind further
-- back is found when it comes to the front, or when a worker has parked it. Of a paused queue only the depth
-- counts.
create or replace function holdfast.alert_backlog()
returns table (tenant text, rule text, subject text, value numeric, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with recursive step as (
    (select r.queue_id, r.level from holdfast.ready r order by r.queue_id, r.level limit 1)
    union all
    select n.queue_id, n.level from step s cross join lateral (
      select r.queue_id, r.level from holdfast.ready r where (r.queue_id, r.level) > (s.queue_id, s.level)
        order by r.queue_id, r.level limit 1) n),
  front as materialized (select s.queue_id, s.level from step s limit 10000),
  depth_limit as (
    select q.id, q.tenant, q.name, coalesce(o.threshold, t.threshold, d.threshold)::int + 1 as jobs
    from (select distinct f.queue_id from front f) f join holdfast.queue q on q.id = f.queue_id
    cross join (select x.threshold from holdfast.alert_defaults() x where x.rule = 'depth') d
    left join holdfast.alert_rule o on o.tenant = q.tenant and o.rule = 'depth' and o.subject = q.name
    left join holdfast.alert_rule t on t.tenant = q.tenant and t.rule = 'depth' and t.subject = ''),
  front_job as materialized (
    select q.id as queue_id, q.tenant, q.name, j.kind, coalesce(x.since, j.created_at) as since
    from front f join holdfast.queue q on q.id = f.queue_id
    cross join lateral (select r.job_id, r.since from holdfast.ready r where r.queue_id = f.queue_id
      and r.level = f.level order by r.job_id limit 20) x
    join holdfast.job j on j.id = any (array[x.job_id])
    where q.paused_at is null),
  parked_step as (
    (select h.queue_id, h.kind from holdfast.held h where h.state = 'parked' order by h.queue_id,
      h.kind limit 1)
    union all
    select n.queue_id, n.kind from parked_step s cross join lateral (
      select h.queue_id, h.kind from holdfast.held h where h.state = 'parked'
        and (h.queue_id, h.kind) > (s.queue_id, s.kind)
      order by h.queue_id, h.kind limit 1) n),
  wanted as (
    select s.queue_id, s.tenant, s.name, s.kind, count(*) as jobs from front_job s group by s.queue_id,
      s.tenant, s.name, s.kind
    union all
    select q.id, q.tenant, q.name, p.kind, c.jobs
      from (select s.queue_id, s.kind from parked_step s limit 10000) p
    join holdfast.queue q on q.id = p.queue_id
    cross join lateral (select count(*) as jobs from (
      select from holdfast.held h where h.state = 'parked' and h.queue_id = p.queue_id and h.kind = p.kind
        limit 1000) x) c
    where q.paused_at is null)
  select m.tenant, 'depth', m.name, c.jobs::numeric, jsonb_build_object('queue', m.name)
    -- from the far end of the index, where no dead entries are
    from depth_limit m cross join lateral (select count(*) as jobs from (
      select from holdfast.ready r where r.queue_id = m.id order by r.level desc, r.job_id desc
        limit m.jobs) x) c
  union all
  select s.tenant, 'oldest_ready', s.name, round(extract(epoch from holdfast.now() - min(s.since)), 3),
    jsonb_build_object('queue', s.name)
    from front_job s group by s.tenant, s.name
  union all
  select w.tenant, 'no_worker', w.name || '/' || w.kind, sum(w.jobs),
    jsonb_build_object('queue', w.name, 'kind', w.kind)
    from wanted w
    where not exists (
      select from holdfast.presence p where p.tenant = w.tenant and w.name = any (p.queues) and not p.draining
        and holdfast.is_worker_alive(p.heartbeat_at)
        -- every worker handles our own kinds
        and (w.kind = any (p.kinds) or starts_with(w.kind, 'holdfast' || '.')))
    group by w.tenant, w.name, w.kind
$$;

-- The longest running attempt of each queue, and the oldest open transaction, which keeps the whole database
-- from vacuuming. It scans `running` once, as every sweep of leases does.
create or replace function holdfast.alert_long()
returns table (tenant text, rule text, subject text, value numeric, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select q.tenant, 'running_long', q.name, round(extract(epoch from holdfast.now() - r.since), 3),
    jsonb_build_object('queue', q.name, 'job_id', r.job_id)
  from (select distinct on (x.queue_id) x.queue_id, x.job_id, coalesce(x.started_at, x.claimed_at) as since
        from holdfast.running x order by x.queue_id, coalesce(x.started_at, x.claimed_at)) r
  join holdfast.queue q on q.id = r.queue_id
  union all
  select '*', 'old_snapshot', '', round(s.age_sec, 3), jsonb_build_object('pid', s.pid, 'who', s.who)
    from holdfast.oldest_snapshot() s
$$;

-- The target of each queue that has been blocked longest: its first job waits for an operator. One step for
-- each queue.
create or replace function holdfast.alert_blocked()
returns table (tenant text, rule text, subject text, value numeric, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select q.tenant, 'blocked_target', q.name, round(extract(epoch from holdfast.now() - b.since), 3),
    jsonb_build_object('queue', q.name, 'target', j.target, 'job_id', b.job_id)
  from holdfast.queue q
  cross join lateral (
    select h.job_id, h.since from holdfast.held h
    where h.queue_id = q.id and h.state in ('paused', 'errored', 'parked') and h.lane is not null
      order by h.since limit 1) b
  join holdfast.job j on j.id = any (array[b.job_id])
$$;

-- How jobs of the last fifteen minutes ended, by queue, as count_minutes has counted them: the share that
-- failed, where enough have ended for a share, and attempts whose lease ran out.
create or replace function holdfast.alert_rates()
returns table (tenant text, rule text, subject text, value numeric, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with counted as materialized (
    select q.tenant, q.name, sum(m.failed) as failed, sum(m.succeeded + m.failed) as ended,
      sum(m.attempts_lost) as lost
    from holdfast.queue_minute m join holdfast.queue q on q.id = m.queue_id
    where m.minute > holdfast.now() - interval '15 minutes' group by q.id)
  select c.tenant, 'failed_rate', c.name, round(100.0 * c.failed / c.ended, 1),
    jsonb_build_object('queue', c.name, 'failed', c.failed, 'ended', c.ended)
    from counted c where c.ended >= holdfast.setting_number('ALERT_FAILED_MIN_ENDED')
  union all
  select c.tenant, 'leases_lost', c.name, c.lost, jsonb_build_object('queue', c.name) from counted c
    where c.lost > 0
$$;

-- Schedules that are due and have not fired, in rounds of the scheduler: no scheduler runs, or it fails.
-- Paused schedules and those in a maintenance window are not late; for those that were, the time since then
-- counts.
create or replace function holdfast.alert_late()
returns table (tenant text, rule text, subject text, value numeric, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select s.tenant, 'schedule_late', s.name,
    round(extract(epoch from holdfast.now() - s.free_since) / holdfast.setting_number('SCHEDULER_EVERY_SEC'),
    1), jsonb_build_object('schedule', s.name, 'due_at', s.next_run_at)
  from (
    select x.tenant, x.name, x.next_run_at, greatest(x.next_run_at, x.quiet_until,
        (select w.until from holdfast.schedule_window w where w.tenant = x.tenant)) as free_since
    from holdfast.schedule x
    where x.enabled and x.paused_at is null and x.next_run_at < holdfast.now() order by x.next_run_at
      limit 1000) s
  where not holdfast.in_maintenance_window(s.tenant)
$$;

-- The values of all rules for metrics, so that other tools can alert with their own thresholds.
create or replace function holdfast.alert_gauges(p_limit int default 1000)
returns table (tenant text, rule text, subject text, value numeric)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform holdfast.check_sight(p_all => true);
  return query select v.tenant, v.rule, v.subject, v.value from holdfast.alert_values() v order by v.rule,
    v.tenant, v.subject limit p_limit;
end $$;
