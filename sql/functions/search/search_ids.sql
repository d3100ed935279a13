-- Searches jobs, a bounded step at a time: examines at most p_window candidates and returns the ids of those
-- that match, at most p_limit, newest first; failed and canceled ones by when they ended. `next` is the
-- p_after of the following step, null when there is none; a step may find few jobs, even none, and still have
-- a next. `examined` is how many jobs it examined, `oldest_at` the time of the last of them.
--
-- p_filter is what src/store/search/compile.ts writes: lists of LIKE patterns and values, and bounds.
--
-- Where candidates come from, the narrowest first: the ids of the filter; an index of `job` (key, target,
-- trace) or of declared fields of inputs; the jobs that did not succeed, by the time they ended; the places
-- of live jobs; else all jobs. Only in the last case does a rare match take many steps.
create or replace function holdfast.search_ids(
  p_tenant text, p_filter jsonb, p_after jsonb default null, p_limit int default 50,
  p_window int default 1000,
  out ids bigint[], out next jsonb, out examined int, out oldest_at timestamptz)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_queues int[] := holdfast.searched_queues(p_tenant, p_filter);
  v_states text[] := holdfast.texts(p_filter -> 'states');
  v_kinds text[] := holdfast.texts(p_filter -> 'kinds');
  v_not_kinds text[] := holdfast.texts(p_filter -> 'not_kinds');
  v_keys text[] := holdfast.texts(p_filter -> 'keys');
  v_not_keys text[] := holdfast.texts(p_filter -> 'not_keys');
  v_targets text[] := holdfast.texts(p_filter -> 'targets');
  v_not_targets text[] := holdfast.texts(p_filter -> 'not_targets');
  v_path text[] := holdfast.texts(p_filter -> 'path');
  v_values text[] := holdfast.texts(p_filter -> 'values');
  v_more jsonb := p_filter -> 'more';
  v_attempted jsonb := holdfast.with_worker_ids(p_filter -> 'attempted', p_tenant);
  v_outside jsonb := p_filter -> 'outside';
  v_created_from timestamptz := greatest((p_filter ->> 'created_from')::timestamptz,
    holdfast.now() - interval '1 ms' * (p_filter ->> 'age_to')::bigint);
  v_created_to timestamptz := least((p_filter ->> 'created_to')::timestamptz,
    holdfast.now() - interval '1 ms' * (p_filter ->> 'age_from')::bigint);
  v_finished_from timestamptz := (p_filter ->> 'finished_from')::timestamptz;
  v_finished_to timestamptz := (p_filter ->> 'finished_to')::timestamptz;
  v_attempts_from bigint := coalesce((p_filter ->> 'attempts_from')::bigint, 0);
  v_attempts_to bigint := coalesce((p_filter ->> 'attempts_to')::bigint, 9223372036854775807);
  v_priority_from bigint := coalesce((p_filter ->> 'priority_from')::bigint, 0);
  v_priority_to bigint := coalesce((p_filter ->> 'priority_to')::bigint, 9223372036854775807);
  v_id_to bigint := coalesce((p_filter ->> 'id_to')::bigint, 9223372036854775807);
  -- Whether the place of a job matters: without it, its row in `job` is all that is read.
  v_placed boolean := p_filter ?| array['states', 'attempts_from', 'attempts_to', 'priority_from',
    'priority_to', 'finished_from', 'finished_to', 'outside'];
  v_ended boolean := v_placed and coalesce(v_states && '{succeeded,failed,canceled}', true);
  v_delayed boolean := v_placed and coalesce(v_states && '{scheduled,retrying}', true);
  v_held boolean := v_placed and coalesce(v_states && '{pending,waiting,paused,errored,parked}', true);
  v_running boolean := v_placed and coalesce(v_states && '{assigned,running}', true);
  v_ready boolean := v_placed and coalesce('queued' = any (v_states), true);
  v_by_end boolean := coalesce(v_states <@ '{failed,canceled}', false) and not p_filter ? 'index';
  -- Jobs are created in the order of their ids, but for moments: a bound on the time is one on the id too.
  v_from bigint := greatest((p_filter ->> 'id_from')::bigint,
    holdfast.id_at(v_created_from - interval '1 minute') - 1000, 0);
  v_before bigint := least((p_after ->> 'id')::bigint, (p_filter ->> 'id_to')::bigint + 1,
    holdfast.id_at(v_created_to + interval '1 minute') + 1000, 9223372036854775807);
  v_candidates bigint[];
  v_floor bigint;
  v_at timestamptz := (p_after ->> 'at')::timestamptz;
