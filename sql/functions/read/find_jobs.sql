-- Lists jobs, a page at a time, the newest first.
--
-- No index has kind, target, key and state, so a page examines at most p_window rows of each place, the
-- newest below p_before, and keeps those that match. `next` is the p_before of the following page, null when
-- there is none; a page may have fewer jobs than p_limit, even none, and still have a next. So the cost of a
-- page does not depend on how many jobs there are.
create or replace function holdfast.find_jobs(
  p_tenant text, p_queue int default null, p_states text[] default null, p_kind text default null,
  p_target text default null, p_key text default null, p_before bigint default null, p_limit int default 50,
  p_window int default 1000, out jobs jsonb, out next bigint)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_queues int[] := array(select q.id from holdfast.queue q where q.tenant = p_tenant
    and (p_queue is null or q.id = p_queue));
  v_before bigint := coalesce(p_before, 9223372036854775807);
  v_delayed boolean := coalesce(p_states && '{scheduled,retrying}', true);
  v_held boolean := coalesce(p_states && '{pending,waiting,paused,errored,parked}', true);
  v_running boolean := coalesce(p_states && '{assigned,running}', true);
  v_ended boolean := coalesce(p_states && '{succeeded,failed,canceled}', true);
  -- How many rows of each place to keep; where no filter depends on a column of `job`, a page of each is
  -- enough. Null: all.
  v_per_place int := case when p_kind is null and p_target is null and p_key is null then p_limit + 1 end;
  v_ready bigint[] := '{}';
  v_floor bigint;
  v_from bigint;
  v_page bigint[];
  v_cut bigint;
begin
  -- The index of `ready` is by queue and level: the newest of each, and of those the newest.
  if p_states is null or 'queued' = any (p_states) then
    v_ready := array(
      with recursive level as (
        select q.id as queue_id, (select r.level from holdfast.ready r where r.queue_id = q.id
          order by r.level limit 1) as level
        from unnest(v_queues) q (id)
        union all
        select l.queue_id, (select r.level from holdfast.ready r where r.queue_id = l.queue_id
          and r.level > l.level order by r.level limit 1)
        from level l where l.level is not null)
      select n.job_id from level l cross join lateral (
        select r.job_id from holdfast.ready r where r.queue_id = l.queue_id and r.level = l.level
          and r.job_id < v_before
        order by r.job_id desc limit coalesce(v_per_place, p_window)) n
      where l.level is not null order by n.job_id desc limit coalesce(v_per_place, p_window));
    if v_per_place is null and cardinality(v_ready) = p_window then
      v_floor := v_ready[p_window];
    end if;
  end if;

  -- Below this id some place has rows that are not examined. Above it each place has at most p_window.
  v_floor := greatest(v_floor,
    case when v_delayed then (select d.job_id from holdfast.delayed d where d.job_id < v_before
      order by d.job_id desc offset p_window - 1 limit 1) end,
    case when v_held then (select h.job_id from holdfast.held h where h.job_id < v_before
      order by h.job_id desc offset p_window - 1 limit 1) end,
    case when v_running then (select r.job_id from holdfast.running r where r.job_id < v_before
      order by r.job_id desc offset p_window - 1 limit 1) end,
    case when v_ended then (select a.job_id from holdfast.attempt a where a.job_id < v_before
      order by a.job_id desc offset p_window - 1 limit 1) end);
  v_from := coalesce(v_floor, 0);

  v_page := array(
    select w.job_id from (
      select u.job_id from unnest(v_ready) u (job_id) where u.job_id >= v_from
      union all
      (select d.job_id from holdfast.delayed d where v_delayed and d.job_id < v_before and d.job_id >= v_from
          and d.queue_id = any (v_queues) and (p_states is null or d.state::text = any (p_states))
            order by d.job_id desc limit v_per_place)
      union all
      (select h.job_id from holdfast.held h where v_held and h.job_id < v_before and h.job_id >= v_from
          and h.queue_id = any (v_queues) and (p_states is null or h.state::text = any (p_states))
            order by h.job_id desc limit v_per_place)
      union all
      (select r.job_id from holdfast.running r where v_running and r.job_id < v_before and r.job_id >= v_from
        and r.queue_id = any (v_queues)
          and (p_states is null or case when r.started_at is null then 'assigned'
            else 'running' end = any (p_states))
        order by r.job_id desc limit v_per_place)
      union all
      (select a.job_id from holdfast.attempt a where v_ended and a.final and a.job_id < v_before
        and a.job_id >= v_from
          and a.queue_id = any (v_queues) and (p_states is null or a.moved_to::text = any (p_states))
            order by a.job_id desc limit v_per_place)) w
    where v_per_place is not null or exists (
      select from holdfast.job j where j.id = any (array[w.job_id])
        and (p_kind is null or j.kind = p_kind) and (p_target is null or j.target = p_target)
          and (p_key is null or j.key = p_key))
    order by w.job_id desc limit p_limit + 1);
  -- One more than a page was selected, to know whether there is another.
  v_cut := v_page[p_limit + 1];
  next := case when v_cut is not null then v_cut + 1 else v_floor end;

  -- By the branch of the view that a job is in: in `ready` it is searched at every level.
  select coalesce(jsonb_agg(to_jsonb(t) order by t.id desc), '[]') into jobs
    from unnest(v_page[:p_limit]) i (id) cross join lateral (
      select v.id, v.queue, v.kind, v.state, v.status, v.priority, v.attempt, v.max_retries, v.key, v.target,
        v.lease_owner, v.created_at, v.visible_at, v.finished_at, v.reason, v.last_error
      from holdfast.jobs v where i.id = any (v_ready) and v.id = i.id
        and v.queue_id = (select j.queue_id from holdfast.job j where j.id = i.id)
        and v.state = 'queued'
      union all
      select v.id, v.queue, v.kind, v.state, v.status, v.priority, v.attempt, v.max_retries, v.key, v.target,
        v.lease_owner, v.created_at, v.visible_at, v.finished_at, v.reason, v.last_error
      from holdfast.jobs v where i.id <> all (v_ready) and v.id = i.id
        and v.queue_id = (select j.queue_id from holdfast.job j where j.id = i.id)
        and v.state <> 'queued') t;
end $$;
