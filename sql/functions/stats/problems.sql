-- What needs an operator of this tenant, as facts; src/domain/stats/problems.ts makes the sentences. At most
-- p_limit of each type, and each type costs by queues, kinds and schedules, never by jobs.
--
-- The thresholds are those of the alert rules of the same name, as the tenant has set them; a problem shows
-- without the delay after which an alert fires. A firing alert whose cause is listed anyway is not listed
-- again: the problem carries its id. With p_installation alerts of the whole installation are listed too.
--
-- Each type is a function in plpgsql, which keeps its plan: planning took longer than reading.
create or replace function holdfast.problems(p_tenant text, p_limit int default 10,
  p_installation boolean default false)
returns table (type text, subject jsonb, since timestamptz, numbers jsonb, error jsonb, data jsonb)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  perform holdfast.check_tenant(p_tenant);
  return query select f.* from holdfast.failing_kinds(p_tenant, p_limit) f;
  return query select w.* from holdfast.waiting_queues(p_tenant, p_limit) w;
  return query select b.* from holdfast.blocked_targets(p_tenant, p_limit) b;
  return query select l.* from holdfast.late_schedules(p_tenant, p_limit) l;
  return query select u.* from holdfast.stuck_upkeep(p_tenant, p_limit) u;
  return query
    select 'alert', jsonb_build_object('type', case when a.subject = '' then 'installation'
        when a.rule = 'schedule_late' then 'schedule' else 'queue' end, 'name', a.subject,
        'queue', a.data -> 'queue', 'kind', a.data -> 'kind', 'job_id', a.data -> 'job_id'),
      a.fired_at, jsonb_build_object('value', a.value, 'threshold', a.threshold), null::jsonb,
      jsonb_build_object('alert_id', a.id, 'rule', a.rule, 'subject', a.subject, 'value', a.value,
        'threshold', a.threshold, 'data', a.data)
    from holdfast.alert a where a.state = 'firing'
      and (a.tenant = p_tenant or p_installation and a.tenant = '*')
    order by a.fired_at limit 10 * p_limit;
end $$;

-- The threshold of a rule for a subject: of the subject, of the tenant, or of the settings.
create or replace function holdfast.threshold_of(p_tenant text, p_rule text, p_subject text) returns numeric
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    (select r.threshold from holdfast.alert_rule r where r.tenant = p_tenant and r.rule = p_rule
      and r.subject in ('', p_subject) and r.threshold is not null order by r.subject desc limit 1),
    (select d.threshold from holdfast.alert_defaults() d where d.rule = p_rule))
$$;

-- Times are subqueries, evaluated once, in the statements below: the clock is volatile, and a comparison with
-- it would be no condition of an index.

