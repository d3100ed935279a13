-- Adds cells of count_events to the charts: rows of a minute, a quarter and an hour for each queue and kind,
-- and for the whole tenant. Only count_minutes calls it, which has its turn, so no other session writes here.
create or replace function holdfast.count_stats(p_cells holdfast.stat_cell[], p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform holdfast.count_kinds(p_cells, p_now);
  with cell as materialized (
    select q.tenant, coalesce(k.kind, '') as counted_as, c.*
    from unnest(p_cells) c join holdfast.queue q on q.id = c.queue_id
    left join holdfast.counted_kind k on k.tenant = q.tenant and k.kind = c.kind),
  scoped as materialized (
    select c.tenant, w.minutes, s.queue_id, date_bin(interval '1 minute' * w.minutes, c.minute,
        '2000-01-01 00:00:00+00') as at, s.kind,
      c.enqueued, c.started, c.succeeded, c.failed, c.canceled, c.attempts, c.attempts_failed,
      c.attempts_lost, c.wait_times, c.run_times
    from cell c cross join holdfast.stat_widths() w
    cross join lateral (values (c.queue_id, c.counted_as), (0, '')) s (queue_id, kind)
    where c.minute > p_now - w.stored),
  time_count as (
    select s.tenant, s.minutes, s.queue_id, s.at, s.kind, t.bucket, coalesce(sum(t.waits), 0)::int as waits,
      coalesce(sum(t.runs), 0)::int as runs
    from scoped s cross join lateral unnest(s.wait_times, s.run_times) with ordinality t (waits, runs, bucket)
    group by 1, 2, 3, 4, 5, 6),
  times as (
    select t.tenant, t.minutes, t.queue_id, t.at, t.kind,
      array_agg(t.waits order by t.bucket) filter (where t.bucket <= t.waits_to) as wait_times,
      array_agg(t.runs order by t.bucket) filter (where t.bucket <= t.runs_to) as run_times
    from (select c.*, max(c.bucket) filter (where c.waits > 0) over same as waits_to,
        max(c.bucket) filter (where c.runs > 0) over same as runs_to
      from time_count c window same as (partition by c.tenant, c.minutes, c.queue_id, c.at, c.kind)) t
    group by 1, 2, 3, 4, 5),
  summed as (
    select s.tenant, s.minutes, s.queue_id, s.at, s.kind, sum(s.enqueued) as enqueued,
      sum(s.started) as started, sum(s.succeeded) as succeeded, sum(s.failed) as failed,
      sum(s.canceled) as canceled, sum(s.attempts) as attempts, sum(s.attempts_failed) as attempts_failed,
      sum(s.attempts_lost) as attempts_lost
    from scoped s group by 1, 2, 3, 4, 5)
  insert into holdfast.stat as m (tenant, minutes, queue_id, at, kind, enqueued, started, succeeded, failed,
    canceled, attempts, attempts_failed, attempts_lost, wait_times, run_times)
    select s.tenant, s.minutes, s.queue_id, s.at, s.kind, s.enqueued, s.started, s.succeeded, s.failed,
      s.canceled, s.attempts, s.attempts_failed, s.attempts_lost, coalesce(t.wait_times, '{}'),
      coalesce(t.run_times, '{}')
    from summed s left join times t on t.tenant = s.tenant and t.minutes = s.minutes
      and t.queue_id = s.queue_id and t.at = s.at and t.kind = s.kind
    on conflict (tenant, minutes, queue_id, at, kind) do update set enqueued = m.enqueued + excluded.enqueued,
      started = m.started + excluded.started, succeeded = m.succeeded + excluded.succeeded,
      failed = m.failed + excluded.failed, canceled = m.canceled + excluded.canceled,
      attempts = m.attempts + excluded.attempts,
      attempts_failed = m.attempts_failed + excluded.attempts_failed,
      attempts_lost = m.attempts_lost + excluded.attempts_lost,
      wait_times = holdfast.add_times(m.wait_times, excluded.wait_times),
      run_times = holdfast.add_times(m.run_times, excluded.run_times);
end $$;

-- The widths of rows, in minutes, and for how long rows of each are stored; src/domain/stats/spans.ts has the
-- same.
create or replace function holdfast.stat_widths() returns table (minutes int, stored interval)
language sql immutable
set search_path = pg_catalog, pg_temp
as $$ values (1, interval '3 hours'), (15, interval '48 hours'), (60, interval '192 hours') $$;

-- Bounds of what is counted for a tenant; LIMITS in src/domain/limits.ts has the same.
create or replace function holdfast.stat_limit(p_name text) returns int
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select case p_name when 'kinds' then 200 when 'versions' then 20 when 'error_groups' then 1000
    when 'job_ids' then 20 end
$$;

-- Registers new kinds, as many as a tenant may have, and when each was last seen. One that is new takes the
-- place of the one that was not seen for the longest time, if that is more than a day.
create or replace function holdfast.count_kinds(p_cells holdfast.stat_cell[], p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_new record;
begin
  for v_new in
    select n.tenant, count(*)::int as kinds from (
      select distinct q.tenant, c.kind from unnest(p_cells) c join holdfast.queue q on q.id = c.queue_id
      where c.kind <> '') n
    where not exists (select from holdfast.counted_kind k where k.tenant = n.tenant and k.kind = n.kind)
    group by n.tenant
  loop
    delete from holdfast.counted_kind k using (
        select x.kind, row_number() over (order by x.last_seen_at) as n, count(*) over () as kinds
        from holdfast.counted_kind x where x.tenant = v_new.tenant) o
      where k.tenant = v_new.tenant and k.kind = o.kind and k.last_seen_at < p_now - interval '1 day'
        and o.n <= o.kinds + v_new.kinds - holdfast.stat_limit('kinds');
  end loop;
  insert into holdfast.counted_kind as k (tenant, kind, first_seen_at, last_seen_at)
    select s.tenant, s.kind, s.first_at, s.last_at from (
      select g.tenant, g.kind, g.first_at, g.last_at, o.kind is not null as is_known,
        row_number() over (partition by g.tenant, o.kind is null order by g.first_at, g.kind)
          + (select count(*) from holdfast.counted_kind x where x.tenant = g.tenant) as n
      from (select q.tenant, c.kind, min(c.minute) as first_at, max(c.minute) as last_at
        from unnest(p_cells) c join holdfast.queue q on q.id = c.queue_id where c.kind <> ''
        group by q.tenant, c.kind) g
      left join holdfast.counted_kind o on o.tenant = g.tenant and o.kind = g.kind) s
    where s.is_known or s.n <= holdfast.stat_limit('kinds')
    on conflict (tenant, kind) do update set last_seen_at = greatest(k.last_seen_at, excluded.last_seen_at),
      first_seen_at = least(k.first_seen_at, excluded.first_seen_at);
end $$;

-- Adds attempts to the versions of their kind. Of more versions than a kind may have, those that were seen
-- last stay.
create or replace function holdfast.count_versions(p_cells holdfast.version_cell[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into holdfast.kind_version as v
    (tenant, kind, version, first_seen_at, last_seen_at, attempts, failed)
    select q.tenant, c.kind, c.version, min(c.first_at), max(c.last_at), sum(c.attempts), sum(c.failed)
    from unnest(p_cells) c join holdfast.queue q on q.id = c.queue_id
    join holdfast.counted_kind k on k.tenant = q.tenant and k.kind = c.kind
    group by q.tenant, c.kind, c.version
    on conflict (tenant, kind, version) do update set attempts = v.attempts + excluded.attempts,
      failed = v.failed + excluded.failed, first_seen_at = least(v.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(v.last_seen_at, excluded.last_seen_at);
  delete from holdfast.kind_version v using (
      select x.tenant, x.kind, x.version, row_number() over (partition by x.tenant, x.kind
        order by x.last_seen_at desc, x.version) as n
      from (select distinct q.tenant, c.kind from unnest(p_cells) c
        join holdfast.queue q on q.id = c.queue_id) g
      join holdfast.kind_version x on x.tenant = g.tenant and x.kind = g.kind) o
    where o.n > holdfast.stat_limit('versions') and v.tenant = o.tenant and v.kind = o.kind
      and v.version = o.version;
end $$;
