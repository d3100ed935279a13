-- The family of a job: what enqueued it, what it enqueued, what it retries and what retries it, and the jobs
-- of its trace. At most p_limit ids; null if there is no such job or the caller may not see it.
--
-- All of it is found by indexes, and a job without parent, retry or trace has no entry in them. `complete` is
-- false where more jobs could belong to the family.
create or replace function holdfast.related_jobs(p_job bigint, p_limit int default 200,
  out ids bigint[], out complete boolean)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_job holdfast.job;
  v_tenant text;
  v_next bigint[];
begin
  select * into v_job from holdfast.job j where j.id = p_job;
  if not found then
    return;
  end if;
  select q.tenant into v_tenant from holdfast.queue q where q.id = v_job.queue_id;
  ids := array[p_job];
  complete := true;

  -- Up: parents, and the jobs that these retry. Ids come from callers, so a circle is possible.
  v_next := ids;
  for depth in 1..20 loop
    v_next := array(select distinct r.id from holdfast.job j
      cross join lateral unnest(array[j.parent_id, j.retry_of]) r (id)
      where j.id = any (v_next) and r.id is not null and r.id <> all (ids));
    exit when v_next = '{}';
    ids := ids || v_next;
  end loop;

  -- Down: what these enqueued, and what retries them. Without an order: for the order of ids the planner
  -- could read all jobs.
  v_next := ids;
  for depth in 1..20 loop
    v_next := array(select distinct c.id from unnest(v_next) n (id) cross join lateral (
        (select j.id from holdfast.job j where j.parent_id = n.id limit p_limit + 1)
        union all
        (select j.id from holdfast.job j where j.retry_of = n.id limit p_limit + 1)) c
      where c.id <> all (ids) limit p_limit + 1);
    exit when v_next = '{}';
    ids := ids || v_next;
    -- some of them can be of another tenant
    complete := cardinality(ids) <= p_limit;
    exit when not complete;
  end loop;

  if v_job.trace is not null then
    v_next := array(select j.id from holdfast.job j where j.trace is not null
      and substr(j.trace, 4, 32) = substr(v_job.trace, 4, 32) and j.id <> all (ids)
      order by substr(j.trace, 4, 32), j.id limit p_limit);
    complete := complete and cardinality(v_next) < p_limit;
    ids := ids || v_next;
  end if;

  ids := array(select j.id from holdfast.job j join holdfast.queue q on q.id = j.queue_id
    where j.id = any (ids) and q.tenant = v_tenant order by j.id = p_job desc, j.id limit p_limit + 1);
  if cardinality(ids) > p_limit then
    complete := false;
    ids := ids[1:p_limit];
  end if;
end $$;