-- Kinds of which too large a share of the attempts of the last ten minutes failed or lost their lease, with
-- the error that most of them had. It fails since the first minute after the last one in which it did not, as
-- far as minutes are stored.
create or replace function holdfast.failing_kinds(p_tenant text, p_limit int)
returns table (type text, subject jsonb, since timestamptz, numbers jsonb, error jsonb, data jsonb)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  with recent as materialized (
    select k.kind, r.failed, r.attempts, r.queue_id from holdfast.counted_kind k
    cross join lateral (
      select sum(s.attempts_failed + s.attempts_lost) as failed, sum(s.attempts) as attempts,
        (array_agg(s.queue_id order by s.attempts_failed + s.attempts_lost desc))[1] as queue_id
      from holdfast.stat s where s.tenant = p_tenant and s.minutes = 1 and s.kind = k.kind
        and s.queue_id > 0 and s.at > (select holdfast.now() - interval '10 minutes')) r
    where k.tenant = p_tenant and k.last_seen_at > (select holdfast.now() - interval '10 minutes')),
  failing as (
    select r.*, q.name as queue, t.threshold from recent r join holdfast.queue q on q.id = r.queue_id
    cross join lateral (select holdfast.threshold_of(p_tenant, 'failed_rate', q.name) as threshold offset 0) t
    where r.attempts > 0 and r.failed >= 5 and 100.0 * r.failed / r.attempts > t.threshold
    order by r.failed desc limit p_limit)
  select 'failing_kind', jsonb_build_object('type', 'kind', 'name', f.kind, 'queue', f.queue, 'kind', f.kind,
      'job_id', g.job_ids[1]), b.since,
    jsonb_strip_nulls(jsonb_build_object('failed', f.failed, 'attempts', f.attempts,
      'failed_rate', round(f.failed::numeric / f.attempts, 4), 'with_error', e.attempts,
      'retry_in_ms', n.in_ms)),
    case when e.fingerprint is not null then jsonb_build_object('fingerprint', e.fingerprint,
      'message', g.message, 'first_version', g.first_version) end,
    jsonb_build_object('rule', 'failed_rate')
  from failing f
  cross join lateral (
    select min(s.at) as since from holdfast.stat s where s.tenant = p_tenant and s.minutes = 1
      and s.kind = f.kind and s.queue_id > 0 and s.attempts_failed + s.attempts_lost > 0
      and s.at > coalesce((select max(c.at) from (
        select x.at from holdfast.stat x where x.tenant = p_tenant and x.minutes = 1 and x.kind = f.kind
          and x.queue_id > 0 and x.at > (select holdfast.now() - interval '3 hours') group by x.at
        having sum(x.attempts) > 0 and 100.0 * sum(x.attempts_failed + x.attempts_lost) / sum(x.attempts)
          <= f.threshold) c), '-infinity')
      and s.at > (select holdfast.now() - interval '3 hours')) b
  left join lateral (
    select c.fingerprint, sum(c.attempts) as attempts from holdfast.error_count c
    where c.tenant = p_tenant and c.minutes = 1 and c.kind = f.kind and c.at >= b.since
    group by c.fingerprint order by 2 desc, 1 limit 1) e on true
  left join holdfast.error_group g on g.tenant = p_tenant and g.fingerprint = e.fingerprint
  left join lateral (
    select greatest(0, extract(epoch from d.due_at - holdfast.now()) * 1000)::bigint as in_ms
    from holdfast.delayed d where d.job_id = any (g.job_ids) and d.state = 'retrying'
    order by d.due_at limit 1) n on true;
end $$;

-- Queues with ready jobs: paused ones, those that no live worker serves, and those whose oldest job waits too
-- long. A worker that sends no heartbeats shows by what it does: jobs of the queue run, or started lately.
create or replace function holdfast.waiting_queues(p_tenant text, p_limit int)
returns table (type text, subject jsonb, since timestamptz, numbers jsonb, error jsonb, data jsonb)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  with front as materialized (
    select q.id, q.name, q.paused_at, q.paused_by, q.pause_reason, f.job_id, f.since
    from holdfast.ready_fronts(array(select x.id from holdfast.queue x where x.tenant = p_tenant)) f
    join holdfast.queue q on q.id = f.queue_id),
  served as materialized (
    select p.queues, sum(p.slots) as slots from holdfast.presence p where p.tenant = p_tenant
      and not p.draining and holdfast.is_worker_alive(p.heartbeat_at) group by p.queues),
  judged as (
    select f.*, coalesce(w.slots, 0) as slots, case
      when f.paused_at is not null then 'paused_queue'
      when w.slots is null and f.since < holdfast.now() - interval '30 seconds'
        and not exists (select from (select r.queue_id from holdfast.running r limit 10000) r
          where r.queue_id = f.id)
        and not exists (select from holdfast.stat s where s.tenant = p_tenant and s.minutes = 1
          and s.queue_id = f.id and s.at > (select holdfast.now() - interval '3 minutes') and s.started > 0)
        then 'no_worker'
      when f.since < holdfast.now() - interval '1 second'
        * holdfast.threshold_of(p_tenant, 'oldest_ready', f.name)::float8 then 'oldest_ready' end as type
    from front f left join lateral (
      select sum(s.slots) as slots from served s where f.name = any (s.queues)) w on true),
  listed as (
    select j.*, row_number() over (partition by j.type order by j.since) as n from judged j
    where j.type is not null)
  select l.type, jsonb_build_object('type', 'queue', 'name', l.name, 'queue', l.name, 'kind', null,
      'job_id', l.job_id), case l.type when 'paused_queue' then l.paused_at else l.since end,
    jsonb_build_object('ready', least(c.jobs, 1000), 'ready_capped', (c.jobs > 1000)::int, 'slots', l.slots),
    null::jsonb, jsonb_build_object('rule', case l.type when 'paused_queue' then 'paused' else l.type end,
      'by', l.paused_by, 'reason', l.pause_reason)
  from listed l
  cross join lateral (select count(*) as jobs from (
    select from holdfast.ready r where r.queue_id = l.id limit 1001) x) c
  where l.n <= p_limit;
