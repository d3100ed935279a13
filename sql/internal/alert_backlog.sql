-- What waits to be claimed, by queue: how much (depth, counted to just above what is too much), how long the oldest has waited, and kinds that
-- no live worker of the queue knows. It goes from one (queue, level) with jobs to the next and looks at the first twenty of each, so a million
-- jobs cost as much as a thousand; a kind further back is found when it has come to the front, or when a worker has parked it.
-- Nobody waits for a paused queue: only its depth counts.
create or replace function holdfast.alert_backlog() returns table (tenant text, rule text, subject text, value numeric, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
  with recursive step as (
    (select r.queue_id, r.level from holdfast.ready r order by r.queue_id, r.level limit 1)
    union all
    select n.queue_id, n.level from step s cross join lateral (
      select r.queue_id, r.level from holdfast.ready r where (r.queue_id, r.level) > (s.queue_id, s.level) order by r.queue_id, r.level limit 1) n),
  front as materialized (select s.queue_id, s.level from step s limit 10000),
  most as (
    select q.id, q.tenant, q.name, coalesce(o.threshold, t.threshold, d.threshold)::int + 1 as jobs
    from (select distinct f.queue_id from front f) f join holdfast.queue q on q.id = f.queue_id
    cross join (select x.threshold from holdfast.alert_defaults() x where x.rule = 'depth') d
    left join holdfast.alert_rule o on o.tenant = q.tenant and o.rule = 'depth' and o.subject = q.name
    left join holdfast.alert_rule t on t.tenant = q.tenant and t.rule = 'depth' and t.subject = ''),
  seen as materialized (
    select q.id as queue_id, q.tenant, q.name, j.kind, coalesce(x.since, j.created_at) as since
    from front f join holdfast.queue q on q.id = f.queue_id
    cross join lateral (select r.job_id, r.since from holdfast.ready r where r.queue_id = f.queue_id and r.level = f.level order by r.job_id limit 20) x
    join holdfast.job j on j.id = any (array[x.job_id])
    where q.paused_at is null),
  parked_step as (
    (select h.queue_id, h.kind from holdfast.held h where h.state = 'parked' order by h.queue_id, h.kind limit 1)
    union all
    select n.queue_id, n.kind from parked_step s cross join lateral (
      select h.queue_id, h.kind from holdfast.held h where h.state = 'parked' and (h.queue_id, h.kind) > (s.queue_id, s.kind)
      order by h.queue_id, h.kind limit 1) n),
  wanted as (
    select s.queue_id, s.tenant, s.name, s.kind, count(*) as jobs from seen s group by s.queue_id, s.tenant, s.name, s.kind
    union all
    select q.id, q.tenant, q.name, p.kind, c.jobs from (select s.queue_id, s.kind from parked_step s limit 10000) p
    join holdfast.queue q on q.id = p.queue_id
    cross join lateral (select count(*) as jobs from (
      select from holdfast.held h where h.state = 'parked' and h.queue_id = p.queue_id and h.kind = p.kind limit 1000) x) c
    where q.paused_at is null)
  select m.tenant, 'depth', m.name, c.jobs::numeric, jsonb_build_object('queue', m.name)
    -- from the far end, where no dead entries are
    from most m cross join lateral (select count(*) as jobs from (
      select from holdfast.ready r where r.queue_id = m.id order by r.level desc, r.job_id desc limit m.jobs) x) c
  union all
  select s.tenant, 'oldest_ready', s.name, round(extract(epoch from holdfast.now() - min(s.since)), 3), jsonb_build_object('queue', s.name)
    from seen s group by s.tenant, s.name
  union all
  select w.tenant, 'no_worker', w.name || '/' || w.kind, sum(w.jobs), jsonb_build_object('queue', w.name, 'kind', w.kind)
    from wanted w
    where not exists (
      select from holdfast.presence p where p.tenant = w.tenant and w.name = any (p.queues) and not p.draining and holdfast.heard_lately(p.heard_at)
        -- kinds of our own are known to every worker
        and (w.kind = any (p.kinds) or starts_with(w.kind, 'holdfast' || '.')))
    group by w.tenant, w.name, w.kind
$$;