begin
  examined := 0;
  ids := '{}';
  if cardinality(v_queues) = 0 or cardinality(v_states) = 0
    or v_attempted @> '[{"workers": [], "not": false}]'
      and jsonb_array_length(v_attempted #> '{0,workers}') = 0 and not v_attempted -> 0 ? 'patterns'
  then
    return;
  end if;

  if p_filter ? 'index' then
    select c.ids, c.floor into v_candidates, v_floor
      from holdfast.candidates_by_index(p_filter -> 'index', v_from, v_before, p_window) c;
  elsif v_by_end then
    select c.ids, c.floor, c.at into v_candidates, v_floor, v_at from holdfast.candidates_by_end(v_states,
      v_queues, coalesce(v_at, v_finished_to), (p_after ->> 'id')::bigint, v_finished_from, p_window) c;
  elsif v_states is not null and not v_ended then
    select c.ids, c.floor into v_candidates, v_floor
      from holdfast.candidates_by_place(v_states, v_queues, v_from, v_before, p_window) c;
  else
    select j.id into v_floor from holdfast.job j where j.id < v_before and j.id >= v_from
      order by j.id desc offset p_window - 1 limit 1;
    examined := case when v_floor is not null then p_window else (select count(*) from holdfast.job j
      where j.id < v_before and j.id >= v_from) end;
    v_from := coalesce(v_floor, v_from);
    if v_attempted is not null and not coalesce((v_attempted #>> '{0,not}')::boolean, false) then
      v_candidates := holdfast.candidates_by_attempt(v_attempted -> 0, v_from, v_before);
    else
      v_candidates := array(select j.id from holdfast.job j where j.id < v_before and j.id >= v_from
        and holdfast.job_fits(v_queues, v_kinds, v_not_kinds, v_keys, v_not_keys, v_targets, v_not_targets,
          v_path,
          v_values, j.queue_id, j.kind, j.key, j.target, j.input)
        order by j.id desc);
    end if;
  end if;
  examined := greatest(examined, cardinality(v_candidates));

  ids := array(
    select j.id from unnest(v_candidates) with ordinality c (id, n)
      join holdfast.job j on j.id = any (array[c.id])
      cross join lateral (
        select p.state, p.attempt, p.priority, p.finished_at from (
          select null as state, null::int as attempt, null::smallint as priority,
            null::timestamptz as finished_at
            where not v_placed
          union all
          select a.moved_to::text, a.attempt, a.priority, a.finished_at from holdfast.attempt a
            where v_ended and a.job_id = j.id and a.final
          union all
          select case when r.started_at is null then 'assigned' else 'running' end, r.attempt, r.priority,
            null
            from holdfast.running r where v_running and r.job_id = j.id
          union all
          select d.state::text, d.attempt, d.priority, null from holdfast.delayed d
            where v_delayed and d.job_id = j.id
          union all
          select h.state::text, h.attempt, h.priority, null from holdfast.held h
            where v_held and h.job_id = j.id
          union all
          select 'queued', r.attempt, r.priority, null from holdfast.ready r where v_ready
            and r.queue_id = j.queue_id and r.level = any (holdfast.all_levels()) and r.job_id = j.id) p
        limit 1) p
    -- Candidates by their end are not bounded by v_before: there the id of p_after is no bound.
    where j.id >= v_from and j.id <= v_id_to
      and holdfast.job_fits(v_queues, v_kinds, v_not_kinds, v_keys, v_not_keys, v_targets, v_not_targets,
        v_path,
        v_values, j.queue_id, j.kind, j.key, j.target, j.input)
      and (v_created_from is null or j.created_at >= v_created_from)
      and (v_created_to is null or j.created_at < v_created_to)
      and (v_states is null or p.state = any (v_states))
      and (not v_placed or p.attempt between v_attempts_from and v_attempts_to
        and p.priority between v_priority_from and v_priority_to)
      and (v_finished_from is null or p.finished_at >= v_finished_from)
      and (v_finished_to is null or p.finished_at < v_finished_to)
      and (v_more is null or holdfast.payload_fits(v_more, j.id, j.key, j.target, j.trace, j.input, j.labels))
      and (v_outside is null or holdfast.is_outside(v_outside, j.id, p.attempt, p.priority, j.created_at,
        p.finished_at))
      and (v_attempted is null or holdfast.attempts_fit(v_attempted, j.id))
    order by c.n limit p_limit + 1);

  -- One more than a page was selected, to know whether there is another.
  if cardinality(ids) > p_limit then
    ids := ids[:p_limit];
    v_floor := ids[p_limit];
    examined := coalesce(array_position(v_candidates, v_floor), examined);
    v_at := case when v_by_end then (select a.finished_at from holdfast.attempt a
      where a.job_id = v_floor and a.final) end;
  end if;
  next := case when v_floor is not null
    then jsonb_strip_nulls(jsonb_build_object('id', v_floor, 'at', v_at)) end;
  oldest_at := case when v_by_end then v_at else (select j.created_at from holdfast.job j where j.id
    = coalesce(v_floor, v_candidates[cardinality(v_candidates)])) end;
end $$;

-- Whether a row of `job` matches; without settings of its own, so that the planner puts it in the statement.
create or replace function holdfast.job_fits(p_queues int[], p_kinds text[], p_not_kinds text[],
  p_keys text[], p_not_keys text[], p_targets text[], p_not_targets text[], p_path text[], p_values text[],
  p_queue int, p_kind text, p_key text, p_target text, p_input jsonb) returns boolean
language sql immutable
as $$
  select p_queue = any (p_queues)
    and (p_kinds is null or p_kind like any (p_kinds))
    and (p_not_kinds is null or not p_kind like any (p_not_kinds))
    and (p_keys is null or p_key like any (p_keys))
    and (p_not_keys is null or coalesce(not p_key like any (p_not_keys), true))
    and (p_targets is null or p_target like any (p_targets))
    and (p_not_targets is null or coalesce(not p_target like any (p_not_targets), true))
    and (p_path is null or p_input #>> p_path like any (p_values))
$$;

-- The queues of a tenant that a search may find jobs in.
create or replace function holdfast.searched_queues(p_tenant text, p_filter jsonb) returns int[]
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select array(select q.id from holdfast.queue q where q.tenant = p_tenant
    and (not p_filter ? 'queues' or q.name like any (holdfast.texts(p_filter -> 'queues')))
    and (not p_filter ? 'not_queues' or not q.name like any (holdfast.texts(p_filter -> 'not_queues'))))
$$;

-- A list of texts; null if there is none.
create or replace function holdfast.texts(p_list jsonb) returns text[]
language sql immutable
set search_path = pg_catalog, pg_temp
as $$ select case when p_list is not null then array(select jsonb_array_elements_text(p_list)) end $$;

-- The first id of which the job was created at or after a time, by a binary search; null for no time. One
-- past the last id if there is no such job.
create or replace function holdfast.id_at(p_time timestamptz) returns bigint
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_below bigint := 0;
  v_above bigint;
  v_middle bigint;
  v_job record;
begin
  if p_time is null then
    return null;
  end if;
  v_above := coalesce((select j.id from holdfast.job j order by j.id desc limit 1), 0) + 1;
  while v_above - v_below > 1 loop
    v_middle := v_below + (v_above - v_below) / 2;
    select j.id, j.created_at into v_job from holdfast.job j where j.id >= v_middle order by j.id limit 1;
    if v_job.created_at >= p_time then
      v_above := v_middle;
    elsif v_job.id is null then
      v_above := v_middle;
    else
      v_below := greatest(v_middle, v_job.id);
    end if;
  end loop;
  return v_above;
end $$;
