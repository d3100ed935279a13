-- Ids of jobs below p_before that an index of `job` finds, newest first, at most p_window. p_index names it
-- and has the exact values: {"key": […]}, {"target": […]}, {"trace": […]}, {"id": […]}; with several names,
-- jobs that one of them finds. `floor` is the id to continue below; null if there are no more.
--
-- The value is compared together with the id: with `target = x order by id` and a target that is thought to
-- be common, the planner would read the newest jobs one by one until it has found enough.
create or replace function holdfast.candidates_by_index(p_index jsonb, p_from bigint, p_before bigint,
  p_window int, out ids bigint[], out floor bigint)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  ids := array(
    select distinct c.id from (
      select i.id::bigint as id from jsonb_array_elements_text(p_index -> 'id') i (id)
        where i.id::bigint < p_before and i.id::bigint >= p_from
      union all
      select j.id from jsonb_array_elements_text(p_index -> 'key') v (value) cross join lateral (
        select j.id from holdfast.job j where j.key >= v.value and (j.key, j.id) < (v.value, p_before)
          and j.id >= p_from
        order by j.key desc, j.id desc limit p_window) j
      union all
      select j.id from jsonb_array_elements_text(p_index -> 'target') v (value) cross join lateral (
        select j.id from holdfast.job j where j.target >= v.value
          and (j.target, j.id) < (v.value, p_before) and j.id >= p_from
        order by j.target desc, j.id desc limit p_window) j
      union all
      select j.id from jsonb_array_elements_text(p_index -> 'trace') v (value) cross join lateral (
        select j.id from holdfast.job j where j.trace is not null
          and substr(j.trace, 4, 32) >= v.value and (substr(j.trace, 4, 32), j.id) < (v.value, p_before)
          and j.id >= p_from
        order by substr(j.trace, 4, 32) desc, j.id desc limit p_window) j
      union all
      select j.job_id from jsonb_array_elements_text(p_index -> 'input') v (value) cross join lateral (
        select s.job_id from holdfast.search_value s
          where s.hash = hashtextextended(v.value, 0) and s.job_id < p_before
          and s.job_id >= p_from
        order by s.job_id desc limit p_window) j) c
    order by c.id desc limit p_window);
  floor := case when cardinality(ids) = p_window then ids[p_window] end;
end $$;

-- Ids of jobs that failed or were canceled, the latest end first, from (p_at, p_id) back to p_since. `at` and
-- `floor` are where to continue.
create or replace function holdfast.candidates_by_end(p_states text[], p_queues int[], p_at timestamptz,
  p_id bigint, p_since timestamptz, p_window int, out ids bigint[], out floor bigint, out at timestamptz)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_last record;
begin
  select array_agg(e.job_id order by e.n) filter (where e.moved_to::text = any (p_states)
      and e.queue_id = any (p_queues)), max(e.n) as examined,
      min(e.job_id) filter (where e.n = p_window) as job_id,
      min(e.finished_at) filter (where e.n = p_window) as finished_at
    into v_last
    from (select a.job_id, a.finished_at, a.moved_to, a.queue_id,
        row_number() over (order by a.finished_at desc, a.job_id desc) as n
      from (select a.job_id, a.finished_at, a.moved_to, a.queue_id from holdfast.attempt a
        where a.final and a.moved_to <> 'succeeded'
          and (a.finished_at, a.job_id) < (coalesce(p_at, 'infinity'), coalesce(p_id, 0))
          and a.finished_at >= coalesce(p_since, '-infinity')
        order by a.finished_at desc, a.job_id desc limit p_window) a) e;
  ids := coalesce(v_last.array_agg, '{}');
  floor := v_last.job_id;
  at := v_last.finished_at;
end $$;

-- Ids of live jobs in these states, newest first: of each place at most p_window, the newest below p_before.
-- `floor` is the id to continue below; null if there are no more.
create or replace function holdfast.candidates_by_place(p_states text[], p_queues int[], p_from bigint,
  p_before bigint, p_window int, out ids bigint[], out floor bigint)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_delayed boolean := p_states && '{scheduled,retrying}';
  v_held boolean := p_states && '{pending,waiting,paused,errored,parked}';
  v_running boolean := p_states && '{assigned,running}';
  v_ready bigint[] := '{}';
