-- Where in a long list of queues there may be something to claim: the places, in order. One step from queue to queue with ready jobs,
-- so a thousand empty queues cost as much as none. A queue with a hint is taken as it is, and stepped over: what makes the hint worth
-- sending are the dead entries one would have to walk through. Null: too many others have work; ask them all.
create or replace function holdfast.with_work(p_queues int[], p_hint_jobs bigint[]) returns int[]
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_found int[];
  v_places int[];
begin
  with recursive hinted as (
    select u.id from unnest(p_queues, p_hint_jobs) u (id, job_id) where u.job_id is not null),
  gap as (
    select e.id as lo, lead(e.id) over (order by e.id) as hi
    from (select h.id from hinted h union select min(u.id) - 1 from unnest(p_queues) u (id) union select max(u.id) + 1 from unnest(p_queues) u (id)) e),
  step as (
    select g.lo as id, g.hi from gap g where g.hi is not null
    union all
    select n.id, s.hi from step s cross join lateral (
      select x.queue_id as id from holdfast.ready x where x.queue_id > s.id and x.queue_id < s.hi order by x.queue_id limit 1) n)
  select array_agg(t.id) into v_found from (select s.id from step s limit cardinality(p_queues) + 1) t;
  if cardinality(v_found) > cardinality(p_queues) then
    return null;
  end if;
  select array_agg(u.n order by u.n) into v_places from unnest(p_queues) with ordinality u (id, n) join unnest(v_found) f (id) on f.id = u.id;
  return coalesce(v_places, '{}');
end $$;