end $$;

-- Targets whose first job needs an operator, the longest blocked first, with the jobs behind it.
create or replace function holdfast.blocked_targets(p_tenant text, p_limit int)
returns table (type text, subject jsonb, since timestamptz, numbers jsonb, error jsonb, data jsonb)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  select 'blocked_target', jsonb_build_object('type', 'target', 'name', j.target, 'queue', b.queue,
      'kind', j.kind, 'job_id', b.job_id), b.since,
    jsonb_build_object('behind', c.jobs, 'behind_capped', (c.jobs = 1000)::int),
    case when coalesce(a.error_message, b.reason) is not null then jsonb_build_object('fingerprint',
      a.error_fingerprint, 'message', coalesce(a.error_message, b.reason), 'first_version',
      (select g.first_version from holdfast.error_group g where g.tenant = p_tenant
        and g.fingerprint = a.error_fingerprint)) end,
    jsonb_build_object('rule', 'blocked_target', 'state', b.state)
  from (
    select q.name as queue, h.job_id, h.lane, h.since, h.reason, h.state from holdfast.queue q
    cross join lateral (select x.job_id, x.lane, x.since, x.reason, x.state from holdfast.held x
      where x.queue_id = q.id and x.state in ('paused', 'errored', 'parked') and x.lane is not null
      order by x.since limit p_limit) h
    where q.tenant = p_tenant order by h.since limit p_limit) b
  join holdfast.job j on j.id = any (array[b.job_id])
  left join lateral (
    select x.error_message, x.error_fingerprint from holdfast.attempt x where x.job_id = any (array[b.job_id])
      and x.error_message is not null order by x.attempt desc limit 1) a on true
  cross join lateral (select count(*) as jobs from (
    select from holdfast.held w where w.lane = b.lane & -1024 and w.state = 'waiting' limit 1000) x) c;
end $$;

-- Schedules that are due and have not fired for more rounds of the scheduler than the rule allows.
create or replace function holdfast.late_schedules(p_tenant text, p_limit int)
returns table (type text, subject jsonb, since timestamptz, numbers jsonb, error jsonb, data jsonb)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  select 'late_schedule', jsonb_build_object('type', 'schedule', 'name', s.name, 'queue', s.queue,
      'kind', s.kind, 'job_id', null), s.next_run_at,
    jsonb_build_object('late_ms', round(s.late_ms)), null::jsonb, jsonb_build_object('rule', 'schedule_late')
  from (select x.* from holdfast.schedules x where x.tenant = p_tenant and x.late_ms > 0
    order by x.next_run_at limit 1000) s
  where s.late_ms > 1000 * holdfast.setting_number('SCHEDULER_EVERY_SEC')
    * holdfast.threshold_of(p_tenant, 'schedule_late', s.name)
  order by s.next_run_at limit p_limit;
end $$;

-- Chores that have not run for five of their intervals and two minutes, or whose last run failed; or none has
-- ever run. The text of an error can contain data of another tenant, so it is shown where the view shows it.
create or replace function holdfast.stuck_upkeep(p_tenant text, p_limit int)
returns table (type text, subject jsonb, since timestamptz, numbers jsonb, error jsonb, data jsonb)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  (select 'stuck_upkeep', jsonb_build_object('type', 'chore', 'name', c.name, 'queue', null, 'kind', null,
      'job_id', null), case when c.error is null then c.last_run_at else c.failed_at end,
    jsonb_build_object('every_ms', c.every_ms, 'failures', c.failures),
    case when c.error is not null then jsonb_build_object('fingerprint', null, 'message', c.error,
      'first_version', null) end, jsonb_build_object('rule', 'upkeep')
  from holdfast.chores c
  where c.error is not null
    or c.last_run_at < holdfast.now() - interval '5 ms' * c.every_ms - interval '2 minutes'
  order by c.name limit p_limit)
  union all
  select 'stuck_upkeep', jsonb_build_object('type', 'chore', 'name', '', 'queue', null, 'kind', null,
      'job_id', null), null, '{}', null, jsonb_build_object('rule', 'upkeep')
  where not exists (select from holdfast.chore_run)
    and exists (select from holdfast.queue q where q.tenant = p_tenant);
end $$;