begin
  -- The index of `ready` is by queue and level: the newest of each, and of those the newest.
  if 'queued' = any (p_states) then
    v_ready := array(
      with recursive level as (
        select q.id as queue_id, (select r.level from holdfast.ready r where r.queue_id = q.id
          order by r.level limit 1) as level
        from unnest(p_queues) q (id)
        union all
        select l.queue_id, (select r.level from holdfast.ready r where r.queue_id = l.queue_id
          and r.level > l.level order by r.level limit 1)
        from level l where l.level is not null)
      select n.job_id from level l cross join lateral (
        select r.job_id from holdfast.ready r where r.queue_id = l.queue_id and r.level = l.level
          and r.job_id < p_before and r.job_id >= p_from
        order by r.job_id desc limit p_window) n
      where l.level is not null order by n.job_id desc limit p_window);
    floor := v_ready[p_window];
  end if;
  -- Below this id some place has rows that are not examined.
  floor := greatest(floor,
    case when v_delayed then (select d.job_id from holdfast.delayed d where d.job_id < p_before
      and d.job_id >= p_from order by d.job_id desc offset p_window - 1 limit 1) end,
    case when v_held then (select h.job_id from holdfast.held h where h.job_id < p_before
      and h.job_id >= p_from order by h.job_id desc offset p_window - 1 limit 1) end,
    case when v_running then (select r.job_id from holdfast.running r where r.job_id < p_before
      and r.job_id >= p_from order by r.job_id desc offset p_window - 1 limit 1) end);
  ids := array(
    select c.job_id from (
      select u.job_id from unnest(v_ready) u (job_id) where u.job_id >= coalesce(floor, p_from)
      union all
      select d.job_id from holdfast.delayed d where v_delayed and d.job_id < p_before
        and d.job_id >= coalesce(floor, p_from) and d.queue_id = any (p_queues)
        and d.state::text = any (p_states)
      union all
      select h.job_id from holdfast.held h where v_held and h.job_id < p_before
        and h.job_id >= coalesce(floor, p_from) and h.queue_id = any (p_queues)
        and h.state::text = any (p_states)
      union all
      select r.job_id from holdfast.running r where v_running and r.job_id < p_before
        and r.job_id >= coalesce(floor, p_from) and r.queue_id = any (p_queues)) c
    order by c.job_id desc);
end $$;

-- Ids of a range whose attempts match a term about attempts, newest first.
create or replace function holdfast.candidates_by_attempt(p_term jsonb, p_from bigint, p_before bigint)
  returns bigint[]
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_workers int[] := holdfast.texts(p_term -> 'workers')::int[];
  v_patterns text[] := holdfast.texts(p_term -> 'patterns');
  -- only where more workers had the version than are listed
  v_versions text[] := case when not p_term ? 'workers' then holdfast.texts(p_term -> 'versions') end;
  v_parts text[] := holdfast.texts(p_term -> 'parts');
  v_exact text[] := holdfast.texts(p_term -> 'exact');
begin
  return array(
    select a.job_id from holdfast.attempt a where a.job_id >= p_from and a.job_id < p_before
      and (a.worker_id = any (v_workers) or a.error_message ilike any (v_parts)
        or a.error_class = any (v_exact) or a.error_fingerprint = any (v_exact)
        or v_patterns is not null and holdfast.worker_fits(a.worker_id, v_patterns)
        or v_versions is not null and holdfast.version_at(p_term ->> 'tenant', a.worker_id,
          coalesce(a.claimed_at, a.finished_at)) like any (v_versions))
    union
    select r.job_id from holdfast.running r where r.job_id >= p_from and r.job_id < p_before
      and (r.worker_id = any (v_workers)
        or v_patterns is not null and holdfast.worker_fits(r.worker_id, v_patterns)
        or v_versions is not null and holdfast.version_at(p_term ->> 'tenant', r.worker_id, r.claimed_at)
          like any (v_versions))
    order by 1 desc);
end $$;
