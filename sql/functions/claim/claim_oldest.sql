-- Claims from queues with the order global_fifo: the oldest jobs of all of them together, whichever queue
-- they are in.
--
-- The candidates are read without locks, a page at a time, and then locked in their order as far as they are
-- wanted. Locking up to p_limit rows in each queue would hide the rest of them from other claims, and these
-- would take younger jobs. A page that others have locked meanwhile is passed over. Hints: as in claim_from.
create or replace function holdfast.claim_oldest(
  p_worker_id int, p_lease bigint, p_lease_ms int, p_queues int[], p_hint_levels smallint[],
    p_hint_jobs bigint[], p_limit int, p_now timestamptz,
    out jobs bigint[], out marks int[]
)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  -- pages that other claims have locked, at most
  c_pages_max constant int := 20;
  v_left int := p_limit;
  v_page int;
  v_level smallint := -1;
  v_job bigint := 0;
  v_found record;
  v_locked record;
  v_claimed record;
begin
  for page in 1..c_pages_max loop
    v_page := least(1000, 2 * v_left + 20);
    select array_agg(c.queue_id order by c.level, c.job_id) as queues,
        array_agg(c.level order by c.level, c.job_id) as levels,
        array_agg(c.job_id order by c.level, c.job_id) as jobs, count(*)::int as n
      into v_found
      from (
        select x.* from unnest(p_queues, p_hint_levels, p_hint_jobs) u (id, level, job_id)
        join holdfast.queue q on q.id = any (array[u.id]) and q.paused_at is null and not q.limited
        cross join lateral (
          select l.* from (
            select a.* from (
              select r.queue_id, r.level, r.job_id from holdfast.ready r
              where u.job_id is null and r.queue_id = q.id and (r.level, r.job_id) > (v_level, v_job)
              order by r.level, r.job_id limit v_page) a
            union all
            select b.* from (
              select r.queue_id, r.level, r.job_id from holdfast.ready r
              where u.job_id is not null and r.queue_id = q.id and r.level < u.level
                and (r.level, r.job_id) > (v_level, v_job)
              order by r.level, r.job_id limit v_page) b
            union all
            select c.* from (
              select r.queue_id, r.level, r.job_id from holdfast.ready r
              where u.job_id is not null and r.queue_id = q.id and r.level = u.level
                and r.job_id <= u.job_id and r.since is not null and (r.level, r.job_id) > (v_level, v_job)
              order by r.job_id limit v_page) c
            union all
            select d.* from (
              select r.queue_id, r.level, r.job_id from holdfast.ready r
              where u.job_id is not null and r.queue_id = q.id and (r.level, r.job_id) > (u.level, u.job_id)
                and (r.level, r.job_id) > (v_level, v_job)
              order by r.level, r.job_id limit v_page) d) l
          limit v_page) x
        order by x.level, x.job_id limit v_page) c;
    exit when v_found.n = 0;
    v_level := v_found.levels[v_found.n];
    v_job := v_found.jobs[v_found.n];
    for v_locked in
      with locked as materialized (
        select i.queue_id, i.level, i.job_id
        from unnest(v_found.queues, v_found.levels, v_found.jobs) with ordinality
          i (queue_id, level, job_id, n)
        join holdfast.ready r on r.queue_id = any (array[i.queue_id]) and r.level = any (array[i.level])
          and r.job_id = any (array[i.job_id])
        order by i.n limit v_left for update of r skip locked)
      select k.queue_id, array_agg(k.level) as levels, array_agg(k.job_id) as jobs from locked k
        group by k.queue_id
    loop
      v_claimed := holdfast.run_selected(p_worker_id, p_lease, p_lease_ms, v_locked.queue_id, v_locked.levels,
        v_locked.jobs, false, p_now);
      jobs := jobs || v_claimed.jobs;
      marks := marks || v_claimed.marks;
      v_left := p_limit - coalesce(cardinality(jobs), 0);
    end loop;
    exit when v_left <= 0 or v_found.n < v_page;
  end loop;
  -- a mark is four times the level and two bits (see claimed_jobs)
  select array_agg(t.id order by t.mark / 4, t.id), array_agg(t.mark order by t.mark / 4, t.id)
    into jobs, marks from unnest(jobs, marks) t (id, mark);
end $$;

-- Those of the listed queues that are claimed together by claim_oldest (global_fifo, and no limit), with
-- their hints, and the list without them but for the last, which stands for all: a caller that rotates the
-- list by what it got then starves no queue between them. One alone is a queue like others.
create or replace function holdfast.global_queues(p_queues int[], p_levels smallint[], p_jobs bigint[],
  out queues int[], out levels smallint[], out jobs bigint[],
  out listed int[], out listed_levels smallint[], out listed_jobs bigint[])
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  select array_agg(u.id order by u.n), array_agg(u.level order by u.n), array_agg(u.job_id order by u.n)
    into queues, levels, jobs
    from unnest(p_queues, p_levels, p_jobs) with ordinality u (id, level, job_id, n)
    join holdfast.queue q on q.id = any (array[u.id]) and q.order_by = 'global_fifo' and not q.limited;
  if cardinality(queues) < 2 then
    queues := null;
  end if;
  select array_agg(u.id order by u.n), array_agg(u.level order by u.n), array_agg(u.job_id order by u.n)
    into listed, listed_levels, listed_jobs
    from unnest(p_queues, p_levels, p_jobs) with ordinality u (id, level, job_id, n)
    where queues is null or u.id = queues[cardinality(queues)] or u.id <> all (queues);
end $$;
